//! The table of agents, and what a user's own agent reads, as lines.

use crate::numbers::counted;
use crate::terminal::{line, pad};
use taffrail_api::{AgentCheck, AgentList, AgentRow};

/// One line for each agent: those that were found with their homes, then the others by name.
#[must_use]
pub fn table(list: &AgentList) -> Vec<String> {
    let (here, mut others): (Vec<_>, Vec<_>) =
        list.agents.iter().partition(|it| !it.homes.is_empty());
    others.sort_by(|one, other| one.id.cmp(&other.id));
    let head = format!("{} read live answers resumes carries sessions  home", pad("agent", 20));
    let mut out: Vec<_> = std::iter::once(head).chain(here.into_iter().map(found)).collect();
    if !others.is_empty() {
        out.extend([String::new(), "not found on this machine:".to_owned()]);
        out.extend(others.into_iter().map(|it| levels(it).trim_end().to_owned()));
    }
    out
}

fn found(agent: &AgentRow) -> String {
    let homes = agent.homes.iter();
    let homes: Vec<_> = homes
        .map(|home| format!("{} ({})", line(&home.path), counted(home.sources, "source")))
        .collect();
    format!("{} {:>8}  {}", levels(agent), agent.sessions, homes.join(", "))
}

/// The name, and what can be done with the agent.
fn levels(agent: &AgentRow) -> String {
    let mark = |is: bool, width: usize| pad(if is { "  ✓" } else { "  ·" }, width);
    let levels = [
        mark(agent.read, 4),
        mark(agent.live, 4),
        mark(agent.answers, 7),
        mark(agent.resumes, 7),
        mark(agent.carries, 7),
    ];
    format!("{} {}", pad(&line(&agent.id), 20), levels.join(" "))
}

/// What a user's own agent reads, and what it does not understand.
#[must_use]
pub fn checked(check: &AgentCheck) -> Vec<String> {
    let mut out: Vec<_> = check.faults.iter().map(|it| format!("✕ {}", line(it))).collect();
    out.push(format!(
        "{}, {}, {}",
        counted(check.sessions, "session"),
        counted(check.prompts, "prompt"),
        counted(check.tool_calls, "tool call"),
    ));
    let unknown = check.unknown.iter();
    out.extend(unknown.map(|it| format!("? {}: {}", line(&it.kind), counted(it.count, "record"))));
    out
}
