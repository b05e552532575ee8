//! Controls of a session.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Asks for a session to be resumed, or whether it could be.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ResumeBody {
    /// Only say what would be done; the default.
    #[serde(default = "yes")]
    pub dry_run: bool,
}

fn yes() -> bool {
    true
}

/// Whether and how a session can be resumed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ResumeReply {
    /// The version of this document.
    pub schema_version: u32,
    /// The session.
    pub session_id: String,
    /// What can be done.
    pub state: ResumeState,
    /// The words of the command, where there is one.
    pub command: Option<Vec<String>>,
    /// The folder it runs in.
    pub cwd: Option<String>,
    /// Why, in words.
    pub reason: String,
    /// Who runs it now.
    pub executor: Option<String>,
}

/// What can be done with a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResumeState {
    /// It runs: commands can be given to it.
    ActiveExecutor,
    /// Its agent can go on with it.
    ResumeAvailable,
    /// It cannot be resumed.
    Unsupported,
}
