//! `taffrail tag`, `taffrail note`, `taffrail star` and `taffrail rename`

use super::completions::session_ids;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use taffrail_api::client::escaped;
use taffrail_api::{MarksBody, SessionMarks};
use taffrail_query::contracts::{clear_notes, remarks};
use taffrail_query::marks;
use taffrail_tui::terminal::line;

/// Add, remove or list the tags of a session
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail tag @last +release +parser       add two tags
  taffrail tag 3f2a -release                remove one
  taffrail tag 3f2a                         list the tags
")]
pub(super) struct TagArgs {
    /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
    #[arg(value_name = "ID", add = session_ids())]
    id: String,
    /// +TAG adds a tag, -TAG removes it; a bare TAG is added, too
    #[arg(value_name = "+TAG|-TAG", allow_hyphen_values = true)]
    changes: Vec<String>,
}

/// Add a note to a session, or list its notes
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail note @last \"Waits for the security team\"
  taffrail note 3f2a                        list the notes
  taffrail note 3f2a --clear
")]
pub(super) struct NoteArgs {
    /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
    #[arg(value_name = "ID", add = session_ids())]
    id: String,
    /// Text of the note; several words make one note
    #[arg(value_name = "TEXT")]
    text: Vec<String>,
    /// Remove all notes
    #[arg(long, conflicts_with = "text")]
    clear: bool,
}

/// Give a session a star, or take it away
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail star @last
  taffrail star 3f2a --remove
")]
pub(super) struct StarArgs {
    /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
    #[arg(value_name = "ID", add = session_ids())]
    id: String,
    /// Take the star away
    #[arg(long)]
    remove: bool,
}

/// Give a session a title, which wins over the agent's
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail rename @last Token refresh
  taffrail rename 3f2a --clear              the agent's title again
")]
pub(super) struct RenameArgs {
    /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
    #[arg(value_name = "ID", add = session_ids())]
    id: String,
    /// The title; several words make one title
    #[arg(value_name = "TITLE", required_unless_present = "clear")]
    title: Vec<String>,
    /// Take the title away
    #[arg(long, conflicts_with = "title")]
    clear: bool,
}

pub(super) fn star(args: &StarArgs, context: &Context) -> Result<(), CliError> {
    let marks = MarksBody { starred: Some(!args.remove), ..MarksBody::default() };
    marked(&args.id, &marks, context)
}

pub(super) fn rename(args: &RenameArgs, context: &Context) -> Result<(), CliError> {
    let marks = MarksBody { title: Some(args.title.join(" ")), ..MarksBody::default() };
    marked(&args.id, &marks, context)
}

/// Changes a session through the daemon if one runs, so that its lists show it at once.
fn marked(id: &str, marks: &MarksBody, context: &Context) -> Result<(), CliError> {
    let path = format!("/api/sessions/{}/marks", escaped(&context.found_id(id)?));
    let told: SessionMarks = context.questions()?.post(&path, marks)?;
    if context.json {
        return Out::new().json(&told);
    }
    let star = if told.starred { "★ " } else { "" };
    Out::print(&format!("{star}{}", line(told.title.as_deref().unwrap_or("(no title)"))))
}

pub(super) fn tag(args: &TagArgs, context: &Context) -> Result<(), CliError> {
    let target = context.found(&args.id)?;
    let (given, taken) = changes(&args.changes);
    let told = match args.changes.is_empty() {
        true => remarks(&context.settings, &target)?,
        false => taffrail_query::contracts::tag(&context.settings, &target, (&given, &taken))?,
    };
    if context.json {
        return Out::new().json(&marks(&context.settings, &target)?);
    }
    let mut out = Out::new();
    out.lines(told.tags.iter().map(|tag| line(tag)))
}

pub(super) fn note(args: &NoteArgs, context: &Context) -> Result<(), CliError> {
    let target = context.found(&args.id)?;
    let told = match (args.clear, args.text.as_slice()) {
        (true, _) => clear_notes(&context.settings, &target)?,
        (false, []) => remarks(&context.settings, &target)?,
        (false, words) => {
            taffrail_query::contracts::note(&context.settings, &target, &words.join(" "))?
        }
    };
    if context.json {
        return Out::new().json(&marks(&context.settings, &target)?);
    }
    let (mut out, clock) = (Out::new(), context.clock());
    let shown = told.notes.iter();
    out.lines(shown.map(|it| format!("{} {}", clock.minute(it.at), line(&it.text))))
}

/// What is given, and what is taken.
fn changes(words: &[String]) -> (Vec<String>, Vec<String>) {
    let (taken, given): (Vec<_>, Vec<_>) = words.iter().partition(|it| it.starts_with('-'));
    let bare = |word: &String, sign: char| word.strip_prefix(sign).unwrap_or(word).to_owned();
    let given = given.into_iter().map(|it| bare(it, '+')).collect();
    (given, taken.into_iter().map(|it| bare(it, '-')).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_says_whether_a_tag_is_given_or_taken() {
        let words = |all: &[&str]| all.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        let got = changes(&words(&["+a", "-b", "c", "++d", "-"]));
        assert_eq!(got, (words(&["a", "c", "+d"]), words(&["b", ""])));
    }
}
