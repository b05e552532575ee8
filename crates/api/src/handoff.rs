//! The handoff of a session: a short brief made from the captured history.

use crate::schema;
use serde::{Deserialize, Serialize};
use taffrail_model::{Imported, SessionId, Timestamp};
use utoipa::ToSchema;

/// A brief of a session. All that an agent or a person wrote in it is redacted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Handoff {
    /// Of this document.
    pub schema_version: u32,
    /// The session.
    #[schema(value_type = schema::SessionId)]
    pub session_id: SessionId,
    /// Its agent.
    pub agent: String,
    /// The model last seen.
    pub model: Option<String>,
    /// Where it works.
    pub project_path: Option<String>,
    /// The branch last seen.
    pub git_branch: Option<String>,
    /// The commit checked out there.
    pub git_commit: Option<String>,
    /// What it is for.
    pub goal: String,
    /// Its status.
    pub status: String,
    /// The status in the document, if the session is an imported one; left out otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<schema::Imported>)]
    pub imported: Option<Imported>,
    /// The agents that an imported document names; left out otherwise.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<HandoffAgent>,
    /// What it waits for.
    pub waiting_for: Option<String>,
    /// What a person decided.
    pub decisions: Vec<HandoffDecision>,
    /// Files it changed.
    pub files: Vec<HandoffFile>,
    /// The command that failed last and did not succeed since.
    pub failing: Option<HandoffFailure>,
    /// What its provider last failed at.
    pub error: Option<String>,
    /// What is left to do.
    pub open_tasks: Vec<String>,
    /// What is done.
    pub done_tasks: Vec<String>,
    /// The latest turns, the earliest first.
    pub turns: Vec<HandoffTurn>,
    /// How to go on with it.
    pub resume: HandoffResume,
    /// The same as Markdown, for a person or another agent.
    pub markdown: String,
}

/// An agent that an imported document names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HandoffAgent {
    /// Its id in the document.
    pub id: String,
    /// Its purpose.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its status in the document.
    pub status: String,
    /// Its summary of its work.
    pub summary: Option<String>,
}

/// What a person decided in a session, as far as its latest events tell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionDecisions {
    /// Of this document.
    pub schema_version: u32,
    /// The session.
    #[schema(value_type = schema::SessionId)]
    pub session_id: SessionId,
    /// The latest decisions, the earliest first.
    pub decisions: Vec<HandoffDecision>,
}

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HandoffDecision {
    /// When; `null` if an imported document does not say it.
    #[schema(value_type = Option<schema::Instant>)]
    pub at: Option<Timestamp>,
    /// About what.
    pub context: String,
    /// What.
    pub chosen: String,
}

/// A file that was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HandoffFile {
    /// Relative to the project.
    pub path: String,
    /// `created`, `modified` or `deleted`.
    pub action: String,
}

/// A command that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HandoffFailure {
    /// The command.
    pub command: String,
    /// Its exit code, where it is known.
    pub exit_code: Option<i64>,
    /// The end of its output.
    pub output: String,
}

/// A turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HandoffTurn {
    /// When it was asked.
    #[schema(value_type = schema::Instant)]
    pub at: Timestamp,
    /// What was asked, cut.
    pub prompt: String,
    /// The end of what was answered.
    pub answer: String,
}

/// How to go on with a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HandoffResume {
    /// The agent's own id for it.
    pub runtime_session_id: String,
    /// The words of the command; empty where the agent cannot resume it.
    pub command: Vec<String>,
    /// The folder to run it in.
    pub cwd: Option<String>,
}
