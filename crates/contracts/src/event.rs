//! The captured event, as our API and other tools write it: the fields and words of the capture
//! contract, with the provenance of the binding contract.

use crate::binding;
use crate::form::{moment, named};
use crate::report::Level;
use crate::rule::Rule;
use crate::serde_helpers::{nullable, words};
use crate::shape::{Shape, Switch, formed, map, may, must, object, strictly, text, word};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};
use std::sync::LazyLock;

/// The kinds of the contract and our additional ones. None may be renamed; new ones may follow.
const KINDS: &[&str] = &[
    "session.started",
    "session.exited",
    "turn.started",
    "turn.completed",
    "user.prompt",
    "assistant.delta",
    "assistant.message",
    "tool.call",
    "tool.result",
    "approval.requested",
    "approval.resolved",
    "status.changed",
    "error",
    "heartbeat",
    "assistant.thinking",
    "agent.stopped",
    "context.compacted",
    "notice",
    "finding.raised",
    "finding.withdrawn",
];
/// The sources of the contract and our additional ones.
const SOURCES: &[&str] =
    &["transcript", "hook", "pty", "ctm-input", "telemetry", "registry", "process", "derived"];
/// The kind of a removal notice.
const REMOVED: &str = "event.removed";

words! {
    /// The confidence in an event.
    Confidence, CONFIDENCES {
        /// The agent wrote it as such.
        High = "high",
        /// Inferred from other records.
        Medium = "medium",
        /// Guessed.
        Low = "low",
    }
}

/// An event that another tool may have written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Captured {
    /// Its stable id.
    pub id: String,
    /// The durable session.
    pub session_id: String,
    /// The agent.
    pub provider: String,
    /// The agent's own session id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_session_id: Option<String>,
    /// The source of the event.
    pub source: String,
    /// The kind of event.
    pub kind: String,
    /// The time by the agent's clock.
    pub created_at: String,
    /// The time by the observer's clock.
    pub observed_at: String,
    /// The sequence number in the session.
    pub sequence: Number,
    /// The generation of the sequence number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<String>,
    /// The revision, which grows with every change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<Number>,
    /// The turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<String>,
    /// The parent event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<String>,
    /// Its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Additional data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Map<String, Value>>,
    /// The confidence.
    pub confidence: Confidence,
    /// The provenance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<binding::Provenance>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// The notice that an event was removed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Removed {
    /// `event.removed`.
    pub kind: String,
    /// The event.
    pub id: String,
    /// Its session.
    pub session_id: String,
    /// The sequence number of the removal.
    pub sequence: Number,
    /// The generation of the sequence number.
    #[serde(default, deserialize_with = "nullable", skip_serializing_if = "Option::is_none")]
    pub generation: Option<Option<String>>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// The shape of an event, or of a removal.
#[must_use]
pub fn shape() -> &'static Shape {
    static SHAPE: LazyLock<Shape> = LazyLock::new(|| {
        let (then, otherwise) = (removed(), event());
        Shape::Switch(Box::new(Switch { field: "kind", word: REMOVED, then, otherwise }))
    });
    &SHAPE
}

fn event() -> Shape {
    object(vec![
        must("id", formed(named())),
        must("sessionId", formed(named())),
        must("provider", formed(named())),
        may("providerSessionId", text()),
        must("source", Shape::Word(SOURCES, Level::Strict)),
        must("kind", Shape::Word(KINDS, Level::Strict)),
        must("createdAt", formed(moment())),
        must("observedAt", formed(moment())),
        must("sequence", Shape::Whole(Some(0))),
        strictly("generation", text()),
        strictly("revision", Shape::Whole(Some(0))),
        may("turnId", text()),
        may("parentId", text()),
        may("text", text()),
        may("data", map(Shape::Any)),
        must("confidence", word(CONFIDENCES)),
        strictly("provenance", binding::provenance()),
    ])
}

fn removed() -> Shape {
    object(vec![
        must("id", formed(named())),
        must("sessionId", formed(named())),
        must("kind", word(&[REMOVED])),
        must("sequence", Shape::Whole(Some(0))),
        strictly("generation", text()),
    ])
}

/// The rules that involve several fields of an event.
pub static RULES: &[Rule] = &[
    Rule {
        name: "provider.renamed",
        level: Level::Advice,
        broken: old_provider,
        hint: "Write the agent's id, such as claude-code.",
        schema: None,
    },
    Rule {
        name: "text.long",
        level: Level::Advice,
        broken: long_output,
        hint: "Cut a tool's output at 16 KiB, set `data.truncated`, and point to the rest.",
        schema: None,
    },
];

fn old_provider(value: &Value) -> Vec<(String, String)> {
    let old = ["claude", "gemini"];
    let provider = value.get("provider").and_then(Value::as_str);
    let provider = provider.filter(|it| old.contains(it));
    let message = provider.map(|it| format!("{it:?} names an agent's maker, not the agent."));
    message.map(|it| ("/provider".to_owned(), it)).into_iter().collect()
}

fn long_output(value: &Value) -> Vec<(String, String)> {
    let is_output = value.get("kind").and_then(Value::as_str) == Some("tool.result");
    let text = value.get("text").and_then(Value::as_str).filter(|_| is_output);
    let long = text.filter(|it| it.len() > taffrail_model::text::TOOL_TEXT_BYTES);
    let message = long.map(|it| format!("The output is {} bytes long.", it.len()));
    message.map(|it| ("/text".to_owned(), it)).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_model::{Kind, Origin};

    #[test]
    fn every_word_listed_is_a_word_of_ours_and_none_is_missing() {
        for word in KINDS {
            assert!(!matches!(Kind::from(*word), Kind::Unknown(_)), "{word}");
        }
        for word in SOURCES {
            assert!(!matches!(Origin::from(*word), Origin::Unknown(_)), "{word}");
        }
        // A new kind or source must be added to these lists.
        assert_eq!((KINDS.len(), SOURCES.len()), (20, 8));
    }
}
