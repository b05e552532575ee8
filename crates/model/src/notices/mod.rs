//! Notices: unrequested messages to a person. A session waits, a risk needs a decision, a job is
//! done.
//!
//! Pure. Occasions of sessions come in; notices to send, and to withdraw when they are obsolete,
//! come out. Each occasion is announced once, simultaneous occasions share one notice, and an
//! occasion that ends before its announcement is never announced.

mod fold;
mod occasion;
mod quiet;
mod words;

pub use fold::{Act, Fold, NoticeState, Shown};
pub use occasion::{Occasion, SessionView, Wanted, Wishes, occasions};
pub use quiet::{Hours, Quiet};

use crate::{ApprovalId, SessionId, Timestamp};
use serde::{Deserialize, Serialize};

/// Occasions within this many milliseconds share a notice; one that ends within it is dropped.
pub const WINDOW_MS: i64 = 2_000;
/// The minimum gap between two notices, in milliseconds.
pub const GAP_MS: i64 = 10_000;
/// The age in seconds at which a result or finding is no longer news.
pub const FRESH: i64 = 900;
/// The same for sessions that wait: after this long, the user knows.
pub const STILL: i64 = 12 * 3600;
/// The most announced occasions remembered; the oldest that are over are forgotten first.
pub const TOLD_KEPT: usize = 2_000;
/// The most notices that can be withdrawn.
pub const SHOWN_KEPT: usize = 100;

/// The reason for a notice, the most urgent last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    /// A turn ended, however short, and the session waits for a prompt.
    Input,
    /// A long job is done.
    Finished,
    /// A finding of a kind that the user selected.
    Finding,
    /// A session waits for an approval or an answer.
    Waiting,
    /// A session waits for the approval of something risky.
    Risky,
}

impl NoticeKind {
    /// The word used in JSON and messages.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Finished => "finished",
            Self::Finding => "finding",
            Self::Waiting => "waiting",
            Self::Risky => "risky",
        }
    }
}

/// One notice, sent at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// Computed from its subjects.
    pub id: String,
    /// When it was sent.
    pub at: Timestamp,
    /// The most urgent kind among its subjects.
    pub kind: NoticeKind,
    /// A short title.
    pub title: String,
    /// One more line; may be empty.
    pub body: String,
    /// The subjects.
    pub about: Vec<About>,
}

/// One subject of a notice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// The session.
    pub session_id: SessionId,
    /// Its project, or its agent.
    pub label: String,
    /// The reason.
    pub kind: NoticeKind,
    /// One line, redacted.
    pub says: String,
    /// The request for approval, if it is about one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<ApprovalId>,
}

/// The instant this many milliseconds later.
fn after(at: Timestamp, milliseconds: i64) -> Timestamp {
    let at = at.as_millisecond().saturating_add(milliseconds);
    Timestamp::from_millisecond(at).unwrap_or(Timestamp::MAX)
}
