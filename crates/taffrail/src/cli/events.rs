//! `taffrail events`

use super::completions::session_ids;
use super::index::Bar;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use crate::terminal::{fit, line};
use crate::when;
use std::collections::HashSet;
use taffrail_api::{EventLine, EventsRequest};
use taffrail_daemon::{Budget, DaemonError, Scope, Target, index};
use taffrail_model::{Event, ResumeCursor};

/// Print every event of a session
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail events @last                  one line an event, for reading
  taffrail events 3f2a --json            one JSON object an event
  taffrail events 3f2a --json --after 9c1e02ab77.120
")]
pub(super) struct Args {
    /// The beginning of its id, its agent's own id, @last, or . for this folder
    #[arg(value_name = "ID", add = session_ids())]
    id: String,
    /// Print one JSON object a line
    #[arg(long)]
    pub(super) json: bool,
    /// Only what changed after this cursor (generation.sequence); an unknown one gives everything
    #[arg(long, value_name = "CURSOR")]
    after: Option<String>,
    /// At most so many
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let target = context.target(&args.id)?;
    refresh(context, &target)?;
    let unknown = || ResumeCursor { generation: String::new(), sequence: 0 };
    let after = args.after.as_deref().map(|it| ResumeCursor::parse(it).unwrap_or_else(unknown));
    let request = EventsRequest { after, limit: args.limit, from_end: false };
    print(context, &target, &request, args.json)
}

/// Brings a session up to its sources, unless another program is doing so.
pub(super) fn refresh(context: &Context, target: &Target) -> Result<(), CliError> {
    let places: Result<HashSet<_>, _> = taffrail_daemon::places_of(&context.settings, target);
    let scope = match places {
        Ok(places) => Scope::Sources(places),
        // A session that is not known yet may be on disk.
        Err(DaemonError::Target(_)) => Scope::All,
        Err(error) => return Err(error.into()),
    };
    catch_up(context, &scope)
}

/// Reads what is new, unless another program is doing so.
pub(super) fn catch_up(context: &Context, scope: &Scope) -> Result<(), CliError> {
    let bar = Bar::new();
    let indexed = index(&context.settings, scope, Budget::Whole, &mut |it| bar.show(it));
    bar.end();
    match indexed {
        Ok(_) => Ok(()),
        Err(error) if error.is_busy() => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Prints events until nobody reads any more.
pub(super) fn print(
    context: &Context,
    target: &Target,
    request: &EventsRequest,
    json: bool,
) -> Result<(), CliError> {
    let pager = context.pager.as_ref();
    let mut out = if json { Out::new() } else { Out::paged(pager) };
    let mut fault = None;
    taffrail_daemon::events(&context.settings, target, request, &mut |event| {
        let written = if json { out.json_line(&event) } else { out.line(&readable(&event)) };
        written.unwrap_or_else(|error| {
            fault = Some(error);
            false
        })
    })?;
    match fault {
        Some(error) => Err(error),
        None => out.end(),
    }
}

pub(super) fn readable(event: &EventLine) -> String {
    match event {
        EventLine::Removed(removed) => format!("{:>6} removed {}", removed.sequence, removed.id),
        EventLine::Event(event) => one_line(event),
    }
}

fn one_line(event: &Event) -> String {
    let text = event.text.as_deref().map(line).unwrap_or_default();
    let tool = event.data.get("tool").and_then(|it| it.as_str()).map(line).unwrap_or_default();
    let gap = if tool.is_empty() { "" } else { " " };
    let said = fit(&format!("{tool}{gap}{text}"), 200);
    format!("{} {:<18} {said}", when::minute(event.created_at), event.kind.as_str())
}
