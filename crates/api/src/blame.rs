//! Who wrote a line.

use crate::schema;
use serde::{Deserialize, Serialize};
use taffrail_model::{SessionId, Timestamp};
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
    /// The prompt of that turn, at most its first 2,000 characters.
    pub reason: Option<String>,
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
