//! The welcome for a new user.

use taffrail_api::{AgentRow, HookRow};

/// The file in our state that records the welcome.
pub(crate) const WELCOMED: &str = "welcomed";

/// Whether the daemon starts at login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    /// The daemon starts at login.
    Installed,
    /// Nothing is installed that starts the daemon.
    Absent,
}

/// What is known about this machine.
#[derive(Debug)]
pub(crate) struct Welcome {
    pub(crate) service: Service,
    /// The agents, and whether they call our hooks; requested once history was read.
    pub(crate) machine: Option<(Vec<AgentRow>, Vec<HookRow>)>,
}
