//! One rule, and whose it is.

use super::decision::Decision;
use super::files::FilePattern;
use super::pattern::Pattern;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Stands for every tool.
pub const ANY_TOOL: &str = "*";

/// Whose rule it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The user's own file.
    User,
    /// A file of the repository, which may deny or ask and never allow.
    Repository,
}

/// One rule, as it is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// What it says.
    pub decision: Decision,
    /// The tool's name, or [`ANY_TOOL`].
    pub tool: String,
    /// The commands it is for. Without one, a rule is for the tool whatever it is given; a rule that
    /// allows then says nothing about commands.
    pub command: Option<Pattern>,
    /// The only agent it is for.
    pub agent: Option<String>,
    /// The only project it is for, with everything below.
    pub project: Option<PathBuf>,
    /// The only files it is for.
    pub files: Option<FilePattern>,
    /// Whose it is.
    pub origin: Origin,
    /// Its place in its file, from 1; 0 for what stands for a whole file.
    pub number: usize,
    /// How it reads.
    pub text: String,
}

impl Rule {
    /// What stands for a file, or a part of one, that cannot be read: it may have denied anything,
    /// so nothing is allowed until it is fixed.
    #[must_use]
    pub fn held_back(origin: Origin, text: String) -> Self {
        Self {
            decision: Decision::Ask,
            tool: ANY_TOOL.to_owned(),
            command: None,
            agent: None,
            project: None,
            files: None,
            origin,
            number: 0,
            text,
        }
    }
}
