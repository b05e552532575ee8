//! The row that links session, runtime session, executor and source.

use crate::words::words;
use crate::{AgentId, Cursor, Provenance, RuntimeSessionId, SessionId, Timestamp};
use serde::{Deserialize, Serialize};

words! {
    /// The state of a binding. Not the live status of its session.
    Lifecycle {
        /// A live executor is attached.
        Active = "active",
        /// The history is readable, but the session cannot be resumed.
        Detached = "detached",
        /// The history is readable, and the agent can resume the session by id.
        Resumable = "resumable",
        /// Kept for history only.
        Archived = "archived",
        /// The history can no longer be found.
        Lost = "lost",
        /// The agent deleted the transcript, and its prompt history still has the prompts.
        PromptsOnly = "prompts_only",
        /// Another binding replaced this one.
        Superseded = "superseded",
    }
}

words! {
    /// How a session descends from another.
    LineageKind {
        /// A new session that begins as a copy of another.
        Fork = "fork",
        /// The same session, resumed.
        Resume = "resume",
        /// A new session that replaces another in the same process.
        Clear = "clear",
        /// The same session with a compacted context.
        Compact = "compact",
        /// A sub-agent of another session.
        Subagent = "subagent",
        /// Another agent took the work over.
        Handoff = "handoff",
        /// The same session on another device.
        Teleport = "teleport",
    }
}

/// The origin of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lineage {
    /// How the session descends from its origin.
    pub kind: LineageKind,
    /// The session it descends from.
    pub session_id: SessionId,
}

words! {
    /// How far resuming a session is supported.
    ResumeSupport {
        /// The agent's own command resumes the session by its runtime id.
        Native = "native",
        /// The session cannot be resumed here.
        Unsupported = "unsupported",
    }
}

/// Whether and how a session can be resumed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResumeCapability {
    /// The agent can resume the session by its runtime id.
    pub by_runtime_id: bool,
    /// The words of the agent's command, if it can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<Vec<String>>,
    /// The folder to run the command in, as the agent recorded it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Why the session can or cannot be resumed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
}

impl ResumeCapability {
    /// The support level.
    #[must_use]
    pub fn support(&self) -> ResumeSupport {
        match self.by_runtime_id {
            true => ResumeSupport::Native,
            false => ResumeSupport::Unsupported,
        }
    }
}

/// A pointer into a source that may be cut or rewritten.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SourcePointer {
    /// The source and the position in it.
    pub provenance: Provenance,
    /// The generation of the source that the position belongs to.
    pub generation: u64,
}

/// The durable link, with the field names of the binding contract; `repowire_session_id` there is
/// `session_id` here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Binding {
    /// The durable session.
    pub session_id: SessionId,
    /// The executor that last ran the session.
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
    /// The last position read.
    pub source_cursor: Option<Cursor>,
    /// How many times the source was read again from an earlier position, as after a file was cut:
    /// generation and position together never go back.
    pub source_generation: u64,
    /// The evidence for this row: its own source first, then those of the sessions it superseded.
    pub provenance: Vec<SourcePointer>,
    /// Whether and how the session can be resumed.
    pub resume_capability: ResumeCapability,
    /// When the link was made.
    pub created_at: Timestamp,
    /// When the link was last confirmed.
    pub last_seen_at: Timestamp,
    /// The state of the binding.
    pub status: Lifecycle,
    /// Small hints; never text of a transcript.
    pub metadata: serde_json::Map<String, serde_json::Value>,
}

/// The availability of a session's history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum History {
    /// At least one source can be read.
    Readable,
    /// The sources are gone; our archive has a copy.
    Copied,
    /// The sources are verifiably gone, and there is no copy.
    Missing,
    /// The agent exposes no history: only hooks, its registry or telemetry report the session.
    Unexposed,
    /// Nothing but the agent's prompt history has the session.
    PromptsOnly,
}

/// What is known about a session's sources when its lifecycle is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The availability of the history.
    pub history: History,
    /// The agent can resume by id, and this session may be resumed.
    pub resumable: bool,
}

/// A person's correction of a binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// The session is kept for history only.
    Archived,
    /// This session replaced the binding.
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
            (History::PromptsOnly, _) => Self::PromptsOnly,
        }
    }

    /// The lifecycle with an executor, if one is attached.
    #[must_use]
    pub fn attached(self, executor: Option<&str>) -> Self {
        if executor.is_some() { Self::Active } else { self }
    }

    /// The lifecycle with a person's mark, if there is one: the mark takes precedence.
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
        check(History::PromptsOnly, true, Lifecycle::PromptsOnly);
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
