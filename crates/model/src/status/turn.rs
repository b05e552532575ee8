//! The latest turn of a session, and the end of the session.

use super::mark::Mark;
use crate::Timestamp;

/// How the latest turn stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Turn {
    /// No turn was seen.
    #[default]
    None,
    /// The agent is there and nothing was asked yet.
    Fresh(Mark),
    /// It goes on.
    Open {
        /// Since when.
        since: Timestamp,
        /// What opened it.
        by: Mark,
        /// Someone but the transcript spoke of it.
        told_live: bool,
    },
    /// It is over.
    Over(Over),
}

/// The end of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Over {
    /// What said so first.
    pub(super) by: Mark,
    pub(super) how: How,
    /// When the turn began.
    pub(super) opened: Option<Timestamp>,
    /// The agent itself said so, not only its transcript.
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
    /// The agent says that it does nothing.
    Quiet,
}

/// How a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct End {
    pub(super) by: Mark,
    /// Its process ended, and it said nothing.
    pub(super) died: bool,
}
