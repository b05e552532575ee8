//! One normalized fact, as every face and follower sees it.

use crate::words::words;
use crate::{AgentId, Cursor, DeviceId, EventId, RuntimeSessionId, SessionId, Timestamp, TurnId};
use serde::{Deserialize, Serialize};

words! {
    /// What an event says.
    Kind {
        /// The agent opened the session.
        SessionStarted = "session.started",
        /// The agent closed the session.
        SessionExited = "session.exited",
        /// Derived, never stored.
        TurnStarted = "turn.started",
        /// Derived, never stored.
        TurnCompleted = "turn.completed",
        /// What a person, or a parent agent, asked.
        UserPrompt = "user.prompt",
        /// A piece of a message still being written; lives in memory only.
        AssistantDelta = "assistant.delta",
        /// What the agent answered.
        AssistantMessage = "assistant.message",
        /// What the agent thought, where it wrote it down.
        AssistantThinking = "assistant.thinking",
        /// The agent called a tool.
        ToolCall = "tool.call",
        /// A tool answered.
        ToolResult = "tool.result",
        /// The agent asked to be allowed something.
        ApprovalRequested = "approval.requested",
        /// The request was decided.
        ApprovalResolved = "approval.resolved",
        /// Derived, never stored.
        StatusChanged = "status.changed",
        /// Something failed.
        Error = "error",
        /// Still alive.
        Heartbeat = "heartbeat",
        /// The agent said that it stopped.
        AgentStopped = "agent.stopped",
        /// Earlier context was folded into a summary.
        ContextCompacted = "context.compacted",
        /// A remark by the agent program itself, neither prompt nor answer.
        Notice = "notice",
        /// An event that no longer stands; only followers see it.
        EventRemoved = "event.removed",
    }
}

words! {
    /// Where a fact was seen.
    Origin {
        /// The agent's own history.
        Transcript = "transcript",
        /// A hook the agent called.
        Hook = "hook",
        /// A terminal.
        Pty = "pty",
        /// Something sent through us.
        Input = "ctm-input",
        /// OpenTelemetry.
        Telemetry = "telemetry",
        /// The agent's own list of live sessions.
        Registry = "registry",
        /// The process table.
        Process = "process",
    }
}

words! {
    /// How far a fact can be trusted.
    Confidence {
        /// Written by the agent as such.
        High = "high",
        /// Concluded from what the agent wrote.
        Medium = "medium",
        /// Guessed from appearances; automation never acts on it.
        Low = "low",
    }
}

/// A pointer back to where a fact came from, with the field names of the binding contract.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// `runtime_transcript`, or what else the source is.
    pub source_kind: String,
    /// The agent.
    pub backend: AgentId,
    /// The agent's own session id.
    pub runtime_session_id: RuntimeSessionId,
    /// The source's locator.
    pub runtime_source_uri: String,
    /// Where in the source.
    pub source_cursor: Cursor,
    /// The agent's own id of the record, where it has one.
    pub source_event_id: Option<String>,
    /// This device.
    pub observed_by_peer_id: DeviceId,
    /// When we saw it.
    pub observed_at: Timestamp,
}

/// One normalized fact, whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// Computed, never drawn.
    pub id: EventId,
    /// The durable session.
    pub session_id: SessionId,
    /// The agent.
    pub provider: AgentId,
    /// The agent's own session id.
    pub provider_session_id: RuntimeSessionId,
    /// Where it was seen.
    pub source: Origin,
    /// What it says.
    pub kind: Kind,
    /// The agent's time.
    pub created_at: Timestamp,
    /// Our time.
    pub observed_at: Timestamp,
    /// The session's change number under which it stands.
    pub sequence: u64,
    /// Which numbering `sequence` belongs to.
    pub generation: String,
    /// One more with every change of content.
    pub revision: u32,
    /// The turn it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The event it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<EventId>,
    /// Whole for prompts and messages, cut for tool output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What else the record said.
    pub data: serde_json::Map<String, serde_json::Value>,
    /// How far to trust it.
    pub confidence: Confidence,
    /// Where it came from.
    pub provenance: Provenance,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_of_tomorrow_survives() {
        for word in ["user.prompt", "event.removed", "tool.exploded"] {
            assert_eq!(Kind::from(word).as_str(), word);
        }
        assert_eq!(Kind::from("tool.exploded"), Kind::Unknown("tool.exploded".into()));
    }
}
