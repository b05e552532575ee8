//! Words and symbols from an event's data, shared by all user interfaces.

use crate::terminal::line;
use serde_json::Value;
use taffrail_api::Receipt;
use taffrail_model::{Event, Kind, approval};

/// How a tool call went, if the agent recorded it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It succeeded.
    Well,
    /// It failed.
    Badly,
    /// The agent did not record it.
    Unknown,
}

impl Outcome {
    /// The outcome of a result.
    pub fn of(event: &Event) -> Self {
        let exit_code = event.data.get("exit_code").and_then(Value::as_i64);
        match (flag(event, "failed"), exit_code) {
            (Some(true), _) => Self::Badly,
            (_, Some(code)) if code != 0 => Self::Badly,
            (Some(false), _) | (_, Some(_)) => Self::Well,
            (None, None) => Self::Unknown,
        }
    }

    /// The outcome as one character.
    pub fn mark(self) -> &'static str {
        match self {
            Self::Well => "✓",
            Self::Badly => "✕",
            Self::Unknown => "·",
        }
    }
}

/// The author of an event, in a word.
pub fn speaker(kind: &Kind) -> &str {
    match kind {
        Kind::UserPrompt => "prompt",
        Kind::AssistantMessage => "answer",
        Kind::AssistantThinking => "thought",
        Kind::ToolCall => "call",
        Kind::ToolResult => "output",
        Kind::ContextCompacted => "summary",
        other => other.as_str().rsplit('.').next().unwrap_or_default(),
    }
}

/// What was decided about a request, and by whom: `allowed by you, once`.
pub fn decided(event: &Event) -> String {
    let decision = word(event, "decision");
    let decision = match decision.as_str() {
        "accept" | "allow" => "allowed",
        "reject" | "deny" => "denied",
        other => other,
    };
    format!("{decision} by {}", decider(event))
}

/// Who decided about a request.
pub fn decider(event: &Event) -> String {
    let by = word(event, "decided_by");
    match by.as_str() {
        "user_temporary" => "you, once".to_owned(),
        "user_permanent" => "you, always".to_owned(),
        "hook" => "a hook".to_owned(),
        "rule" => "a rule".to_owned(),
        "config" => "the agent's settings".to_owned(),
        _ => by,
    }
}

/// Describes the outcome of a decision.
pub fn outcome_says(it: &approval::Outcome) -> String {
    use approval::Outcome as O;
    match it {
        O::Taken => "applied".to_owned(),
        O::Overtaken => "answered in the agent".to_owned(),
        O::Unconfirmed => "sent".to_owned(),
        O::Void => "no decision".to_owned(),
        O::Unknown(other) => line(other),
    }
}

/// Describes the progress of a message to a session.
pub fn receipt_says(it: &Receipt) -> String {
    let reason = it.reason.as_deref().map(line);
    match (it.delivery_state.as_str(), reason) {
        ("accepted", Some(reason)) => format!("waits: {reason}"),
        ("accepted", None) => match it.not_before {
            Some(at) => format!("waits until {at:.0}"),
            None => "waits in its queue".to_owned(),
        },
        ("delivering" | "delivered", _) => "sent; not confirmed yet".to_owned(),
        ("picked_up", _) => "sent; the agent has started on it".to_owned(),
        ("failed", reason) => reason.unwrap_or_else(|| "it was not delivered".to_owned()),
        (other, _) => line(other),
    }
}

/// A field of an event's data, on one line.
pub fn word(event: &Event, name: &str) -> String {
    event.data.get(name).and_then(Value::as_str).map_or("?".to_owned(), line)
}

/// What a tool is asked to do, preceded once by the tool's name.
pub fn with_tool(event: &Event) -> String {
    let (tool, text) = (word(event, "tool"), event.text.as_deref().unwrap_or_default());
    match text.strip_prefix(tool.as_str()) {
        Some(rest) if rest.is_empty() || rest.starts_with([' ', ':']) => text.to_owned(),
        _ => format!("{tool} {text}").trim_end().to_owned(),
    }
}

/// True if a request was refused, by the word of its decision.
pub fn is_refusal(event: &Event) -> bool {
    let decision = word(event, "decision");
    ["deny", "denied", "reject", "rejected", "decline", "declined", "abort", "cancel"]
        .contains(&decision.as_str())
}

/// A flag of an event's data, if known.
pub fn flag(event: &Event, name: &str) -> Option<bool> {
    event.data.get(name).and_then(Value::as_bool)
}

/// A query, quoted as one word for a shell.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
