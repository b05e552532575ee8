//! The welcome of a newcomer.

use taffrail_api::{AgentRow, HookRow};

/// The file in our state that says that somebody was welcomed.
pub(crate) const WELCOMED: &str = "welcomed";

/// Whether the daemon starts at login.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Service {
    /// It does.
    Installed,
    /// Nothing is installed that starts it.
    Absent,
}

/// What is known of this machine.
#[derive(Debug)]
pub(crate) struct Welcome {
    pub(crate) service: Service,
    /// The agents, and whether they call our hooks; asked for when history was read.
    pub(crate) machine: Option<(Vec<AgentRow>, Vec<HookRow>)>,
}
