//! The latest turn of a session, and the end of the session.

use super::mark::Mark;
use crate::Timestamp;

/// The state of the latest turn.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Turn {
    /// No turn was seen.
    #[default]
    None,
    /// The agent is present and has no prompt.
    Fresh(Mark),
    /// The turn is open.
    Open {
        /// When it began.
        since: Timestamp,
        /// What opened it.
        by: Mark,
        /// A source other than the transcript reported it.
        told_live: bool,
    },
    /// The turn is over.
    Over(Over),
}

/// The end of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Over {
    /// The first evidence of the end.
    pub(super) by: Mark,
    pub(super) how: How,
    /// When the turn began.
    pub(super) opened: Option<Timestamp>,
    /// The agent itself reported the end, not only its transcript.
    pub(super) confirmed: Option<usize>,
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// The agent stopped by itself.
    Stopped,
    /// A person stopped it.
    Interrupted,
    /// An error stopped it.
    Failed,
    /// The agent reports that it is idle.
    Quiet,
}

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct End {
    pub(super) by: Mark,
    /// The process ended without a report.
    pub(super) died: bool,
}
