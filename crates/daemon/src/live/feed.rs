//! What the loop tells everybody who listens.

use std::sync::Arc;
use taffrail_model::SessionId;

/// Messages a listener may be behind before it is cut back to a snapshot.
pub(crate) const BEHIND: usize = 1024;

/// Something that happened to a session. Written as JSON once, however many listen.
#[derive(Debug, Clone)]
pub struct Told {
    /// Whose.
    pub session: SessionId,
    /// It is a session of another device.
    pub is_remote: bool,
    /// What.
    pub what: What,
}

/// What happened.
#[derive(Debug, Clone)]
pub enum What {
    /// An event was inserted, changed or removed: one line as `events --json` prints it.
    Event {
        /// The line.
        line: Arc<str>,
        /// Where to go on after it, as `generation.sequence`.
        cursor: String,
    },
    /// A request for approval stands differently.
    Approval {
        /// The request as `approvals --json` prints it.
        row: Arc<str>,
        /// The decision, or `null`.
        verdict: Arc<str>,
    },
    /// It stands differently: the session as `ls --json` prints it.
    Status {
        /// The session's row.
        row: Arc<str>,
    },
    /// A finding came or is over.
    Finding {
        /// The finding, and which of both.
        line: Arc<str>,
    },
}
