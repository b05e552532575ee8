//! Rules: what the user, or a repository, has decided about approvals before they are asked for.
//!
//! Pure. A rule that allows believes only commands that every shell reads alike, word by word; a
//! rule that denies or asks looks through whatever it can. Nothing is allowed without a rule.

mod decide;
mod loose;
mod pattern;
mod plain;
mod risk;
mod signs;
mod suggest;
mod typed;
mod warn;

pub use decide::decide;
pub use loose::{Found, commands_in};
pub use pattern::Pattern;
pub use plain::{NotPlain, plain_commands};
pub use risk::{Risk, RiskLevel, risk};
pub use suggest::{Decided, suggestions};
pub use typed::{Fault, Typed};
pub use warn::warnings;

use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

/// The longest command that is looked at, in bytes. A longer one is never allowed by a rule.
pub const COMMAND_BYTES: usize = 64 * 1024;
/// Stands for every tool.
pub const ANY_TOOL: &str = "*";

/// What a rule says, and what is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// It may be done.
    Allow,
    /// A person is asked.
    Ask,
    /// It may not be done.
    Deny,
}

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
    /// Whose it is.
    pub origin: Origin,
    /// Its place in its file, from 1; 0 for what stands for a whole file.
    pub number: usize,
    /// How it reads.
    pub text: String,
}

/// What an agent asks to be allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request<'a> {
    /// The tool, as the agent names it.
    pub tool: &'a str,
    /// The shell command, if the tool runs one.
    pub command: Option<&'a str>,
    /// The agent, if it is known.
    pub agent: Option<&'a str>,
    /// The folder it works in, if it is known.
    pub project: Option<&'a std::path::Path>,
}

/// What the rules say about a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// What is to be done.
    pub decision: Decision,
    /// The rule that says so, if one does.
    pub rule: Option<Rule>,
    /// The reason, in words.
    pub why: String,
}

impl Decision {
    /// As it is written in files and replies.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Rule {
    /// What stands for a file, or a part of one, that cannot be read: it may have denied anything,
    /// so nothing is allowed until it is mended.
    #[must_use]
    pub fn held_back(origin: Origin, text: String) -> Self {
        Self {
            decision: Decision::Ask,
            tool: ANY_TOOL.to_owned(),
            command: None,
            agent: None,
            project: None,
            origin,
            number: 0,
            text,
        }
    }
}
