//! The row that ties session, runtime session, executor and source together.

use crate::event::words;
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

/// What is known of a session's sources when its lifecycle is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// At least one source can be read.
    pub readable: bool,
    /// Our archive holds a copy.
    pub archived: bool,
    /// The agent can resume by id, and the session may be resumed at all.
    pub resumable: bool,
}

impl Lifecycle {
    /// The lifecycle of a session without an executor.
    #[must_use]
    pub fn of(standing: Standing) -> Self {
        match standing {
            Standing { readable: true, resumable: true, .. } => Self::Resumable,
            Standing { readable: true, .. } => Self::Detached,
            Standing { archived: true, .. } => Self::Archived,
            Standing { .. } => Self::Lost,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lifecycle_follows_from_what_can_still_be_read() {
        let check = |readable, archived, resumable, expected| {
            assert_eq!(Lifecycle::of(Standing { readable, archived, resumable }), expected);
        };
        check(true, false, true, Lifecycle::Resumable);
        check(true, true, false, Lifecycle::Detached);
        check(false, true, true, Lifecycle::Archived);
        check(false, false, true, Lifecycle::Lost);
    }
}
