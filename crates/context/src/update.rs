//! What changed, as subscribers of the daemon receive it.

use taffrail_api::{ApprovalRow, EventLine, FindingMessage, Session};
use taffrail_model::SessionId;
use taffrail_model::approval::Verdict;

/// Messages a listener may be behind before it is cut back to a snapshot.
pub(crate) const BACKLOG: usize = 1024;

/// Something that happened to a session. The server renders it once, however many listen.
#[derive(Debug, Clone)]
pub struct Update {
    /// Whose.
    pub session: SessionId,
    /// It is a session of another device.
    pub is_remote: bool,
    /// What.
    pub what: UpdateKind,
}

/// What happened.
#[derive(Debug, Clone)]
pub enum UpdateKind {
    /// An event was inserted, changed or removed.
    Event {
        /// The line as `events --json` prints it.
        line: EventLine,
        /// Where to go on after it, as `generation.sequence`.
        cursor: String,
    },
    /// A request for approval changed.
    Approval {
        /// The request as `approvals --json` prints it.
        row: Box<ApprovalRow>,
        /// The decision, if there is one.
        verdict: Option<Verdict>,
    },
    /// A session's status changed: the session as `ls --json` prints it.
    Status {
        /// The session.
        row: Box<Session>,
    },
    /// History is being read, and the session is known so far. Other devices do not hear of it.
    Listed {
        /// The session.
        row: Box<Session>,
    },
    /// A finding came or is over.
    Finding {
        /// The finding, and which of both.
        message: Box<FindingMessage>,
    },
}
