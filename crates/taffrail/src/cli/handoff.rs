//! `taffrail handoff`

use super::completions::session_ids;
use super::events::refresh;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, say};
use crate::terminal::clean;
use std::fs::OpenOptions;
use std::io::{self, BufRead, IsTerminal, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use taffrail_api::{ErrorKind, Handoff};

/// Print a brief of a session, for a person or another agent to carry on from
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail handoff 3f2a              a short Markdown brief
  taffrail handoff . --json
  taffrail handoff 3f2a --to codex   show the command that starts Codex on it, and ask
")]
pub(super) struct Args {
    /// The beginning of its id, its agent's own id, @last, or . for this folder
    #[arg(value_name = "ID", default_value = "@last", add = session_ids())]
    id: String,
    /// Start this agent on the brief, once it is confirmed
    #[arg(long, value_name = "AGENT")]
    to: Option<String>,
    /// Do not ask before the other agent is started
    #[arg(long, requires = "to")]
    yes: bool,
    /// Print the facts and the Markdown as JSON
    #[arg(long, conflicts_with = "to")]
    pub(super) json: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let target = context.target(&args.id)?;
    refresh(context, &target)?;
    let handoff = taffrail_daemon::handoff(&context.settings, &target)?;
    if args.json {
        return Out::new().json(&handoff);
    }
    match &args.to {
        Some(agent) => start(&handoff, agent, args, context),
        None => print(&handoff),
    }
}

fn print(handoff: &Handoff) -> Result<(), CliError> {
    let mut out = Out::new();
    for line in clean(&handoff.markdown).lines() {
        out.line(line)?;
    }
    out.end()
}

fn start(handoff: &Handoff, agent: &str, args: &Args, context: &Context) -> Result<(), CliError> {
    let file = place(handoff, context);
    let words = taffrail_daemon::start_with(agent, &file.to_string_lossy())?;
    let folder = handoff.resume.cwd.as_deref().map_or(context.rim.here.as_path(), Path::new);
    if !folder.is_dir() {
        let (kind, hint) = (ErrorKind::Refused, Some("start it where its project is".to_owned()));
        let message = format!("{} is not here", clean(&folder.to_string_lossy()));
        return Err(CliError { kind, message, hint });
    }
    let mut out = Out::new();
    out.line(&format!("cd {} && {}", quoted(&folder.to_string_lossy()), shell(&words)))?;
    out.end()?;
    if !args.yes && !is_agreed() {
        say("nothing was started; --yes starts it without asking");
        return Ok(());
    }
    write(&file, &handoff.markdown)?;
    let (program, rest) = words.split_first().ok_or_else(|| failed("there is no command"))?;
    let ended = Command::new(program).args(rest).current_dir(folder).status();
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(failed(&format!("{program} ended with {status}"))),
        Err(error) => Err(failed(&format!("{program} cannot be started: {error}"))),
    }
}

/// Where the brief is for the other agent to read; its name tells whose it is.
fn place(handoff: &Handoff, context: &Context) -> PathBuf {
    context.rim.state_folder().join("handoff").join(format!("{}.md", handoff.session_id))
}

fn write(file: &Path, text: &str) -> Result<(), CliError> {
    let told = |error: io::Error| failed(&format!("{}: {error}", file.display()));
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(told)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    let mut open = options.open(file).map_err(told)?;
    open.write_all(text.as_bytes()).map_err(told)
}

fn is_agreed() -> bool {
    if !io::stdin().is_terminal() {
        return false;
    }
    say("Start this? [y/N]");
    let mut answer = String::new();
    // Whoever hangs up does not agree.
    io::stdin().lock().read_line(&mut answer).ok();
    matches!(answer.trim(), "y" | "Y" | "yes")
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

fn failed(message: &str) -> CliError {
    CliError { kind: ErrorKind::Failure, message: message.to_owned(), hint: None }
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
