//! A session's summary in three short lines, and in a few words when it is over.
//!
//! Heuristics over turns, status and evidence: pure, cheap and deterministic. Everything is
//! redacted before it is shortened, so that no cut leaves half of a secret.

mod activity;
mod command;
pub(crate) mod line;
mod topics;

pub use command::{COMMAND_SECONDS, INPUT_BYTES, Sight, is_answer, may_run, prompt_for, replaced};
pub use topics::{Category, TOPICS};

use crate::evidence::Evidence;
use crate::status::Reading;
use crate::turn::Turn;
use line::{fitted, plain};
use serde::{Deserialize, Serialize};

/// The turns a summary looks at.
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

/// Summarizes a session.
#[must_use]
pub fn summarise(turns: &[Turn], reading: &Reading, evidence: &[Evidence]) -> Summary {
    let latest = latest(turns);
    let prompt = latest.last().map(|it| plain(&it.prompt)).unwrap_or_default();
    Summary {
        current: fitted(&activity::current(latest, reading, evidence), room(CURRENT)),
        recent: activity::recent(latest, room(RECENT)),
        last_prompt: fitted(&prompt.replace('"', "'"), room(LAST_PROMPT) - 2),
    }
}

/// Summarizes a session that is over.
#[must_use]
pub fn finish(turns: &[Turn], reading: &Reading, evidence: &[Evidence]) -> Final {
    Final {
        summary: summarise(turns, reading, evidence),
        topics: topics::topics(turns),
        category: topics::category(turns),
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

fn latest(turns: &[Turn]) -> &[Turn] {
    turns.get(turns.len().saturating_sub(TURNS)..).unwrap_or_default()
}

fn room(begins: &str) -> usize {
    LINE_CHARS - begins.len()
}

#[cfg(test)]
mod tests;
