//! `taffrail agents`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use taffrail_api::AgentList;
use taffrail_tui::numbers::counted;
use taffrail_tui::terminal::{line, pad};

/// List the supported agents and their homes on this machine
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail agents          each agent, its sessions and its home
  taffrail agents --json
")]
pub(super) struct Args {}

pub(super) fn run(context: &Context) -> Result<(), CliError> {
    let list: AgentList = context.questions()?.get("/api/agents")?;
    let mut out = Out::new();
    if context.json {
        return out.json(&list);
    }
    out.line(&format!("{} {:>8} {:>10}  home", pad("agent", 16), "sessions", "sub-agents"))?;
    for agent in &list.agents {
        let homes: Vec<_> = agent
            .homes
            .iter()
            .map(|home| format!("{} ({})", line(&home.path), counted(home.sources, "source")))
            .collect();
        let homes = if homes.is_empty() { "not found".to_owned() } else { homes.join(", ") };
        let (sessions, sub_agents) = (agent.sessions, agent.sub_agents);
        out.line(&format!("{} {sessions:>8} {sub_agents:>10}  {homes}", pad(&agent.id, 16)))?;
    }
    out.end()
}
