//! The table of agents, and what a user's own agent reads, as lines.

use crate::numbers::counted;
use crate::terminal::{line, pad};
use taffrail_api::{AgentCheck, AgentList, AgentRow};

/// One line for each agent, those that were found first.
#[must_use]
pub fn table(list: &AgentList) -> Vec<String> {
    let head = "read live answers resumes carries sessions";
    let (here, others): (Vec<_>, Vec<_>) = list.agents.iter().partition(|it| !it.homes.is_empty());
    let head = format!("{} {head}  home", pad("agent", 20));
    std::iter::once(head).chain(here.into_iter().chain(others).map(row)).collect()
}

fn row(agent: &AgentRow) -> String {
    let mark = |is: bool, width: usize| pad(if is { "  ✓" } else { "  ·" }, width);
    let levels = [
        mark(agent.read, 4),
        mark(agent.live, 4),
        mark(agent.answers, 7),
        mark(agent.resumes, 7),
        mark(agent.carries, 7),
    ];
    let homes: Vec<_> = agent
        .homes
        .iter()
        .map(|home| format!("{} ({})", line(&home.path), counted(home.sources, "source")))
        .collect();
    let homes = if homes.is_empty() { "not found".to_owned() } else { homes.join(", ") };
    let levels = levels.join(" ");
    format!("{} {levels} {:>8}  {homes}", pad(&line(&agent.id), 20), agent.sessions)
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
