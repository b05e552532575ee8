//! `taffrail agents`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use crate::terminal::{line, pad};

/// List the agents Taffrail knows, and where it found them
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail agents          which agents are here
  taffrail agents --json
")]
pub(super) struct Args {
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let list = taffrail_daemon::agents(&context.settings)?;
    let mut out = Out::new();
    if args.json {
        return out.json(&list);
    }
    out.line(&format!("{} {:>8}  home", pad("agent", 16), "sessions"))?;
    for agent in &list.agents {
        let homes: Vec<_> = agent
            .homes
            .iter()
            .map(|home| format!("{} ({} sources)", line(&home.path), home.sources))
            .collect();
        let homes = if homes.is_empty() { "not found".to_owned() } else { homes.join(", ") };
        out.line(&format!("{} {:>8}  {homes}", pad(&agent.id, 16), agent.sessions))?;
    }
    out.end()
}
