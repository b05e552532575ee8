//! Session state as types: every field of the document, and what it says beyond them.

use crate::told::{told, words};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};
use std::collections::BTreeMap;

words! {
    /// How the work is done.
    Mode, MODES {
        /// Looking for a fault.
        Debug = "debug",
        /// As usual.
        Default = "default",
        /// Making it faster.
        Optimize = "optimize",
        /// Preparing a release.
        Release = "release",
    }
}

words! {
    /// How the work stands.
    Status, STATUSES {
        /// It goes on.
        InProgress = "in_progress",
        /// It rests, and can be taken up.
        Paused = "paused",
        /// It is done.
        Completed = "completed",
        /// It failed.
        Error = "error",
        /// It was broken off.
        Aborted = "aborted",
    }
}

words! {
    /// How an agent stands.
    AgentStatus, AGENT_STATUSES {
        /// It has not begun.
        Pending = "pending",
        /// It works.
        Running = "running",
        /// It finished.
        Completed = "completed",
        /// It failed.
        Error = "error",
        /// It took too long.
        Timeout = "timeout",
    }
}

words! {
    /// What came of an agent.
    Outcome, OUTCOMES {
        /// It did what it was asked.
        Success = "success",
        /// It did not.
        Failure = "failure",
        /// It took too long.
        Timeout = "timeout",
        /// It was broken off.
        Aborted = "aborted",
    }
}

words! {
    /// What kind of failure.
    Category, CATEGORIES {
        /// Trying again may help.
        Transient = "transient",
        /// Something ran out.
        Resource = "resource",
        /// Something is set up wrongly.
        Configuration = "configuration",
        /// What was asked makes no sense.
        Logical = "logical",
        /// Trying again will not help.
        Permanent = "permanent",
    }
}

words! {
    /// What happened to a file.
    FileAction, ACTIONS {
        /// It is new.
        Created = "created",
        /// It changed.
        Modified = "modified",
        /// It is gone.
        Deleted = "deleted",
    }
}

words! {
    /// How the last exchange with other devices went.
    SyncStatus, SYNC_STATUSES {
        /// Well.
        Success = "success",
        /// It is still to come.
        Pending = "pending",
        /// Badly.
        Error = "error",
    }
}

words! {
    /// Where it is kept for other devices.
    Storage, BACKENDS {
        /// With another program; we only pass the word on.
        ClaudeDesktop = "claude-desktop",
        /// On this device, in a shared directory, or with a live hub.
        Local = "local",
        /// In an object store, of whatever kind.
        S3 = "s3",
    }
}

