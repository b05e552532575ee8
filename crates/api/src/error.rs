//! Errors in the form programs read.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What kind of failure it is; each has its own exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// Something went wrong.
    Failure,
    /// The question was not understood.
    Usage,
    /// What was asked for is not there.
    NotFound,
    /// Waiting took too long.
    TimedOut,
    /// No daemon answers.
    DaemonUnreachable,
    /// A contract or a rule forbids it.
    Refused,
    /// A person stopped it.
    Interrupted,
}

impl ErrorKind {
    /// The exit code of the command line.
    #[must_use]
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Failure => 1,
            Self::Usage => 2,
            Self::NotFound => 3,
            Self::TimedOut => 4,
            Self::DaemonUnreachable => 5,
            Self::Refused => 6,
            Self::Interrupted => 130,
        }
    }
}

/// A failure: what happened and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ErrorBody {
    /// The exit code.
    pub code: u8,
    /// The kind.
    pub kind: ErrorKind,
    /// What happened.
    pub message: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Trying again may help.
    pub retryable: bool,
    /// The sessions that could be meant, where several could.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
}

/// The document a failure is written as.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Envelope {
    /// The failure.
    pub error: ErrorBody,
}
