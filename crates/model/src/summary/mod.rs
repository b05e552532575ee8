//! A session's summary in three short lines, and in a few words when it is over.
//!
//! Heuristics over turns, status and evidence: pure, cheap and deterministic. Everything is
//! redacted before it is shortened, so that no cut leaves half of a secret.

mod activity;
mod auto_title;
mod command;
pub(crate) mod line;
mod topics;

pub use auto_title::auto_title;
pub use command::{
    COMMAND_SECONDS, INPUT_BYTES, Sight, Since, is_answer, may_run, prompt_for, replaced,
};
pub use topics::{Category, TOPICS};

use crate::evidence::Evidence;
use crate::status::Reading;
use crate::turn::Turn;
use line::{fitted, plain};
use serde::{Deserialize, Serialize};

/// The turns a summary looks at, unless the user set another number.
pub const TURNS: usize = 5;
/// The longest line, in characters, including its label.
pub const LINE_CHARS: usize = 120;

const CURRENT: &str = "Current: ";
const RECENT: &str = "Recent: ";
const LAST_PROMPT: &str = "Last prompt: ";

/// The summary of a session. Each part is one line without control characters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    /// The current activity, or what the session waits for.
    pub current: String,
    /// What was done in its latest turns.
    pub recent: String,
    /// The last prompt.
    pub last_prompt: String,
}

/// The summary of a session that is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Final {
    /// The last summary.
    pub summary: Summary,
    /// Frequent words, files and tools, the most important first.
    pub topics: Vec<String>,
    /// The kind of work.
    pub category: Category,
}

/// What a summary is made of.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// All known turns.
    pub turns: &'a [Turn],
    /// The status.
    pub reading: &'a Reading,
    /// The evidence for it.
    pub evidence: &'a [Evidence],
    /// What a finding about the session says.
    pub remark: Option<&'a str>,
    /// How many of the latest turns count.
    pub last: usize,
}

impl<'a> Subject<'a> {
    /// A session without a finding, by its usual number of turns.
    #[must_use]
    pub fn new(turns: &'a [Turn], reading: &'a Reading, evidence: &'a [Evidence]) -> Self {
        Self { turns, reading, evidence, remark: None, last: TURNS }
    }

    /// The latest turns, as many as count.
    #[must_use]
    pub fn latest(&self) -> &'a [Turn] {
        self.turns.get(self.turns.len().saturating_sub(self.last)..).unwrap_or_default()
    }
}

/// Summarizes a session.
#[must_use]
pub fn summarise(subject: &Subject<'_>) -> Summary {
    let latest = subject.latest();
    let prompt = latest.last().map(|it| plain(&it.prompt)).unwrap_or_default();
    Summary {
        current: fitted(&activity::current(latest, subject), room(CURRENT)),
        recent: activity::recent(latest, room(RECENT)),
        last_prompt: fitted(&prompt.replace('"', "'"), room(LAST_PROMPT) - 2),
    }
}

/// Summarizes a session that is over.
#[must_use]
pub fn finish(subject: &Subject<'_>) -> Final {
    Final {
        summary: summarise(subject),
        topics: topics::topics(subject.turns),
        category: topics::category(subject.turns),
    }
}

impl Summary {
    /// The three lines as shown to the user, each at most [`LINE_CHARS`] long.
    #[must_use]
    pub fn lines(&self) -> [String; 3] {
        [
            format!("{CURRENT}{}", self.current),
            format!("{RECENT}{}", self.recent),
            format!("{LAST_PROMPT}\"{}\"", self.last_prompt),
        ]
    }
}

fn room(begins: &str) -> usize {
    LINE_CHARS - begins.len()
}

#[cfg(test)]
mod tests;
