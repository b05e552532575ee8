//! The three decisions.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The effect of a rule, and the decision about a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// The request is allowed.
    Allow,
    /// A person decides.
    Ask,
    /// The request is denied.
    Deny,
}

impl Decision {
    /// The word used in files and replies.
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
