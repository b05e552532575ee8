//! `taffrail handoff`

use super::completions::session_ids;
use super::confirmation::asked;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, say};
use std::path::{Path, PathBuf};
use std::process::Command;
use taffrail_api::Handoff;
use taffrail_setup::replace;
use taffrail_tui::terminal::clean;

/// Print a brief from which a person or another agent can continue
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail handoff 3f2a              a short Markdown brief
  taffrail handoff . --json
  taffrail handoff 3f2a --to codex
      show the command that starts that agent with the brief, and ask
")]
pub(super) struct Args {
    /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
    #[arg(value_name = "ID", default_value = "@last", add = session_ids())]
    id: String,
    /// Start this agent with the brief, after you confirm
    #[arg(long, value_name = "AGENT")]
    to: Option<String>,
    /// Start the other agent without asking
    #[arg(long, requires = "to")]
    yes: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    if context.json && args.to.is_some() {
        return Err(CliError::usage("--json and --to exclude each other", "leave one of them out"));
    }
    let target = context.found(&args.id)?;
    let handoff = taffrail_query::handoff(&context.settings, &target)?;
    if context.json {
        return Out::new().json(&handoff);
    }
    match &args.to {
        Some(agent) => start(&handoff, agent, args, context),
        None => print(&handoff),
    }
}

fn print(handoff: &Handoff) -> Result<(), CliError> {
    let mut out = Out::new();
    out.lines(clean(&handoff.markdown).lines())
}

fn start(handoff: &Handoff, agent: &str, args: &Args, context: &Context) -> Result<(), CliError> {
    let file = place(handoff, context);
    let words = taffrail_query::start_with(agent, &file.to_string_lossy())?;
    let folder = handoff.resume.cwd.as_deref().map_or(context.env.here.as_path(), Path::new);
    if !folder.is_dir() {
        let message = format!("{} is not here", clean(&folder.to_string_lossy()));
        return Err(CliError::refused(message, "start it where its project is"));
    }
    Out::print(&format!("cd {} && {}", quoted(&folder.to_string_lossy()), shell(&words)))?;
    if !args.yes && !asked("Start this?") {
        say("nothing was started; --yes starts it without asking");
        return Ok(());
    }
    replace(&file, &handoff.markdown)?;
    let (program, rest) = words
        .split_first()
        .ok_or_else(|| CliError::failure("the agent has no command that starts it"))?;
    let ended = Command::new(program).args(rest).current_dir(folder).status();
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(CliError::failure(format!("{program} ended with {status}"))),
        Err(error) => Err(CliError::failure(format!("{program} cannot be started: {error}"))),
    }
}

/// Where the brief is for the other agent to read; its name tells whose it is.
fn place(handoff: &Handoff, context: &Context) -> PathBuf {
    context.env.state_folder().join("handoff").join(format!("{}.md", handoff.session_id))
}

pub(super) fn shell(words: &[String]) -> String {
    words.iter().map(|it| quoted(it)).collect::<Vec<_>>().join(" ")
}

/// A word as a shell reads it as one.
pub(super) fn quoted(word: &str) -> String {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || "-_./:=@%+,".contains(it);
    let word = clean(word);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.into_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_quoted_where_a_shell_would_read_more() {
        for (word, expected) in
            [("a-b/c", "a-b/c"), ("a b", "'a b'"), ("it's", r"'it'\''s'"), ("", "''")]
        {
            assert_eq!(quoted(word), expected);
        }
    }
}
