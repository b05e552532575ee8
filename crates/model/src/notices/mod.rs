//! What a person is told without having asked: a session waits, a risk is to be decided, a job is done.
//!
//! Pure. What there is to be told comes in as occasions of sessions; what is told, and withdrawn when
//! it is over, comes out. The same occasion is told once, many at once are told in one line, and what
//! is over before it was told is never told.

mod fold;
mod occasion;
mod quiet;
mod words;

pub use fold::{Act, Fold, NoticeState, Shown};
pub use occasion::{Occasion, SessionView, Wanted, Wishes, occasions};
pub use quiet::{Hours, Quiet};

use crate::{SessionId, Timestamp};
use serde::{Deserialize, Serialize};

/// What comes within so many milliseconds is told together; what is over by then is not told.
pub const WINDOW_MS: i64 = 2_000;
/// Between two notices are at least so many milliseconds.
pub const GAP_MS: i64 = 10_000;
/// What was done or found longer ago, in seconds, is not news.
pub const FRESH: i64 = 900;
/// The same for what waits since then: who let it wait for so long knows of it.
pub const STILL: i64 = 12 * 3600;
/// The most occasions that are remembered as told; the oldest that are over make room.
pub const TOLD_KEPT: usize = 2_000;
/// The most notices that can be withdrawn.
pub const SHOWN_KEPT: usize = 100;

/// Why somebody is told, the most pressing last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    /// A long job is done.
    Finished,
    /// A finding of a kind that was asked for.
    Finding,
    /// A session waits for an approval or an answer.
    Waiting,
    /// It waits to be allowed something risky.
    Risky,
}

impl NoticeKind {
    /// As it is written everywhere.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Finished => "finished",
            Self::Finding => "finding",
            Self::Waiting => "waiting",
            Self::Risky => "risky",
        }
    }
}

/// What is told at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// Computed from what it tells of.
    pub id: String,
    /// When it is told.
    pub at: Timestamp,
    /// The most pressing of what it tells of.
    pub kind: NoticeKind,
    /// In a few words.
    pub title: String,
    /// A line more; may be empty.
    pub body: String,
    /// What it tells of.
    pub about: Vec<About>,
}

/// One of the things a notice tells of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// The session.
    pub session_id: SessionId,
    /// Its project, or its agent.
    pub label: String,
    /// Why.
    pub kind: NoticeKind,
    /// In a line, redacted.
    pub says: String,
}

/// An instant so many milliseconds later.
fn after(at: Timestamp, milliseconds: i64) -> Timestamp {
    let at = at.as_millisecond().saturating_add(milliseconds);
    Timestamp::from_millisecond(at).unwrap_or(Timestamp::MAX)
}
