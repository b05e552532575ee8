//! `taffrail export`

use super::completions::session_ids;
use super::events::catch_up;
use super::terminal::{Secrets, print};
use super::which::Which;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, say};
use clap::ValueHint;
use serde_json::json;
use std::path::{Path, PathBuf};
use taffrail_api::{EventLine, SCHEMA_VERSION};
use taffrail_ingest::Scope;
use taffrail_query::{Piece, export_many, export_one};
use taffrail_tui::numbers::counted;
use taffrail_tui::transcript::{Format, Sink, Transcript};
use tempfile::NamedTempFile;

/// Write whole sessions as JSON lines, Markdown or one HTML page
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail export @last --format md                    Markdown on stdout
  taffrail export 3f2a --format html --out talk.html
      one page without external resources
  taffrail export --since 7d --format jsonl
      every event, sub-agents included
  taffrail export @last --format md --redacted
      replace known kinds of secrets
  taffrail export 3f2a --terminal --redacted
      the kept output of its terminal under `run`
")]
pub(super) struct Args {
    /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
    #[arg(value_name = "ID", add = session_ids(), conflicts_with_all = ["agent", "since", "project"])]
    id: Option<String>,
    /// Output format; `--json` alone means jsonl
    #[arg(long, short, value_name = "FORMAT")]
    format: Option<FormatArg>,
    /// Write to this file instead of stdout
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long, requires = "out")]
    force: bool,
    /// Replace known kinds of secrets: keys, tokens, passwords
    #[arg(long)]
    redacted: bool,
    /// Write the kept output of its terminal as text, or with --json as JSON
    #[arg(long, requires = "id", conflicts_with = "format")]
    terminal: bool,
    #[command(flatten)]
    which: Which,
}

// Documented variants would take a paragraph each in the help.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum FormatArg {
    Jsonl,
    #[value(alias = "markdown")]
    Md,
    Html,
}

impl From<FormatArg> for Format {
    fn from(it: FormatArg) -> Self {
        match it {
            FormatArg::Jsonl => Self::Jsonl,
            FormatArg::Md => Self::Md,
            FormatArg::Html => Self::Html,
        }
    }
}

impl Sink for Out {
    type Error = CliError;

    fn line(&mut self, text: &str) -> Result<bool, CliError> {
        Self::line(self, text)
    }

    fn json_line(&mut self, event: &EventLine) -> Result<bool, CliError> {
        Self::json_line(self, event)
    }

    fn end(&mut self) -> Result<(), CliError> {
        Self::end(self)
    }
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    if args.id.is_none() && args.which.since.is_none() {
        return Err(CliError::usage(
            "no session and no time given",
            "taffrail export @last --format md, or taffrail export --since 7d --format jsonl",
        ));
    }
    if args.terminal {
        return terminal(args, context);
    }
    let format = args.format(context.json)?;
    match &args.out {
        None => written(args, format, context, Out::new()).map(|_| ()),
        Some(path) => to_file(args, format, context, path),
    }
}

fn terminal(args: &Args, context: &Context) -> Result<(), CliError> {
    let target = context.found(args.id.as_deref().unwrap_or_default())?;
    let secrets = if args.redacted { Secrets::Redacted } else { Secrets::Shown };
    let Some(path) = &args.out else { return print(context, &target, secrets, Out::new()) };
    file(path, args.force, |out| print(context, &target, secrets, out))?;
    say(&format!("wrote the terminal to {}", path.display()));
    Ok(())
}

impl Args {
    fn format(&self, json: bool) -> Result<Format, CliError> {
        let hint = "taffrail export @last --format md";
        match (self.format, json, &self.out) {
            (None, false, _) => Err(CliError::usage("no format given: --format <FORMAT>", hint)),
            (None, true, _) => Ok(Format::Jsonl),
            (Some(FormatArg::Md | FormatArg::Html), true, None) => {
                let message = "with --json, formats other than jsonl need --out FILE";
                Err(CliError::usage(message, hint))
            }
            (Some(it), ..) => Ok(it.into()),
        }
    }
}

fn to_file(args: &Args, format: Format, context: &Context, path: &Path) -> Result<(), CliError> {
    let sessions = file(path, args.force, |out| written(args, format, context, out))?;
    if context.json {
        let document =
            json!({"schema_version": SCHEMA_VERSION, "file": path, "sessions": sessions});
        return Out::new().json(&document);
    }
    say(&format!("wrote {} to {}", counted(sessions, "session"), path.display()));
    Ok(())
}

/// Writes beside the file and renames, so that it is whole or not there.
fn file<T>(
    path: &Path,
    replace: bool,
    write: impl FnOnce(Out) -> Result<T, CliError>,
) -> Result<T, CliError> {
    check_free(path, replace)?;
    let at_path = |error: std::io::Error| anyhow::anyhow!("{}: {error}", path.display());
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let beside = tempfile::Builder::new().prefix(".taffrail-").tempfile_in(folder);
    let beside = beside.map_err(at_path)?;
    let written = write(Out::to(beside.reopen()?))?;
    beside.as_file().sync_all()?;
    persist(beside, path, replace).map_err(at_path)?;
    Ok(written)
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
        let hint = "name a file, or omit --out to write to stdout";
        return Err(CliError::usage(format!("{shown} exists and is not a file"), hint));
    }
    if !replace {
        let hint = "name another file, or replace it with --force";
        return Err(CliError::usage(format!("{shown} already exists"), hint));
    }
    Ok(())
}

/// Gives the number of sessions.
fn written(args: &Args, format: Format, context: &Context, out: Out) -> Result<u64, CliError> {
    let name = args.which.since.as_ref().map(|since| format!("Sessions since {since}"));
    let mut transcript = Transcript::new(format, out, name, context.clock());
    let mut fault = None;
    let mut give = |piece: Piece| {
        let piece = if args.redacted { piece.redacted() } else { piece };
        let written = match &piece {
            Piece::Session(session) => transcript.session(session),
            Piece::Event(event) => transcript.event(event),
        };
        written.unwrap_or_else(|error| {
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

fn ended(transcript: Transcript<Out>) -> Result<u64, CliError> {
    let sessions = transcript.end()?;
    if sessions == 0 {
        say("no session has anything new since then");
    }
    Ok(sessions)
}

fn one(context: &Context, id: &str, give: &mut dyn FnMut(Piece) -> bool) -> Result<(), CliError> {
    let target = context.found(id)?;
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
