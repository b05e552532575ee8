//! `taffrail export`

use super::completions::session_ids;
use super::events::{catch_up, refresh};
use super::which::Which;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::numbers::counted;
use crate::output::{Out, say};
use crate::transcript::{Format, Transcript};
use clap::ValueHint;
use std::path::{Path, PathBuf};
use taffrail_daemon::{Piece, Scope, export_many, export_one};
use tempfile::NamedTempFile;

/// Write whole sessions as JSON lines, Markdown or one HTML page
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail export @last --format md                    to read or to paste
  taffrail export 3f2a --format html --out talk.html   one page that loads nothing
  taffrail export --since 7d --format jsonl            every event, sub-agents too
  taffrail export @last --format md --redacted         to give away, with secrets taken out
")]
pub(super) struct Args {
    /// The beginning of its id, its agent's own id, @last, or . for this folder
    #[arg(value_name = "ID", add = session_ids(), conflicts_with_all = ["agent", "since", "project"])]
    id: Option<String>,
    /// How it is written
    #[arg(long, short, value_name = "FORMAT")]
    format: Format,
    /// Write this file instead of stdout
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
    /// Replace the file if it is there
    #[arg(long, requires = "out")]
    force: bool,
    /// Take known kinds of secrets out: keys, tokens, passwords
    #[arg(long)]
    redacted: bool,
    #[command(flatten)]
    which: Which,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    if args.id.is_none() && args.which.since.is_none() {
        return Err(CliError::usage(
            "neither a session nor a time was named",
            "taffrail export @last --format md, or taffrail export --since 7d --format jsonl",
        ));
    }
    match &args.out {
        None => written(args, context, Out::new()).map(|_| ()),
        Some(path) => to_file(args, context, path),
    }
}

/// Writes beside the file and renames, so that it is whole or not there.
fn to_file(args: &Args, context: &Context, path: &Path) -> Result<(), CliError> {
    check_free(path, args.force)?;
    let at_path = |error: std::io::Error| anyhow::anyhow!("{}: {error}", path.display());
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let beside = tempfile::Builder::new().prefix(".taffrail-").tempfile_in(folder);
    let beside = beside.map_err(at_path)?;
    let sessions = written(args, context, Out::to(beside.reopen()?))?;
    beside.as_file().sync_all()?;
    persist(beside, path, args.force).map_err(at_path)?;
    say(&format!("wrote {} to {}", counted(sessions, "session"), path.display()));
    Ok(())
}

fn persist(file: NamedTempFile, path: &Path, replace: bool) -> std::io::Result<()> {
    let kept = if replace { file.persist(path) } else { file.persist_noclobber(path) };
    kept.map(|_| ()).map_err(|error| error.error)
}

/// Before anything is read: the file may be written.
fn check_free(path: &Path, replace: bool) -> Result<(), CliError> {
    let Ok(there) = path.symlink_metadata() else { return Ok(()) };
    let shown = path.display();
    if !there.is_file() {
        let hint = "name a file, or leave --out away to write to stdout";
        return Err(CliError::usage(format!("{shown} is there and is no file"), hint));
    }
    if !replace {
        let hint = "name another file, or replace it with --force";
        return Err(CliError::usage(format!("{shown} is there already"), hint));
    }
    Ok(())
}

/// Gives the number of sessions.
fn written(args: &Args, context: &Context, out: Out) -> Result<u64, CliError> {
    let name = args.which.since.as_ref().map(|since| format!("Sessions since {since}"));
    let mut transcript = Transcript::new(args.format, out, name);
    let mut fault = None;
    let mut give = |piece: Piece| {
        let piece = if args.redacted { piece.redacted() } else { piece };
        transcript.piece(piece).unwrap_or_else(|error| {
            fault = Some(error);
            false
        })
    };
    match &args.id {
        Some(id) => one(context, id, &mut give)?,
        None => many(args, context, &mut give)?,
    }
    match fault {
        Some(error) => Err(error),
        None => ended(transcript),
    }
}

fn ended(transcript: Transcript) -> Result<u64, CliError> {
    let sessions = transcript.end()?;
    if sessions == 0 {
        say("no session has anything new since then");
    }
    Ok(sessions)
}

fn one(context: &Context, id: &str, give: &mut dyn FnMut(Piece) -> bool) -> Result<(), CliError> {
    let target = context.target(id)?;
    refresh(context, &target)?;
    Ok(export_one(&context.settings, &target, give)?)
}

fn many(
    args: &Args,
    context: &Context,
    give: &mut dyn FnMut(Piece) -> bool,
) -> Result<(), CliError> {
    let request = args.which.request(context)?;
    catch_up(context, &Scope::All)?;
    Ok(export_many(&context.settings, &request, give)?)
}
