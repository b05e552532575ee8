//! The three decisions.

use serde::{Deserialize, Serialize};
use std::fmt;

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
