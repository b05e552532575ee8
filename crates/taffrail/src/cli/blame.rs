//! `taffrail blame` and `taffrail commits`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, say};
use taffrail_api::client::path;
use taffrail_api::{BlameReply, CommitList};
use taffrail_query::blame::{NoteWish, Writing, caught_up, write_notes};
use taffrail_tui::blame::{commit_rows, hint, note_hint, note_rows, parsed, remarks, rows};

/// Show which session and turn wrote each line of a file
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail blame src/lib.rs:120 --json | jq '.lines[0].reason'
")]
pub(super) struct Args {
    /// The file, or one line of it
    #[arg(value_name = "FILE[:LINE]")]
    file: String,
}

/// List commits with the sessions whose lines they hold
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail commits --since 7d --json | jq '.commits[] | select(.sessions == [])'
  taffrail commits notes HEAD          show the note of a commit for git-ai
  taffrail commits notes --yes         write the notes of the latest commits
")]
#[command(args_conflicts_with_subcommands = true)]
pub(super) struct CommitsArgs {
    #[command(subcommand)]
    action: Option<CommitsAction>,
    /// Only commits since then: 7d, 12h, a date or a time
    #[arg(long, value_name = "WHEN")]
    since: Option<String>,
}

#[derive(Debug, clap::Subcommand)]
enum CommitsAction {
    /// Write which session wrote which lines as notes of git-ai (refs/notes/ai); notes that are there stay
    Notes(NotesArgs),
}

#[derive(Debug, clap::Args)]
struct NotesArgs {
    /// Commits; without any, the latest
    #[arg(value_name = "COMMIT")]
    commits: Vec<String>,
    /// Commits since then: 7d, 12h, a date or a time
    #[arg(long, value_name = "WHEN", conflicts_with = "commits")]
    since: Option<String>,
    /// Write them; without it, only show them
    #[arg(long, short)]
    yes: bool,
    /// Only show them, as without --yes
    #[arg(long, conflicts_with = "yes")]
    dry_run: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    caught_up(&context.settings)?;
    let (file, line) = parsed(&args.file);
    let here = context.env.here.to_string_lossy();
    let line = line.map(|it| it.to_string());
    let mut asked = vec![("path", file), ("here", &*here)];
    asked.extend(line.as_deref().map(|it| ("line", it)));
    let reply: BlameReply = context.questions()?.get(&path("/api/blame", &asked))?;
    if context.json {
        return Out::new().json(&reply);
    }
    // The reply has no text; a file that is gone by now shows empty lines.
    let text = std::fs::read(context.env.here.join(file)).unwrap_or_default();
    Out::paged(context.pager.as_ref()).lines(rows(&reply, &String::from_utf8_lossy(&text)))?;
    remarks(&reply).iter().chain(&hint(&reply)).for_each(|it| say(it));
    Ok(())
}

pub(super) fn commits(args: &CommitsArgs, context: &Context) -> Result<(), CliError> {
    if let Some(CommitsAction::Notes(args)) = &args.action {
        return notes(args, context);
    }
    caught_up(&context.settings)?;
    let here = context.env.here.to_string_lossy();
    let mut asked = vec![("here", &*here)];
    asked.extend(args.since.as_deref().map(|it| ("since", it)));
    let list: CommitList = context.questions()?.get(&path("/api/commits", &asked))?;
    if context.json {
        return Out::new().json(&list);
    }
    Out::paged(context.pager.as_ref()).lines(commit_rows(&list, &context.clock()))
}

fn notes(args: &NotesArgs, context: &Context) -> Result<(), CliError> {
    let wish = NoteWish {
        here: context.env.here.to_string_lossy().into_owned(),
        commits: args.commits.clone(),
        since: args.since.clone(),
        writing: if args.yes && !args.dry_run { Writing::Do } else { Writing::Show },
    };
    let list = write_notes(&context.settings, &wish)?;
    if context.json {
        return Out::new().json(&list);
    }
    Out::paged(context.pager.as_ref()).lines(note_rows(&list))?;
    note_hint(&list).iter().for_each(|it| say(it));
    Ok(())
}
