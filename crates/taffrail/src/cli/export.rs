//! `taffrail export`

use super::completions::session_ids;
use super::events::catch_up;
use super::terminal::print;
use super::which::Which;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, say};
use clap::ValueHint;
use serde_json::json;
use std::path::{Path, PathBuf};
use taffrail_api::{EventLine, SCHEMA_VERSION};
use taffrail_context::{Error, Existing, NewFile};
use taffrail_ingest::Scope;
use taffrail_query::{Content, Piece, Secrets, export_atif, export_many, export_one, export_otlp};
use taffrail_server::collector::{Address, send};
use taffrail_tui::numbers::counted;
use taffrail_tui::transcript::{Format, Sink, Transcript};

const OTLP: &str = "taffrail export @last --format otlp --to http://127.0.0.1:4318";

/// Write whole sessions as JSON, Markdown, HTML, ATIF or spans
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
  taffrail export 3f2a --format atif                   one trajectory on stdout
  taffrail export 3f2a --format otlp --to http://127.0.0.1:4318
      spans to a collector, without what was said
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
    #[command(flatten)]
    collector: Collector,
    /// Write the kept output of its terminal as text, or with --json as JSON
    #[arg(long, requires = "id", conflicts_with = "format")]
    terminal: bool,
    #[command(flatten)]
    which: Which,
}

#[derive(Debug, clap::Args)]
struct Collector {
    /// Send spans to this collector: https, or http on this machine
    #[arg(long, value_name = "URL", requires = "id", conflicts_with = "out")]
    to: Option<Address>,
    /// Send prompts, answers, inputs and results with the spans
    #[arg(long, requires = "to")]
    content: bool,
}

// Documented variants would take a paragraph each in the help.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum FormatArg {
    Jsonl,
    #[value(alias = "markdown")]
    Md,
    Html,
    Atif,
    Otlp,
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
    if let (Some(FormatArg::Otlp), Some(to)) = (args.format, &args.collector.to) {
        return otlp(args, context, to);
    }
    match &args.out {
        None => written(args, context, Out::new()).map(|_| ()),
        Some(path) => to_file(args, context, path),
    }
}

fn otlp(args: &Args, context: &Context, to: &Address) -> Result<(), CliError> {
    let target = context.found(args.id.as_deref().unwrap_or_default())?;
    let content = if args.collector.content { Content::Sent } else { Content::LeftOut };
    let traces = export_otlp(&context.settings, &target, content)?;
    send(to, &traces.requests).map_err(|error| CliError::failure(error.to_string()))?;
    if context.json {
        return Out::new().json(&json!({"schema_version": SCHEMA_VERSION, "spans": traces.spans}));
    }
    say(&format!("sent {}", counted(traces.spans as u64, "span")));
    Ok(())
}

fn terminal(args: &Args, context: &Context) -> Result<(), CliError> {
    let target = context.found(args.id.as_deref().unwrap_or_default())?;
    let secrets = args.secrets();
    let Some(path) = &args.out else { return print(context, &target, secrets, Out::new()) };
    file(path, args.force, |out| print(context, &target, secrets, out))?;
    say(&format!("wrote the terminal to {}", path.display()));
    Ok(())
}

impl Args {
    /// The format of a transcript; `None` for a trajectory.
    fn format(&self, json: bool) -> Result<Option<Format>, CliError> {
        let hint = "taffrail export @last --format md";
        match (self.format, json, &self.out) {
            _ if self.collector.to.is_some() => {
                Err(CliError::usage("--to needs --format otlp", OTLP))
            }
            (Some(FormatArg::Otlp), ..) => Err(CliError::usage("no collector given: --to", OTLP)),
            (None, false, _) => Err(CliError::usage("no format given: --format <FORMAT>", hint)),
            (Some(FormatArg::Md | FormatArg::Html), true, None) => {
                let message = "with --json, formats other than jsonl need --out FILE";
                Err(CliError::usage(message, hint))
            }
            (None | Some(FormatArg::Jsonl), ..) => Ok(Some(Format::Jsonl)),
            (Some(FormatArg::Md), ..) => Ok(Some(Format::Md)),
            (Some(FormatArg::Html), ..) => Ok(Some(Format::Html)),
            (Some(FormatArg::Atif), ..) => Ok(None),
        }
    }

    fn secrets(&self) -> Secrets {
        if self.redacted { Secrets::Redacted } else { Secrets::Shown }
    }
}

fn to_file(args: &Args, context: &Context, path: &Path) -> Result<(), CliError> {
    let sessions = file(path, args.force, |out| written(args, context, out))?;
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
    let existing = if replace { Existing::Replaced } else { Existing::Kept };
    let new = NewFile::beside(path, existing).map_err(Error::from)?;
    let written = write(Out::to(new.open().map_err(Error::from)?))?;
    new.keep().map_err(Error::from)?;
    Ok(written)
}

/// Gives the number of sessions.
fn written(args: &Args, context: &Context, out: Out) -> Result<u64, CliError> {
    let Some(format) = args.format(context.json)? else { return atif(args, context, out) };
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

fn atif(args: &Args, context: &Context, mut out: Out) -> Result<u64, CliError> {
    let hint = "taffrail export @last --format atif";
    let one = args.id.as_deref().ok_or_else(|| CliError::usage("atif holds one session", hint))?;
    let document = export_atif(&context.settings, &context.found(one)?, args.secrets())?;
    let document = document.ok_or_else(|| CliError::failure("the session says nothing"))?;
    out.json(&document).map(|()| 1)
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
