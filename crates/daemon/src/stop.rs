//! Ends an agent that runs in a terminal that Taffrail can reach.

use rustix::process::{Pid, Signal, kill_process};
use taffrail_adapters::by_id;
use taffrail_api::Session;
use taffrail_capture::runs;

/// Why an agent is not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotStopped {
    /// It is not running.
    NotRunning,
    /// It is a sub-agent: its process is that of another session.
    SubAgent,
    /// It runs neither in tmux nor under `taffrail run`; its process may do other things, too.
    Elsewhere(u32),
    /// The process is not this agent, or is gone.
    NotTheAgent(u32),
}

/// The process that ends if the session's agent is stopped.
///
/// # Errors
/// Says why there is none.
pub fn stoppable(session: &Session) -> Result<u32, NotStopped> {
    if session.parent_id.is_some() {
        return Err(NotStopped::SubAgent);
    }
    let pid = session.pid.ok_or(NotStopped::NotRunning)?;
    let executor = session.executor.as_deref().unwrap_or_default();
    if !executor.starts_with("tmux:") && !executor.starts_with("pty:") {
        return Err(NotStopped::Elsewhere(pid));
    }
    let programs = by_id(&session.agent).map_or(&[][..], |it| it.descriptor().processes);
    match runs(pid, programs) {
        true => Ok(pid),
        false => Err(NotStopped::NotTheAgent(pid)),
    }
}

/// Asks the session's agent to end (SIGTERM).
///
/// # Errors
/// Says why it was not asked.
pub fn stop(session: &Session) -> Result<u32, NotStopped> {
    let pid = stoppable(session)?;
    let process = i32::try_from(pid).ok().and_then(Pid::from_raw);
    let process = process.ok_or(NotStopped::NotRunning)?;
    kill_process(process, Signal::TERM).map_err(|_| NotStopped::NotTheAgent(pid))?;
    Ok(pid)
}
