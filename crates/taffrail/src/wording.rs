//! Words and marks in an event's data, as every face reads them.

use crate::terminal::line;
use serde_json::Value;
use taffrail_api::Receipt;
use taffrail_model::Event;

/// How a tool call went, where the agent said so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Well,
    Badly,
    Unknown,
}

impl Outcome {
    /// Of a result.
    pub(crate) fn of(event: &Event) -> Self {
        let exit_code = event.data.get("exit_code").and_then(Value::as_i64);
        match (flag(event, "failed"), exit_code) {
            (Some(true), _) => Self::Badly,
            (_, Some(code)) if code != 0 => Self::Badly,
            (Some(false), _) | (_, Some(_)) => Self::Well,
            (None, None) => Self::Unknown,
        }
    }

    /// One character.
    pub(crate) fn mark(self) -> &'static str {
        match self {
            Self::Well => "✓",
            Self::Badly => "✕",
            Self::Unknown => "·",
        }
    }
}

/// How far a message to a session has come.
pub(crate) fn receipt_says(it: &Receipt) -> String {
    let reason = it.reason.as_deref().map(line);
    match (it.delivery_state.as_str(), reason) {
        ("accepted", Some(reason)) => format!("waits in its queue: {reason}"),
        ("accepted", None) => "waits in its queue".to_owned(),
        ("delivered", _) => "was put in; the agent has not said that it took it".to_owned(),
        ("picked_up", _) => "was taken up".to_owned(),
        ("failed", reason) => reason.unwrap_or_else(|| "it was not delivered".to_owned()),
        (other, _) => line(other),
    }
}

/// A word of an event's data, on one line.
pub(crate) fn word(event: &Event, name: &str) -> String {
    event.data.get(name).and_then(Value::as_str).map_or("?".to_owned(), line)
}

/// A flag of an event's data, where it is known.
pub(crate) fn flag(event: &Event, name: &str) -> Option<bool> {
    event.data.get(name).and_then(Value::as_bool)
}
