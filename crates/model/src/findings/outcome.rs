//! What came out of a session, as far as it is recorded: changed files, commits, answers.

use super::commands::{self, Purpose};
use serde::{Deserialize, Serialize};

/// What came out of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Successful calls of tools that change files. What a shell command changes is not known.
    pub changes: u64,
    /// Successful commands that commit to Git.
    pub commits: u64,
    /// The agent said nothing after the last prompt.
    pub is_unanswered: bool,
}

/// What a call does if it succeeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Effect {
    /// It changes files.
    Change,
    /// It commits to Git.
    Commit,
}

impl Outcome {
    /// Whether nothing came out of it.
    #[must_use]
    pub fn is_nothing(self) -> bool {
        self.changes == 0 && self.commits == 0 && self.is_unanswered
    }

    /// Counts a call that succeeded.
    pub(super) fn add(&mut self, effect: Effect) {
        match effect {
            Effect::Change => self.changes += 1,
            Effect::Commit => self.commits += 1,
        }
    }
}

/// What a call of this purpose with this command does if it succeeds.
pub(super) fn effect(purpose: Purpose, command: &str) -> Option<Effect> {
    match commands::commits(command) {
        true => Some(Effect::Commit),
        false => (purpose == Purpose::Change).then_some(Effect::Change),
    }
}
