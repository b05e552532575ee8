//! The two ways to go on at a limit, as commands: wait for its reset, or hand over to another agent.

use crate::SessionId;

/// The placeholder where no agent is known to have room.
const ANY_AGENT: &str = "AGENT";

/// The command that sends a prompt when the limit resets, in backticks.
pub(super) fn wait(session: SessionId) -> String {
    format!("`taffrail queue add {} \"go on\" --at-reset`", short(session))
}

/// The command that hands a session over to an agent, in backticks.
pub(super) fn hand_over(session: SessionId, agent: Option<&str>) -> String {
    format!("`taffrail handoff {} --to {}`", short(session), agent.unwrap_or(ANY_AGENT))
}

/// The beginning of an id, which every command accepts.
fn short(session: SessionId) -> String {
    session.to_string().chars().take(8).collect()
}
