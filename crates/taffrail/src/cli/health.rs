//! `taffrail health`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use crate::terminal::{line, pad};
use crate::{rim, when};
use taffrail_api::{AdapterHealth, ErrorKind, Health, PlaceHealth};

/// Say how the daemon is: what it sees, and what it could not read
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail health
  taffrail health --json | jq .problems
")]
pub(super) struct Args {
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let Some(client) = &context.client else {
        return Err(CliError {
            kind: ErrorKind::DaemonUnreachable,
            message: "no daemon runs".to_owned(),
            hint: Some("taffrail daemon start".to_owned()),
        });
    };
    let health: Health = client.get("/api/health")?;
    let mut out = Out::new();
    if args.json {
        return out.json(&health);
    }
    let up = when::ago(health.started_at, rim::now());
    out.line(&format!("up for {up}, version {}, process {}", health.version, health.pid))?;
    out.line(&format!("{} sources, {} sessions", health.sources, health.sessions))?;
    out.line(&format!("{} sessions of late, {} streams", health.live_sessions, health.streams))?;
    for adapter in &health.adapters {
        out.line(&adapter_line(adapter))?;
    }
    for place in &health.places {
        out.line(&place_line(place))?;
    }
    for problem in &health.problems {
        out.line(&format!("not read: {}", line(problem)))?;
    }
    out.end()
}

/// An agent: how much is known of it, and what of it is not understood.
fn adapter_line(it: &AdapterHealth) -> String {
    let last = it.last_event_at.map_or("never".to_owned(), |at| when::ago(at, rim::now()));
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
    let lag = it.lag_ms.map_or("nothing read yet".to_owned(), |ms| format!("{ms} ms behind"));
    let told = format!("told {}, {} at once, {} dropped", it.told, it.coalesced, it.dropped);
    format!("{}: {} sources, {lag}, {told}", line(&it.root), it.sources)
}
