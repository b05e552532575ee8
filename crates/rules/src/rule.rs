//! One rule and its origin.

use super::condition::Condition;
use super::decision::Decision;
use super::files::FilePattern;
use super::pattern::Pattern;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Matches every tool.
pub const ANY_TOOL: &str = "*";

/// The origin of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The user's own file.
    User,
    /// A file in the repository, which may deny or ask but never allow.
    Repository,
}

/// One rule, parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The decision.
    pub decision: Decision,
    /// The tool's name, or [`ANY_TOOL`].
    pub tool: String,
    /// The commands it applies to. Without a pattern, a rule applies to the tool with any input; a
    /// rule that allows then does not cover commands.
    pub command: Option<Pattern>,
    /// Limits the rule to one agent.
    pub agent: Option<String>,
    /// Limits the rule to one project and everything below it.
    pub project: Option<PathBuf>,
    /// Limits the rule to some files.
    pub files: Option<FilePattern>,
    /// Limits the rule to times at which this holds.
    pub when: Option<Condition>,
    /// The origin.
    pub origin: Origin,
    /// The position in its file, from 1; 0 for a rule that replaces a whole file.
    pub number: usize,
    /// The rule as text.
    pub text: String,
}

impl Rule {
    /// Replaces a file, or a part of one, that cannot be read: it may have denied anything, so
    /// nothing is allowed until it is fixed.
    #[must_use]
    pub fn held_back(origin: Origin, text: String) -> Self {
        Self {
            decision: Decision::Ask,
            tool: ANY_TOOL.to_owned(),
            command: None,
            agent: None,
            project: None,
            files: None,
            when: None,
            origin,
            number: 0,
            text,
        }
    }
}
