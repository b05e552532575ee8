//! The live status of a session, with its evidence.

use std::collections::HashMap;
use std::sync::Arc;
use taffrail_model::evidence::{Evidence, Life};
use taffrail_model::status::Reading;
use taffrail_model::status::StatusRule;
use taffrail_model::{Process, SessionId};

/// The live status of every recent session.
pub type LiveStatuses = HashMap<SessionId, Arc<LiveStatus>>;

/// The live status of one recent session, and its evidence.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveStatus {
    /// The status.
    pub reading: Reading,
    /// The evidence for it, the earliest first.
    pub evidence: Vec<Evidence>,
    /// The process that runs the session.
    pub process: Option<Process>,
    /// Whether that process lives.
    pub life: Life,
    /// The executor of the session, such as `tmux:%3` or `process:417`.
    pub executor: Option<String>,
}

impl LiveStatus {
    /// Whether the status is unknown because the session's device was silent.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.reading.rule == StatusRule::RemoteSilent
    }
}
