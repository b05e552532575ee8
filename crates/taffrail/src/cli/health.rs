//! `taffrail daemon health`, also known as `taffrail health`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use taffrail_api::{AdapterHealth, Health, PlaceHealth};
use taffrail_env as env;
use taffrail_tui::numbers::counted;
use taffrail_tui::terminal::{line, pad};
use taffrail_tui::when;

/// Show what the daemon watches, and what it could not read
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail daemon health
  taffrail daemon health --json | jq .problems
")]
pub(super) struct Args {}

pub(super) fn run(context: &Context) -> Result<(), CliError> {
    let Some(client) = &context.client else {
        return Err(CliError::no_daemon("no daemon runs"));
    };
    let health: Health = client.get("/api/health")?;
    let mut out = Out::new();
    if context.json {
        return out.json(&health);
    }
    let up = when::ago(health.started_at, env::now());
    out.line(&format!("up for {up}, version {}, process {}", health.version, health.pid))?;
    let (sources, sessions) =
        (counted(health.sources, "source"), counted(health.sessions, "session"));
    out.line(&format!("{sources}, {sessions}, sub-agents included"))?;
    let streams = counted(health.streams, "stream");
    out.line(&format!("recent sessions: {}, {streams}", health.live_sessions))?;
    if let Some(reading) = health.reading {
        out.line(&format!("reading your history, {} %", reading.percent))?;
    }
    for adapter in &health.adapters {
        out.line(&adapter_line(adapter))?;
    }
    for place in &health.places {
        out.line(&place_line(place))?;
    }
    out.lines(health.problems.iter().map(|problem| format!("not read: {}", line(problem))))
}

/// An agent: how much is known of it, and what of it is not understood.
fn adapter_line(it: &AdapterHealth) -> String {
    let last = it.last_event_at.map_or("never".to_owned(), |at| when::ago(at, env::now()));
    let unknown = match it.unknown_types.as_slice() {
        [] => String::new(),
        types => {
            let types: Vec<_> = types.iter().map(|it| line(it)).collect();
            format!(", {} records not understood: {}", it.unknown_records, types.join(", "))
        }
    };
    format!("{} {} sessions, last event {last}{unknown}", pad(&it.agent, 16), it.sessions)
}

/// A place: how far behind it is, and what was lost on the way.
fn place_line(it: &PlaceHealth) -> String {
    let lag = it.lag_ms.map_or("no change yet".to_owned(), |ms| format!("{ms} ms behind"));
    let told = format!("{} changes, {} merged, {} dropped", it.told, it.coalesced, it.dropped);
    format!("{}: {}, {lag}, {told}", line(&it.root), counted(it.sources, "source"))
}
