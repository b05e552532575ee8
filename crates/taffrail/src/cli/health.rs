//! `taffrail health`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use crate::terminal::line;
use crate::{rim, when};
use taffrail_api::{ErrorKind, Health};

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
    for problem in &health.problems {
        out.line(&format!("not read: {}", line(problem)))?;
    }
    out.end()
}
