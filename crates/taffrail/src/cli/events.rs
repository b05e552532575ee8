//! `taffrail events`

use super::completions::session_ids;
use super::index::Bar;
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use std::collections::{HashSet, VecDeque};
use taffrail_api::{EventLine, EventsRequest};
use taffrail_context::{Error, Target};
use taffrail_ingest::{Budget, Scope, index};
use taffrail_model::{Event, Kind, ResumeCursor};
use taffrail_tui::terminal::{fit, line, pad};
use taffrail_tui::when::{Clock, SECOND_WIDTH};

/// Print every event of a session
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail events @last                  one line per event
  taffrail events 3f2a --json            one JSON object per event
  taffrail events 3f2a --json --after 9c1e02ab77.120
")]
pub(super) struct Args {
    /// Session id or a prefix of it, the agent's own id, @last, @waiting, or . for this folder
    #[arg(value_name = "ID", add = session_ids())]
    id: String,
    /// Print only changes after this cursor (generation.sequence); an unknown cursor prints everything
    #[arg(long, value_name = "CURSOR")]
    after: Option<String>,
    /// Print at most N events
    #[arg(long, short = 'n', value_name = "N")]
    limit: Option<usize>,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let target = context.found(&args.id)?;
    let unknown = || ResumeCursor { generation: String::new(), sequence: 0 };
    let after = args.after.as_deref().map(|it| ResumeCursor::parse(it).unwrap_or_else(unknown));
    let request = EventsRequest { after, limit: args.limit, from_end: false };
    let which = if context.json { Which::All } else { Which::Text };
    print(context, &target, &request, (which, usize::MAX))
}

/// Brings a session up to its sources, unless another program is doing so.
pub(super) fn refresh(context: &Context, target: &Target) -> Result<(), CliError> {
    let places: Result<HashSet<_>, _> =
        taffrail_query::resolve::places_of(&context.settings, target);
    let scope = match places {
        Ok(places) => Scope::Sources(places),
        // A session that is not indexed may be on disk.
        Err(Error::Target(_)) => Scope::All,
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

/// Which events are printed, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    /// All of them, as JSON.
    All,
    /// All of them, for people.
    Text,
    /// Only what people want to see, as text.
    Told,
}

/// An event that says more than that the agent lives: what a heartbeat and the daemon's conclusions
/// about turns and status tell, others tell too.
pub(super) fn is_told(event: &EventLine) -> bool {
    let EventLine::Event(event) = event else { return true };
    !matches!(
        event.kind,
        Kind::Heartbeat | Kind::TurnStarted | Kind::TurnCompleted | Kind::StatusChanged
    )
}

/// Prints the last of the events until nobody reads any more.
pub(super) fn print(
    context: &Context,
    target: &Target,
    request: &EventsRequest,
    (which, count): (Which, usize),
) -> Result<(), CliError> {
    let is_wanted = |event: &EventLine| which != Which::Told || is_told(event);
    let mut last = VecDeque::new();
    let (mut out, mut fault) = (opened(context, which), None);
    taffrail_query::events::events(&context.settings, target, request, &mut |event| {
        if !is_wanted(&event) {
            return true;
        }
        if which == Which::Told {
            last.push_back(event);
            last.drain(..last.len().saturating_sub(count));
            return true;
        }
        one(&mut out, &event, (which, context)).unwrap_or_else(|error| {
            fault = Some(error);
            false
        })
    })?;
    for event in &last {
        one(&mut out, event, (which, context))?;
    }
    match fault {
        Some(error) => Err(error),
        None => out.end(),
    }
}

fn opened(context: &Context, which: Which) -> Out {
    match which {
        Which::All => Out::new(),
        Which::Text | Which::Told => Out::paged(context.pager.as_ref()),
    }
}

fn one(
    out: &mut Out,
    event: &EventLine,
    (which, context): (Which, &Context),
) -> Result<bool, CliError> {
    match which {
        Which::All => out.json_line(event),
        Which::Text | Which::Told => out.line(&readable(event, &context.clock())),
    }
}

pub(super) fn readable(event: &EventLine, clock: &Clock) -> String {
    match event {
        EventLine::Removed(removed) => format!("{:>6} removed {}", removed.sequence, removed.id),
        EventLine::Event(event) => one_line(event, clock),
    }
}

fn one_line(event: &Event, clock: &Clock) -> String {
    let text = event.text.as_deref().map(line).unwrap_or_default();
    let tool = event.data.get("tool").and_then(|it| it.as_str()).map(line).unwrap_or_default();
    let gap = if tool.is_empty() { "" } else { " " };
    let said = fit(&format!("{tool}{gap}{text}"), 200);
    let at = pad(&clock.second(event.created_at), SECOND_WIDTH);
    format!("{at} {:<18} {said}", event.kind.as_str())
}
