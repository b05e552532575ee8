//! The types of a session state. Unknown fields are kept.

use crate::serde_helpers::nullable;
use crate::vocabulary::{
    AgentStatus, Category, FileAction, Mode, Outcome, Status, Storage, SyncStatus,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};
use std::collections::BTreeMap;

/// The state of a piece of work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// The URL of its schema.
    #[serde(rename = "$schema", default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The version of the document.
    pub schema_version: String,
    /// The session.
    pub session_id: String,
    /// The start time.
    pub created_at: String,
    /// The time of the last change.
    pub updated_at: String,
    /// The device of the last change.
    pub device: String,
    /// The project's absolute path.
    pub project: String,
    /// The goal, in one to three sentences.
    pub goal: String,
    /// The mode of work.
    pub mode: Mode,
    /// The status.
    pub status: Status,
    /// The completed part, from 0 to 1.
    pub progress: Number,
    /// The agents that work on it.
    pub agents: Vec<AgentState>,
    /// Completed items.
    pub completed_work: Vec<String>,
    /// Items that are not completed.
    pub pending_tasks: Vec<String>,
    /// Decisions of the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decisions_made: Option<Vec<Decision>>,
    /// Changed files.
    pub files_modified: Vec<FileChange>,
    /// Context usage.
    pub context_usage: ContextUsage,
    /// Synchronization with other devices.
    pub teleportation: Teleportation,
    /// Additional data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// An agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentState {
    /// Its id, unique in the document.
    pub id: String,
    /// Its purpose.
    #[serde(rename = "type")]
    pub kind: String,
    /// The status.
    pub status: AgentStatus,
    /// The start time.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Option<String>>,
    /// The end time.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Option<String>>,
    /// The duration.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub duration_seconds: Option<Option<Number>>,
    /// The completed part.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub progress: Option<Option<Number>>,
    /// The result.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub result: Option<Option<Outcome>>,
    /// The agent it waits for.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub blocking_on: Option<Option<String>>,
    /// The last failure.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub error: Option<Option<Failure>>,
    /// The agent's final answer.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub output_summary: Option<Option<String>>,
    /// The files it changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifacts: Option<Artifacts>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// A failure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// The category.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// The message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The number of retries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_count: Option<Number>,
    /// The time of the last retry.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub last_retry_at: Option<Option<String>>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// The files that an agent changed.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Artifacts {
    /// New files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files_created: Option<Vec<String>>,
    /// Changed files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files_modified: Option<Vec<String>>,
    /// Deleted files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files_deleted: Option<Vec<String>>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// A decision of the user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// The time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// The question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// The options.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<String>>,
    /// The option chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<String>,
    /// The reason.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<Option<String>>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// A change to a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FileChange {
    /// The path, relative to the project.
    pub path: String,
    /// The kind of change.
    pub action: FileAction,
    /// The agent that changed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The time of the last change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// Lines added.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub lines_added: Option<Option<Number>>,
    /// Lines removed.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub lines_removed: Option<Option<Number>>,
    /// SHA-256 before the change.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub hash_before: Option<Option<String>>,
    /// SHA-256 after the change.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub hash_after: Option<Option<String>>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// Context usage.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContextUsage {
    /// Tokens of all agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_tokens: Option<Number>,
    /// The number of compactions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compression_count: Option<Number>,
    /// The time of the last compaction.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub last_compression: Option<Option<String>>,
    /// Tokens of each agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_agent: Option<BTreeMap<String, Number>>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// The synchronization of the work with other devices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Teleportation {
    /// Whether synchronization is on.
    pub enabled: bool,
    /// The time of the last synchronization.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub last_sync: Option<Option<String>>,
    /// Its result.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub sync_status: Option<Option<SyncStatus>>,
    /// Its error.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub sync_error: Option<Option<String>>,
    /// The devices that have the work.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub devices: Option<Vec<String>>,
    /// The kind of store.
    pub storage_backend: Storage,
    /// Whether the stored data is encrypted.
    pub encrypted: bool,
    /// The users it is shared with.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub shared_with: Option<Option<Vec<String>>>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}
