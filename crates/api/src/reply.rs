//! Replies of the API.

use crate::SCHEMA_VERSION;
use crate::cost::SessionCost;
use crate::schema;
use crate::usage::Usage;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use taffrail_model::status::{Group, Status, WaitingFor};
use taffrail_model::{
    Confidence, Event, EventId, Imported, Kind, Lifecycle, Lineage, RuntimeSessionId, SessionId,
    Timestamp,
};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{OneOfBuilder, Ref, Schema};
use utoipa::{PartialSchema, ToSchema};

/// What a run of the index came to.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct IndexReport {
    /// Of this document.
    pub schema_version: u32,
    /// Sources there are.
    pub sources: u64,
    /// Bytes read in this run.
    pub bytes_read: u64,
    /// Records read in this run.
    pub records: u64,
    /// Of these, of a type no adapter knows.
    pub unknown_records: u64,
    /// Events inserted, changed or removed in this run.
    pub events: u64,
    /// Sessions known now, sub-agents included.
    pub sessions: u64,
    /// Of these, sub-agents.
    #[serde(default)]
    pub sub_agents: u64,
    /// Sessions whose transcripts are gone and of which only prompts are left; `sessions` does not
    /// count them.
    #[serde(default)]
    pub prompts_only_sessions: u64,
    /// Their prompts.
    #[serde(default)]
    pub prompts_only_prompts: u64,
    /// Sessions whose transcripts their agents will delete within seven days.
    #[serde(default)]
    pub deleted_within_week: u64,
    /// How long it took.
    pub elapsed_ms: u64,
}

/// A session in a list.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own in the reply")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Session {
    /// The durable session.
    #[schema(value_type = schema::SessionId)]
    pub id: SessionId,
    /// The device it is on; `null` for this one while it has no name.
    pub device: Option<String>,
    /// Its agent.
    pub agent: String,
    /// Its agent's id for it.
    #[schema(value_type = String)]
    pub runtime_session_id: RuntimeSessionId,
    /// Its title.
    pub title: Option<String>,
    /// The title is the beginning of its first prompt, not a title anyone gave.
    pub title_derived: bool,
    /// A name from its last prompt and its current activity, while it lives and its agent gives it
    /// none; left out otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_title: Option<String>,
    /// Where it works.
    pub project_path: Option<String>,
    /// The branch last seen.
    pub git_branch: Option<String>,
    /// The model last seen.
    pub model: Option<String>,
    /// Where it is in its life.
    #[schema(value_type = schema::Lifecycle)]
    pub lifecycle: Lifecycle,
    /// When it began.
    #[schema(value_type = Option<schema::Instant>)]
    pub started_at: Option<Timestamp>,
    /// Its latest event.
    #[schema(value_type = Option<schema::Instant>)]
    pub last_event_at: Option<Timestamp>,
    /// Turns.
    pub turns: u64,
    /// Prompts.
    pub prompts: u64,
    /// Tool calls.
    pub tool_calls: u64,
    /// Errors, and calls that failed; left out where there were none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub failures: u64,
    /// What it spent itself, its workers not counted.
    pub usage: Usage,
    /// What it cost itself, in millionths of a US dollar: what its agent reported, else the list
    /// price of its answers; `null` if nothing is known.
    pub cost_microdollars: Option<i64>,
    /// Where that figure comes from.
    #[serde(default)]
    pub cost: SessionCost,
    /// The session it works for: workers only.
    #[schema(value_type = Option<schema::SessionId>)]
    pub parent_id: Option<SessionId>,
    /// Where it comes from.
    #[schema(value_type = Option<schema::Lineage>)]
    pub lineage: Option<Lineage>,
    /// Where its history is.
    pub source_uri: String,
    /// What is new in it is captured; `false` after `capture off`.
    pub captured: bool,
    /// Its group on every screen.
    #[schema(value_type = schema::Group)]
    pub group: Group,
    /// It broke down: killed in the middle of a turn, lost, or given up after an error.
    #[serde(default)]
    pub failed: bool,
    /// Its status.
    #[schema(value_type = schema::Status)]
    pub status: Status,
    /// Since when; `null` where nothing is known of it.
    #[schema(value_type = Option<schema::Instant>)]
    pub status_since: Option<Timestamp>,
    /// What it waits for.
    #[schema(value_type = Option<schema::WaitingFor>)]
    pub waiting_for: Option<WaitingFor>,
    /// How sure the status is.
    #[schema(value_type = schema::Confidence)]
    pub confidence: Confidence,
    /// The process that runs it, while it lives.
    pub pid: Option<u32>,
    /// Where commands for it could go, as `tmux:%3` or `process:417`.
    pub executor: Option<String>,
    /// Its latest prompt, while it is recent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<schema::Instant>)]
    pub last_user_prompt_at: Option<Timestamp>,
    /// The agent's latest message, call or stop, while the session is recent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<schema::Instant>)]
    pub last_assistant_output_at: Option<Timestamp>,
    /// The open turn; left out where none is open or known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active_turn_id: Option<String>,
    /// The request for approval that can be answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending_approval_id: Option<String>,
    /// The kinds of what was found about it, as `stuck`; left out where nothing was.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<String>,
    /// The tags a person gave it, in lists; left out where it has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// A person gave it a star; left out otherwise.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub starred: bool,
    /// The status in the document, if the session is an imported one; left out otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<schema::Imported>)]
    pub imported: Option<Imported>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// A list of sessions, the latest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SessionList {
    /// Of this document.
    pub schema_version: u32,
    /// The sessions.
    pub sessions: Vec<Session>,
}

