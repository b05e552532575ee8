//! The row that ties session, runtime session, executor and source together.

use crate::words::words;
use crate::{AgentId, Cursor, Provenance, RuntimeSessionId, SessionId, Timestamp};
use serde::{Deserialize, Serialize};

words! {
    /// Where a session is in its durable life. Not its live status.
    Lifecycle {
        /// A live executor is attached.
        Active = "active",
        /// Its history can be read, and there is no way to resume it.
        Detached = "detached",
        /// Its history can be read and its agent can resume it by id.
        Resumable = "resumable",
        /// Kept for history only.
        Archived = "archived",
        /// Its history can no longer be found.
        Lost = "lost",
        /// Another binding took its place.
        Superseded = "superseded",
    }
}

words! {
    /// How a session descends from another.
    LineageKind {
        /// A new session that begins as a copy of another.
        Fork = "fork",
        /// The same session, gone on with.
        Resume = "resume",
        /// A new session opened in the place of another.
        Clear = "clear",
        /// The same session with its context folded.
        Compact = "compact",
        /// A worker of another.
        Subagent = "subagent",
        /// Another agent took the work over.
        Handoff = "handoff",
        /// The same session on another device.
        Teleport = "teleport",
    }
}

/// Where a session comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lineage {
    /// In which way.
    pub kind: LineageKind,
    /// From which session.
    pub session_id: SessionId,
}

/// How far a session can be resumed, and by what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResumeCapability {
    /// The agent can resume it by its runtime id.
    pub by_runtime_id: bool,
}

/// The durable tie, with the field names of the binding contract; `repowire_session_id` there is
/// `session_id` here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Binding {
    /// The durable session.
    pub session_id: SessionId,
    /// The executor it was last seen with.
    pub peer_id: Option<String>,
    /// The executor attached now.
    pub current_executor_peer_id: Option<String>,
    /// The agent.
    pub backend: AgentId,
    /// The working directory.
    pub project_path: Option<String>,
    /// The agent's own session id.
    pub runtime_session_id: RuntimeSessionId,
    /// The source's locator.
    pub runtime_source_uri: String,
    /// The last position that was read.
    pub source_cursor: Option<Cursor>,
    /// What the row rests on.
    pub provenance: Option<Provenance>,
    /// Whether and how it can be resumed.
    pub resume_capability: ResumeCapability,
    /// When the tie was made.
    pub created_at: Timestamp,
    /// When it was last confirmed.
    pub last_seen_at: Timestamp,
    /// Where it is in its life.
    pub status: Lifecycle,
    /// Small hints; never text of a transcript.
    pub metadata: serde_json::Map<String, serde_json::Value>,
}

/// What a look at a session's history came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum History {
    /// At least one source can be read.
    Readable,
    /// The sources are gone; our archive holds a copy.
    Copied,
    /// The sources are gone, as a look verified, and there is no copy.
    Missing,
    /// The agent shows no history: only hooks, its registry or telemetry tell of the session.
    Unexposed,
}

/// What is known of a session's sources when its lifecycle is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// What a look at them came to.
    pub history: History,
    /// The agent can resume by id, and the session may be resumed at all.
    pub resumable: bool,
}

/// What a person said of a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// It is kept for history only.
    Archived,
    /// This session took its place.
    Superseded(SessionId),
}

impl Lifecycle {
    /// The lifecycle of a session without an executor.
    #[must_use]
    pub fn of(standing: Standing) -> Self {
        match (standing.history, standing.resumable) {
            (History::Readable, true) => Self::Resumable,
            (History::Readable, false) | (History::Unexposed, _) => Self::Detached,
            (History::Copied, _) => Self::Archived,
            (History::Missing, _) => Self::Lost,
        }
    }

    /// The same where an executor may be attached.
    #[must_use]
    pub fn attached(self, executor: Option<&str>) -> Self {
        if executor.is_some() { Self::Active } else { self }
    }

    /// The same where a person may have said something of it: that counts for more.
    #[must_use]
    pub fn marked(self, mark: Option<Mark>) -> Self {
        match mark {
            Some(Mark::Archived) => Self::Archived,
            Some(Mark::Superseded(_)) => Self::Superseded,
            None => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lifecycle_follows_from_what_can_still_be_read() {
        let check = |history, resumable, expected| {
            assert_eq!(Lifecycle::of(Standing { history, resumable }), expected);
        };
        check(History::Readable, true, Lifecycle::Resumable);
        check(History::Readable, false, Lifecycle::Detached);
        check(History::Copied, true, Lifecycle::Archived);
        check(History::Missing, true, Lifecycle::Lost);
        check(History::Unexposed, false, Lifecycle::Detached);
        check(History::Unexposed, true, Lifecycle::Detached);
    }

    #[test]
    fn an_executor_makes_it_active_and_what_a_person_said_counts_for_more() {
        let other = SessionId::from_bytes([7; 16]);
        let check = |executor, mark, expected| {
            assert_eq!(Lifecycle::Resumable.attached(executor).marked(mark), expected);
        };
        check(None, None, Lifecycle::Resumable);
        check(Some("tmux:%3"), None, Lifecycle::Active);
        check(Some("tmux:%3"), Some(Mark::Archived), Lifecycle::Archived);
        check(None, Some(Mark::Superseded(other)), Lifecycle::Superseded);
    }
}
