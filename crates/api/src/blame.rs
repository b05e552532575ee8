//! Who wrote a line.

use crate::schema;
use serde::{Deserialize, Serialize};
use taffrail_model::{EventId, SessionId, Timestamp};
use utoipa::{IntoParams, ToSchema};

/// Which file to look at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct BlameQuery {
    /// The file, absolute or from `here`.
    pub path: String,
    /// Only this line, from 1.
    pub line: Option<usize>,
    /// The folder that the path is relative to.
    pub here: String,
    /// Whether to give the text of the lines, too.
    pub text: Option<bool>,
}

/// The lines of a file with their authors.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BlameReply {
    /// Of this document.
    pub schema_version: u32,
    /// The file in its repository.
    pub path: String,
    /// The lines, in order.
    pub lines: Vec<BlamedLine>,
}

/// A line with its author.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BlamedLine {
    /// The number of the line, from 1.
    pub line: usize,
    /// The commit that added it; `null` for a line that is not committed.
    pub commit: Option<String>,
    /// Who wrote it.
    pub by: LineAuthor,
    /// The session that wrote it.
    #[schema(value_type = Option<String>)]
    pub session_id: Option<SessionId>,
    /// The agent's own id of that session.
    pub runtime_session_id: Option<String>,
    /// The agent.
    pub agent: Option<String>,
    /// The turn of the session that wrote it, from 1.
    pub turn: Option<usize>,
    /// The event of the turn's prompt.
    #[schema(value_type = Option<String>)]
    pub prompt_event: Option<EventId>,
    /// The prompt of that turn, at most its first 2,000 characters.
    pub reason: Option<String>,
    /// Whom records of other tools name. They are claims: `by` does not depend on them.
    pub notes: Vec<NotedLine>,
    /// The text, if it was asked for: of lines that git tracks, and of those that a session wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// Whom a record of another tool names as the author of a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NotedLine {
    /// The form of the record.
    pub source: NoteSource,
    /// What the author is.
    pub by: NotedBy,
    /// The name of a human author.
    pub name: Option<String>,
    /// The tool, in the words of the record.
    pub tool: Option<String>,
    /// The model, in the words of the record.
    pub model: Option<String>,
    /// The conversation: the tool's own id of it, or an address.
    pub conversation: Option<String>,
    /// Our session, if the record names one that is known here.
    #[schema(value_type = Option<String>)]
    pub session_id: Option<SessionId>,
    /// Whether the record names the session that wrote the text; `null` if one of them is not known.
    pub agrees: Option<bool>,
}

/// The form of a record of another tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NoteSource {
    /// A note of a commit, in `refs/notes/ai`.
    GitAi,
    /// A record of Agent Trace, in `.agent-trace/traces.jsonl`.
    AgentTrace,
    /// A checkpoint of Entire, which is about a whole commit.
    Entire,
}

impl NoteSource {
    /// The word in tables and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::GitAi => "git-ai",
            Self::AgentTrace => "agent-trace",
            Self::Entire => "entire",
        }
    }
}

/// What an author is, in the words of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum NotedBy {
    /// A coding agent.
    Agent,
    /// A person.
    Human,
    /// An agent and a person.
    Mixed,
    /// The record does not say.
    Unknown,
}

/// Who wrote a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LineAuthor {
    /// A session, by the text that it wrote.
    Session,
    /// Somebody else, or nothing shows who.
    Unknown,
}

/// Which commits to list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct CommitsQuery {
    /// Since then: `7d`, `12h`, `30m`, a date or a time.
    pub since: Option<String>,
    /// At most so many.
    pub limit: Option<usize>,
    /// A folder of the repository.
    pub here: String,
}

/// Commits of a repository, the latest first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CommitList {
    /// Of this document.
    pub schema_version: u32,
    /// The commits.
    pub commits: Vec<CommitRow>,
}

/// A commit with the sessions whose lines it holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CommitRow {
    /// The commit.
    pub commit: String,
    /// When it was committed.
    #[schema(value_type = schema::Instant)]
    pub committed_at: Timestamp,
    /// The name of its author.
    pub author: String,
    /// The first line of its message.
    pub subject: String,
    /// The lines that it added.
    pub lines: usize,
    /// Those of them that no session is known to have written.
    pub unknown_lines: usize,
    /// The sessions, the one with the most lines first.
    pub sessions: Vec<CommitShare>,
    /// Whom records of other tools name, the one with the most lines first.
    pub notes: Vec<CommitNote>,
}

/// Whom a record of another tool names as an author of a commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CommitNote {
    /// The form of the record.
    pub source: NoteSource,
    /// What the author is.
    pub by: NotedBy,
    /// The name of a human author.
    pub name: Option<String>,
    /// The tool, in the words of the record.
    pub tool: Option<String>,
    /// The model, in the words of the record.
    pub model: Option<String>,
    /// The conversation: the tool's own id of it, or an address.
    pub conversation: Option<String>,
    /// Our session, if the record names one that is known here.
    #[schema(value_type = Option<String>)]
    pub session_id: Option<SessionId>,
    /// The lines of the commit that the record names; all of them for a checkpoint.
    pub lines: usize,
}

/// The notes that `taffrail commits notes` writes, or would write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NoteList {
    /// Of this document.
    pub schema_version: u32,
    /// Whether the notes are written.
    pub written: bool,
    /// The notes, in the order of the commits.
    pub notes: Vec<GitNoteRow>,
}

/// A commit and its note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct GitNoteRow {
    /// The commit.
    pub commit: String,
    /// The first line of its message.
    pub subject: String,
    /// The text of the note; `null` if the commit has a note already, which stays as it is.
    pub note: Option<String>,
}

/// The part of a session in a commit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CommitShare {
    /// The session.
    #[schema(value_type = String)]
    pub session_id: SessionId,
    /// The agent's own id of the session.
    pub runtime_session_id: String,
    /// The agent.
    pub agent: String,
    /// The session's title.
    pub title: Option<String>,
    /// The lines that it wrote.
    pub lines: usize,
    /// Their share of the commit's lines, such as 0.75.
    pub share: f64,
}