/// An event that was removed, as followers receive it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Removed {
    /// Always `event.removed`.
    #[schema(value_type = schema::Kind)]
    pub kind: Kind,
    /// Which event.
    #[schema(value_type = String)]
    pub id: EventId,
    /// Of which session.
    #[schema(value_type = schema::SessionId)]
    pub session_id: SessionId,
    /// The change's number.
    pub sequence: u64,
    /// Which numbering.
    pub generation: String,
}

/// One line of `events`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum EventLine {
    /// It is valid.
    Event(Box<Event>),
    /// It no longer does.
    Removed(Removed),
}

impl EventLine {
    /// The change's number.
    #[must_use]
    pub fn sequence(&self) -> u64 {
        match self {
            Self::Event(event) => event.sequence,
            Self::Removed(removed) => removed.sequence,
        }
    }
}

impl PartialSchema for EventLine {
    fn schema() -> RefOr<Schema> {
        let either = OneOfBuilder::new().item(Ref::from_schema_name("Event"));
        either.item(Ref::from_schema_name("Removed")).into()
    }
}

impl ToSchema for EventLine {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push(("Event".to_owned(), schema::Event::schema()));
        schemas.push(("Removed".to_owned(), Removed::schema()));
        schema::Event::schemas(schemas);
        Removed::schemas(schemas);
    }
}

/// An agent's home that was looked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentHome {
    /// Where.
    pub path: String,
    /// Sources found in it.
    pub sources: u64,
}

/// What is known of an agent on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each level of an agent is a flag of the contract"
)]
pub struct AgentRow {
    /// Its id.
    pub id: String,
    /// Its name for people.
    pub label: String,
    /// Homes that exist; none means that it was not found.
    pub homes: Vec<AgentHome>,
    /// Sessions indexed, sub-agents not counted.
    pub sessions: u64,
    /// Sub-agents indexed.
    #[serde(default)]
    pub sub_agents: u64,
    /// A session can be resumed by its id.
    pub resume_by_id: bool,
    /// Its sessions are read.
    #[serde(default)]
    pub read: bool,
    /// What it does now is known without its screen.
    #[serde(default)]
    pub live: bool,
    /// Its requests are answered.
    #[serde(default)]
    pub answers: bool,
    /// Its sessions are resumed by their id.
    #[serde(default)]
    pub resumes: bool,
    /// Its sessions are carried to another machine.
    #[serde(default)]
    pub carries: bool,
    /// The test that shows each of these, by its name.
    #[serde(default)]
    pub tests: BTreeMap<String, String>,
    /// From where its format is known: `recorded`, `source` or `documented`.
    #[serde(default)]
    pub evidence: String,
}

/// What an agent that a user described reads.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentCheck {
    /// Of this document.
    pub schema_version: u32,
    /// Sessions.
    pub sessions: u64,
    /// Prompts.
    pub prompts: u64,
    /// Tool calls.
    pub tool_calls: u64,
    /// Records that were not understood.
    pub unknown_records: u64,
    /// Their kinds.
    pub unknown: Vec<UnknownKind>,
    /// What is wrong with the file, or could not be read.
    pub faults: Vec<String>,
}

/// A kind of record that was not understood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnknownKind {
    /// The kind, in the agent's words.
    pub kind: String,
    /// How many.
    pub count: u64,
}

/// A fixture that was made from a user's history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentRecorded {
    /// Of this document.
    pub schema_version: u32,
    /// The agent.
    pub agent: String,
    /// The files, below `home` in the folder.
    pub files: Vec<String>,
}

/// The agents this program knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AgentList {
    /// Of this document.
    pub schema_version: u32,
    /// The agents.
    pub agents: Vec<AgentRow>,
}

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckStatus {
    /// As it should be.
    Ok,
    /// Worth knowing.
    Warning,
    /// Wrong.
    Failed,
}

/// One check of `doctor`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Check {
    /// Which check.
    pub id: String,
    /// How it came out.
    pub status: CheckStatus,
    /// What was seen.
    pub evidence: String,
    /// What to do about it.
    pub fix: Option<String>,
}

/// What `doctor` found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Doctor {
    /// Of this document.
    pub schema_version: u32,
    /// The checks, in the order they were made.
    pub checks: Vec<Check>,
}

impl Doctor {
    /// Wraps checks.
    #[must_use]
    pub fn new(checks: Vec<Check>) -> Self {
        Self { schema_version: SCHEMA_VERSION, checks }
    }
}
