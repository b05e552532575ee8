//! Changes, as subscribers of the daemon receive them.

use taffrail_api::{ApprovalRow, EventLine, FindingMessage, Session};
use taffrail_model::SessionId;
use taffrail_model::approval::Verdict;

/// How many messages a subscriber may lag behind before it gets a snapshot instead.
pub(crate) const BACKLOG: usize = 1024;

/// A change of a session. The server renders it once for all subscribers.
#[derive(Debug, Clone)]
pub struct Update {
    /// The session.
    pub session: SessionId,
    /// The session belongs to another device.
    pub is_remote: bool,
    /// The change.
    pub what: UpdateKind,
}

/// The kind of a change.
#[derive(Debug, Clone)]
pub enum UpdateKind {
    /// An event was inserted, changed or removed.
    Event {
        /// The line as `events --json` prints it.
        line: EventLine,
        /// The cursor after it, as `generation.sequence`.
        cursor: String,
    },
    /// An approval changed.
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
    /// Another field of a session's row changed, such as its executor. The status is the same.
    Row {
        /// The session.
        row: Box<Session>,
    },
    /// A session was listed while history is being read. It is not published to other devices.
    Listed {
        /// The session.
        row: Box<Session>,
    },
    /// A finding appeared or ended.
    Finding {
        /// The finding, and which of the two.
        message: Box<FindingMessage>,
    },
}
