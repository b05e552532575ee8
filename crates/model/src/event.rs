//! One normalized fact, as every surface and follower sees it.

use crate::usage::AnswerUsage;
use crate::words::words;
use crate::{AgentId, Cursor, DeviceId, EventId, RuntimeSessionId, SessionId, Timestamp, TurnId};
use serde::{Deserialize, Serialize};

words! {
    /// The kind of an event.
    Kind {
        /// The agent opened the session.
        SessionStarted = "session.started",
        /// The agent closed the session.
        SessionExited = "session.exited",
        /// The daemon saw a turn begin.
        TurnStarted = "turn.started",
        /// The daemon saw a turn end.
        TurnCompleted = "turn.completed",
        /// A prompt from a person or a parent agent.
        UserPrompt = "user.prompt",
        /// A piece of a message still being written; lives in memory only.
        AssistantDelta = "assistant.delta",
        /// An answer of the agent.
        AssistantMessage = "assistant.message",
        /// The agent's reasoning, where the agent records it.
        AssistantThinking = "assistant.thinking",
        /// The agent called a tool.
        ToolCall = "tool.call",
        /// A tool returned a result.
        ToolResult = "tool.result",
        /// The agent asked for permission.
        ApprovalRequested = "approval.requested",
        /// The approval was decided.
        ApprovalResolved = "approval.resolved",
        /// The daemon saw the status change.
        StatusChanged = "status.changed",
        /// A finding began to hold.
        FindingRaised = "finding.raised",
        /// A finding no longer holds.
        FindingWithdrawn = "finding.withdrawn",
        /// Something failed.
        Error = "error",
        /// Still alive.
        Heartbeat = "heartbeat",
        /// The agent reported that it stopped.
        AgentStopped = "agent.stopped",
        /// Earlier context was compacted into a summary.
        ContextCompacted = "context.compacted",
        /// A notice from the agent program itself, neither prompt nor answer.
        Notice = "notice",
        /// An event was removed; only followers receive this.
        EventRemoved = "event.removed",
    }
}

words! {
    /// The source of a fact.
    Origin {
        /// The agent's own history.
        Transcript = "transcript",
        /// The file in which the agent keeps every prompt; it counts only where no transcript says
        /// the same.
        PromptHistory = "prompt_history",
        /// A hook the agent called.
        Hook = "hook",
        /// A terminal.
        Pty = "pty",
        /// Input that was sent through Taffrail.
        Input = "ctm-input",
        /// OpenTelemetry.
        Telemetry = "telemetry",
        /// The agent's own list of live sessions.
        Registry = "registry",
        /// The process table.
        Process = "process",
        /// The daemon's own conclusions from all other sources.
        Derived = "derived",
    }
}

impl Kind {
    /// Whether a hook may carry such an event of the conversation, for a session without a
    /// transcript. Every other event of a hook is a report about the session.
    #[must_use]
    pub fn is_carried(&self) -> bool {
        matches!(
            self,
            Self::SessionStarted
                | Self::UserPrompt
                | Self::AssistantMessage
                | Self::ToolCall
                | Self::ToolResult
        )
    }
}

/// Whether an event is part of the conversation: the agent's history says it or, without a
/// history, a hook carried it. Hooks, probes and the daemon otherwise only report about it.
#[must_use]
pub fn is_said(origin: &Origin, kind: &Kind) -> bool {
    match origin {
        Origin::Transcript => true,
        Origin::Hook => kind.is_carried(),
        Origin::PromptHistory => *kind == Kind::UserPrompt,
        _ => false,
    }
}

words! {
    /// The confidence in a fact.
    Confidence {
        /// The agent recorded it explicitly.
        High = "high",
        /// Inferred from the agent's records.
        Medium = "medium",
        /// Guessed; automation never acts on it.
        Low = "low",
    }
}

/// A pointer back to the origin of a fact, with the field names of the binding contract.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// `runtime_transcript`, or another kind of source.
    pub source_kind: String,
    /// The agent.
    pub backend: AgentId,
    /// The agent's own session id.
    pub runtime_session_id: RuntimeSessionId,
    /// The source's locator.
    pub runtime_source_uri: String,
    /// The position in the source.
    pub source_cursor: Cursor,
    /// The agent's own id of the record, where it has one.
    pub source_event_id: Option<String>,
    /// This device.
    pub observed_by_peer_id: DeviceId,
    /// When this device observed it.
    pub observed_at: Timestamp,
}

/// One normalized fact, complete.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// Computed, never random.
    pub id: EventId,
    /// The durable session.
    pub session_id: SessionId,
    /// The agent.
    pub provider: AgentId,
    /// The agent's own session id.
    pub provider_session_id: RuntimeSessionId,
    /// The source of the event.
    pub source: Origin,
    /// The kind.
    pub kind: Kind,
    /// The time the agent recorded.
    pub created_at: Timestamp,
    /// The time this device observed it.
    pub observed_at: Timestamp,
    /// The session's change number of the latest change to this event.
    pub sequence: u64,
    /// The numbering that `sequence` belongs to.
    pub generation: String,
    /// Incremented with every change of content.
    pub revision: u32,
    /// The turn it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The event this one answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<EventId>,
    /// What the model answer that this event ends used; absent in other events.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<AnswerUsage>,
    /// Complete for prompts and messages, truncated for tool output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Further fields of the record.
    pub data: serde_json::Map<String, serde_json::Value>,
    /// The confidence.
    pub confidence: Confidence,
    /// The origin.
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
