//! `taffrail tag` and `taffrail note`

use super::completions::session_ids;
use super::events::refresh;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use crate::terminal::line;
use crate::when;
use serde::Serialize;
use taffrail_api::SCHEMA_VERSION;
use taffrail_daemon::{Remarked, Target, clear_notes, remarks};
use taffrail_model::{SessionId, Timestamp};

/// Give tags to a session, take tags from it, or list those it has
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail tag @last +release +parser       give two
  taffrail tag 3f2a -release                take one away
  taffrail tag 3f2a                         list them
")]
pub(super) struct TagArgs {
    /// The beginning of its id, its agent's own id, @last, or . for this folder
    #[arg(value_name = "ID", add = session_ids())]
    id: String,
    /// +TAG gives one, -TAG takes one away; a bare word is given, too
    #[arg(value_name = "+TAG|-TAG", allow_hyphen_values = true)]
    changes: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Note something on a session, or list the notes on it
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail note @last \"Waits for the security team\"
  taffrail note 3f2a                        list them
  taffrail note 3f2a --clear
")]
pub(super) struct NoteArgs {
    /// The beginning of its id, its agent's own id, @last, or . for this folder
    #[arg(value_name = "ID", add = session_ids())]
    id: String,
    /// What to note; several words make one note
    #[arg(value_name = "TEXT")]
    text: Vec<String>,
    /// Take all notes away
    #[arg(long, conflicts_with = "text")]
    clear: bool,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Serialize)]
struct Told {
    schema_version: u32,
    session_id: SessionId,
    tags: Vec<String>,
    notes: Vec<ToldNote>,
}

#[derive(Debug, Serialize)]
struct ToldNote {
    at: Timestamp,
    text: String,
}

pub(super) fn tag(args: &TagArgs, context: &Context) -> Result<(), CliError> {
    let target = found(context, &args.id)?;
    let (given, taken) = changes(&args.changes);
    let told = match args.changes.is_empty() {
        true => remarks(&context.settings, &target)?,
        false => taffrail_daemon::tag(&context.settings, &target, (&given, &taken))?,
    };
    if args.json {
        return Out::new().json(&document(told));
    }
    let mut out = Out::new();
    for tag in &told.tags {
        out.line(&line(tag))?;
    }
    out.end()
}

pub(super) fn note(args: &NoteArgs, context: &Context) -> Result<(), CliError> {
    let target = found(context, &args.id)?;
    let told = match (args.clear, args.text.as_slice()) {
        (true, _) => clear_notes(&context.settings, &target)?,
        (false, []) => remarks(&context.settings, &target)?,
        (false, words) => taffrail_daemon::note(&context.settings, &target, &words.join(" "))?,
    };
    if args.json {
        return Out::new().json(&document(told));
    }
    let mut out = Out::new();
    for note in &told.notes {
        out.line(&format!("{} {}", when::minute(note.at), line(&note.text)))?;
    }
    out.end()
}

/// The session that is meant, also if it is not indexed yet.
fn found(context: &Context, word: &str) -> Result<Target, CliError> {
    if let Some(client) = &context.client {
        return Ok(Target::Id(context.id(client, word)?));
    }
    let target = context.target(word)?;
    refresh(context, &target)?;
    Ok(target)
}

/// What is given, and what is taken.
fn changes(words: &[String]) -> (Vec<String>, Vec<String>) {
    let (taken, given): (Vec<_>, Vec<_>) = words.iter().partition(|it| it.starts_with('-'));
    let bare = |word: &String, sign: char| word.strip_prefix(sign).unwrap_or(word).to_owned();
    let given = given.into_iter().map(|it| bare(it, '+')).collect();
    (given, taken.into_iter().map(|it| bare(it, '-')).collect())
}

fn document(told: Remarked) -> Told {
    let notes = told.notes.into_iter().map(|it| ToldNote { at: it.at, text: it.text });
    Told {
        schema_version: SCHEMA_VERSION,
        session_id: told.session_id,
        tags: told.tags,
        notes: notes.collect(),
    }
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
