//! Ends an agent that runs in a terminal that Taffrail can reach.

use crate::DaemonError;
use crate::refusals::NotStopped;
use rustix::process::{Pid, Signal, kill_process};
use taffrail_adapters::by_id;
use taffrail_api::{SCHEMA_VERSION, StopReply};
use taffrail_capture::runs;
use taffrail_context::{Settings, Target};
use taffrail_model::replication::is_locator;
use taffrail_query::resolve::resolve;
use taffrail_query::status::StatusLookup;

/// What is known of a session's process.
#[derive(Debug, Clone, Copy)]
pub struct Running<'a> {
    /// Its agent.
    pub agent: &'a str,
    /// It is a sub-agent.
    pub is_sub_agent: bool,
    /// Its process.
    pub pid: Option<u32>,
    /// Where that runs.
    pub executor: Option<&'a str>,
}

impl Running<'_> {
    /// The process that ends if the session's agent is stopped.
    ///
    /// # Errors
    /// Says why there is none.
    pub fn stoppable(self) -> Result<u32, NotStopped> {
        if self.is_sub_agent {
            return Err(NotStopped::SubAgent);
        }
        let pid = self.pid.ok_or(NotStopped::NotRunning)?;
        let executor = self.executor.unwrap_or_default();
        if !executor.starts_with("tmux:") && !executor.starts_with("pty:") {
            return Err(NotStopped::Elsewhere(pid));
        }
        let programs = by_id(self.agent).map_or(&[][..], |it| it.descriptor().processes);
        match runs(pid, programs) {
            true => Ok(pid),
            false => Err(NotStopped::NotTheAgent(pid)),
        }
    }

    /// Asks the session's agent to end (SIGTERM).
    ///
    /// # Errors
    /// Says why it was not asked.
    pub fn stop(self) -> Result<u32, NotStopped> {
        let pid = self.stoppable()?;
        let process = i32::try_from(pid).ok().and_then(Pid::from_raw);
        let process = process.ok_or(NotStopped::NotRunning)?;
        kill_process(process, Signal::TERM).map_err(|_| NotStopped::NotTheAgent(pid))?;
        Ok(pid)
    }
}

/// Asks the agent of a session to end, or says which process that would be.
///
/// # Errors
/// When the session cannot be found, or its agent cannot be ended from here.
pub fn stop_session(
    settings: &Settings,
    target: &Target,
    known: StatusLookup<'_>,
    is_dry: bool,
) -> Result<StopReply, DaemonError> {
    let row = resolve(settings, target)?;
    if is_locator(&row.source_uri) {
        return Err(NotStopped::Remote.into());
    }
    let card = known(row.id);
    let running = Running {
        agent: &row.agent,
        is_sub_agent: row.parent.is_some(),
        pid: card.as_ref().and_then(|it| it.process).map(|it| it.pid),
        executor: card.as_ref().and_then(|it| it.executor.as_deref()),
    };
    let pid = if is_dry { running.stoppable() } else { running.stop() }?;
    let (schema_version, session_id) = (SCHEMA_VERSION, row.id.to_string());
    Ok(StopReply { schema_version, session_id, pid, stopped: !is_dry })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_agent_in_a_terminal_that_is_reached_is_ended() {
        let own = std::process::id();
        let it =
            Running { agent: "claude-code", is_sub_agent: false, pid: Some(own), executor: None };
        let check = |it: Running<'_>, expected: NotStopped| {
            assert_eq!(it.stoppable(), Err(expected), "{it:?}");
        };
        check(Running { pid: None, ..it }, NotStopped::NotRunning);
        check(Running { is_sub_agent: true, ..it }, NotStopped::SubAgent);
        check(it, NotStopped::Elsewhere(own));
        check(Running { executor: Some("process:7"), ..it }, NotStopped::Elsewhere(own));
        // This test is not an agent.
        check(Running { executor: Some("tmux:%1"), ..it }, NotStopped::NotTheAgent(own));
        check(
            Running { executor: Some("pty:1"), agent: "none", ..it },
            NotStopped::NotTheAgent(own),
        );
    }
}
