//! The captured event, as our API gives it and as other tools may: the fields and words of the
//! capture contract, with the provenance of the binding contract.

use crate::binding;
use crate::contract::Rule;
use crate::form::{moment, named};
use crate::report::Level;
use crate::shape::{Shape, Switch, formed, map, may, must, object, strictly, text, word};
use crate::told::{told, words};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};
use std::sync::LazyLock;

/// The kinds of the contract, and ours beyond it. None may be renamed; more may come.
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
];
/// The sources of the contract, and ours beyond it.
const SOURCES: &[&str] =
    &["transcript", "hook", "pty", "ctm-input", "telemetry", "registry", "process"];
/// The kind of the notice that an event no longer stands.
const REMOVED: &str = "event.removed";

words! {
    /// How far an event can be trusted.
    Confidence, CONFIDENCES {
        /// Written by the agent as such.
        High = "high",
        /// Concluded.
        Medium = "medium",
        /// Guessed.
        Low = "low",
    }
}

/// An event as a foreign tool may have written it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Captured {
    /// Stable.
    pub id: String,
    /// The durable session.
    pub session_id: String,
    /// The agent.
    pub provider: String,
    /// The agent's own session id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_session_id: Option<String>,
    /// Where it was seen.
    pub source: String,
    /// What it says.
    pub kind: String,
    /// The agent's time.
    pub created_at: String,
    /// The observer's time.
    pub observed_at: String,
    /// The session's change number.
    pub sequence: Number,
    /// Which numbering that belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generation: Option<String>,
    /// One more with every change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<Number>,
    /// The turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<String>,
    /// The event it answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<String>,
    /// Its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What else it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Map<String, Value>>,
    /// How far to trust it.
    pub confidence: Confidence,
    /// Where it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<binding::Provenance>,
    /// What this version does not know.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

/// The notice that an event no longer stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Removed {
    /// `event.removed`.
    pub kind: String,
    /// The event.
    pub id: String,
    /// Its session.
    pub session_id: String,
    /// The change that removed it.
    pub sequence: Number,
    /// Which numbering that belongs to.
    #[serde(default, deserialize_with = "told", skip_serializing_if = "Option::is_none")]
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

/// The rules that join several places of an event.
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
    let told = provider.map(|it| format!("{it:?} names an agent's maker, not the agent."));
    told.map(|it| ("/provider".to_owned(), it)).into_iter().collect()
}

fn long_output(value: &Value) -> Vec<(String, String)> {
    let is_output = value.get("kind").and_then(Value::as_str) == Some("tool.result");
    let text = value.get("text").and_then(Value::as_str).filter(|_| is_output);
    let long = text.filter(|it| it.len() > taffrail_model::text::TOOL_TEXT_BYTES);
    let told = long.map(|it| format!("The output is {} bytes long.", it.len()));
    told.map(|it| ("/text".to_owned(), it)).into_iter().collect()
}
