//! A page of the list of sessions, and what a person adds to a session.

use crate::Session;
use crate::schema;
use serde::{Deserialize, Serialize};
use taffrail_model::{EventId, SessionId, Timestamp};
use utoipa::{IntoParams, ToSchema};

/// A page of the list of sessions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SessionPage {
    /// Of this document.
    pub schema_version: u32,
    /// How many sessions the whole list has.
    pub total: u64,
    /// The value of `after` for the page after this one; `null` on the last.
    pub next: Option<String>,
    /// The sessions of this page.
    pub sessions: Vec<Session>,
    /// The whole list, counted by what its sessions have in common; left out unless it is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facets: Option<Facets>,
}

/// A list of sessions, counted by what they have in common. A session for which something is not
/// known does not count there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Facets {
    /// By project folder.
    pub project: Vec<Facet>,
    /// By agent.
    pub agent: Vec<Facet>,
    /// By the model last seen.
    pub model: Vec<Facet>,
    /// By the branch last seen.
    pub branch: Vec<Facet>,
    /// By device; `here` is this one while it has no name.
    pub device: Vec<Facet>,
    /// By the person's tags.
    pub tag: Vec<Facet>,
    /// By status.
    pub status: Vec<Facet>,
}

/// How many sessions have something in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Facet {
    /// What they have in common.
    pub key: String,
    /// How many.
    pub sessions: u64,
}

/// What to add to a session, and what to take away.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MarksBody {
    /// Tags to add.
    pub add: Vec<String>,
    /// Tags to remove.
    pub remove: Vec<String>,
    /// Whether it has a star.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub starred: Option<bool>,
    /// Its title, which wins over the agent's; an empty one gives the agent's back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// A note to add.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What a person added to a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionMarks {
    /// Of this document.
    pub schema_version: u32,
    /// The session.
    #[schema(value_type = schema::SessionId)]
    pub session_id: SessionId,
    /// Its tags, in alphabetical order.
    pub tags: Vec<String>,
    /// It has a star.
    pub starred: bool,
    /// Its title, by whoever gave it.
    pub title: Option<String>,
    /// A person gave it that title.
    pub renamed: bool,
    /// The notes on it, the oldest first.
    pub notes: Vec<NoteRow>,
}

/// A note on a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NoteRow {
    /// When it was made.
    #[schema(value_type = schema::Instant)]
    pub at: Timestamp,
    /// Its text.
    pub text: String,
}

/// Which projects to list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct ProjectsQuery {
    /// Only those with a session since then: `7d`, `12h`, `30m`, a date or a time.
    pub since: Option<String>,
    /// Only on this device: its name, its id, or `here`.
    pub device: Option<String>,
    /// At most so many.
    pub limit: Option<usize>,
}

/// The projects that sessions worked in, the latest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProjectList {
    /// Of this document.
    pub schema_version: u32,
    /// The projects.
    pub projects: Vec<ProjectRow>,
}

/// A project, with the counts of its sessions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProjectRow {
    /// Its folder.
    pub path: String,
    /// Its sessions, sub-agents not counted.
    pub sessions: u64,
    /// Their sub-agents.
    pub sub_agents: u64,
    /// The latest event in it.
    #[schema(value_type = Option<schema::Instant>)]
    pub last_event_at: Option<Timestamp>,
    /// Prompts.
    pub prompts: u64,
    /// Errors, and calls that failed.
    pub failures: u64,
    /// Tokens read and written, without those from a cache.
    pub tokens: u64,
    /// The known cost, in millionths of a US dollar.
    pub cost_microdollars: Option<i64>,
}

/// Whose files to count.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct ProjectFilesQuery {
    /// The folder of the project; all projects unless it is given.
    pub project: Option<String>,
    /// Only of sessions with an event since then: `7d`, `12h`, `30m`, a date or a time.
    pub since: Option<String>,
    /// `edits`, the most often edited first, `last`, the latest first, or `cost`, the dearest first; `edits` unless it is given.
    pub sort: Option<String>,
    /// At most so many files; 50 unless it is given.
    pub limit: Option<usize>,
}

/// The files that sessions edited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProjectFiles {
    /// Of this document.
    pub schema_version: u32,
    /// The folder of the project; `null` for all projects.
    pub project: Option<String>,
    /// How many files there are.
    pub total: u64,
    /// The files.
    pub files: Vec<ProjectFile>,
}

/// A file that sessions edited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProjectFile {
    /// Its path, from the folder of the project that was asked for on if it is inside.
    pub path: String,
    /// Calls of tools that edited it.
    pub edits: u64,
    /// Sessions that edited it.
    pub sessions: u64,
    /// With `sort=cost`: its part of the known cost of the turns that edited it, in millionths of a US dollar. The cost of a
    /// turn is divided between its edits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_microdollars: Option<i64>,
    /// When it was last edited.
    #[schema(value_type = schema::Instant)]
    pub last_edit_at: Timestamp,
    /// By which session.
    #[schema(value_type = schema::SessionId)]
    pub last_session_id: SessionId,
    /// The title of that session.
    pub last_session_title: Option<String>,
    /// The sessions that edited it last, at most three, the latest first.
    #[serde(default)]
    pub changes: Vec<FileChange>,
}

/// A session that edited a file, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FileChange {
    /// The session.
    #[schema(value_type = schema::SessionId)]
    pub session_id: SessionId,
    /// Its title.
    pub title: Option<String>,
    /// Its agent.
    pub agent: String,
    /// Its edits of the file.
    pub edits: u64,
    /// When it made the latest of them.
    #[schema(value_type = schema::Instant)]
    pub at: Timestamp,
    /// The call of that edit.
    #[schema(value_type = String)]
    pub event_id: EventId,
    /// The prompt before it.
    #[schema(value_type = Option<String>)]
    pub prompt_event: Option<EventId>,
    /// The beginning of that prompt: why the file was edited.
    pub prompt: Option<String>,
}