/// The state of a piece of work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    /// Where its schema is.
    #[serde(rename = "$schema", default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The version of the document.
    pub schema_version: String,
    /// The session.
    pub session_id: String,
    /// When it began.
    pub created_at: String,
    /// When it last changed.
    pub updated_at: String,
    /// The device it was last changed on.
    pub device: String,
    /// The project's absolute path.
    pub project: String,
    /// What is to be done, in one to three sentences.
    pub goal: String,
    /// How it is done.
    pub mode: Mode,
    /// How it stands.
    pub status: Status,
    /// How much is done, from 0 to 1.
    pub progress: Number,
    /// Who works on it.
    pub agents: Vec<AgentState>,
    /// What is done.
    pub completed_work: Vec<String>,
    /// What is not.
    pub pending_tasks: Vec<String>,
    /// What a person decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decisions_made: Option<Vec<Decision>>,
    /// What happened to files.
    pub files_modified: Vec<FileChange>,
    /// What it cost in context.
    pub context_usage: ContextUsage,
    /// How it gets to other devices.
    pub teleportation: Teleportation,
    /// What else is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<Map<String, Value>>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// An agent at work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgentState {
    /// Unique in the document.
    pub id: String,
    /// What it is for.
    #[serde(rename = "type")]
    pub kind: String,
    /// How it stands.
    pub status: AgentStatus,
    /// When it began.
    #[serde(default, deserialize_with = "told", skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Option<String>>,
    /// When it ended.
    #[serde(default, deserialize_with = "told", skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Option<String>>,
    /// How long it took.
    #[serde(default, deserialize_with = "told", skip_serializing_if = "Option::is_none")]
    pub duration_seconds: Option<Option<Number>>,
    /// How much it has done.
    #[serde(default, deserialize_with = "told", skip_serializing_if = "Option::is_none")]
    pub progress: Option<Option<Number>>,
    /// What came of it.
    #[serde(default, deserialize_with = "told", skip_serializing_if = "Option::is_none")]
    pub result: Option<Option<Outcome>>,
    /// The agent it waits for.
    #[serde(default, deserialize_with = "told", skip_serializing_if = "Option::is_none")]
    pub blocking_on: Option<Option<String>>,
    /// What went wrong.
    #[serde(default, deserialize_with = "told", skip_serializing_if = "Option::is_none")]
    pub error: Option<Option<Failure>>,
    /// What it said in the end.
    #[serde(default, deserialize_with = "told", skip_serializing_if = "Option::is_none")]
    pub output_summary: Option<Option<String>>,
    /// What it left behind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifacts: Option<Artifacts>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// What went wrong.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Failure {
    /// What kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<Category>,
    /// In words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// How often it was tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_count: Option<Number>,
    /// When for the last time.
    #[serde(default, deserialize_with = "told", skip_serializing_if = "Option::is_none")]
    pub last_retry_at: Option<Option<String>>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// What an agent left behind.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Artifacts {
    /// New files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files_created: Option<Vec<String>>,
    /// Changed files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files_modified: Option<Vec<String>>,
    /// Files that are gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files_deleted: Option<Vec<String>>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// What a person decided.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// When.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// About what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Among what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<String>>,
    /// What.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chosen: Option<String>,
    /// Why.
    #[serde(default, deserialize_with = "told", skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<Option<String>>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// What happened to a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FileChange {
    /// Relative to the project.
    pub path: String,
    /// What happened.
    pub action: FileAction,
    /// Who did it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// When, for the last time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<String>,
    /// Lines that came.
    #[serde(default, deserialize_with = "told", skip_serializing_if = "Option::is_none")]
    pub lines_added: Option<Option<Number>>,
    /// Lines that went.
    #[serde(default, deserialize_with = "told", skip_serializing_if = "Option::is_none")]
    pub lines_removed: Option<Option<Number>>,
    /// SHA-256 of it before.
    #[serde(default, deserialize_with = "told", skip_serializing_if = "Option::is_none")]
    pub hash_before: Option<Option<String>>,
    /// SHA-256 of it after.
    #[serde(default, deserialize_with = "told", skip_serializing_if = "Option::is_none")]
    pub hash_after: Option<Option<String>>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// What the work cost in context.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ContextUsage {
    /// Tokens of all agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated_tokens: Option<Number>,
    /// How often context was folded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compression_count: Option<Number>,
    /// When for the last time.
    #[serde(default, deserialize_with = "told", skip_serializing_if = "Option::is_none")]
    pub last_compression: Option<Option<String>>,
    /// Tokens of each agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_agent: Option<BTreeMap<String, Number>>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// How the work gets to other devices.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Teleportation {
    /// It does.
    pub enabled: bool,
    /// When it last did.
    #[serde(default, deserialize_with = "told", skip_serializing_if = "Option::is_none")]
    pub last_sync: Option<Option<String>>,
    /// How that went.
    #[serde(default, deserialize_with = "told", skip_serializing_if = "Option::is_none")]
    pub sync_status: Option<Option<SyncStatus>>,
    /// What went wrong.
    #[serde(default, deserialize_with = "told", skip_serializing_if = "Option::is_none")]
    pub sync_error: Option<Option<String>>,
    /// The devices it was on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub devices: Option<Vec<String>>,
    /// Where it is kept.
    pub storage_backend: Storage,
    /// It is sealed.
    pub encrypted: bool,
    /// With whom it is shared.
    #[serde(default, deserialize_with = "told", skip_serializing_if = "Option::is_none")]
    pub shared_with: Option<Option<Vec<String>>>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}
