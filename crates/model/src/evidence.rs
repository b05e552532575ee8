//! What a status rests on.

use crate::observed::Marks;
use crate::{Confidence, EventId, Kind, Origin, Signal, Timestamp};
use serde::Serialize;

/// One thing that was said about how a session stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// Who said it.
    pub source: Origin,
    /// The event's kind, or the hook's own name.
    pub kind: String,
    /// Its own time, which orders it.
    pub at: Timestamp,
    /// How far to trust it.
    pub confidence: Confidence,
    /// What follows from it.
    pub says: Signal,
    /// What it is about: a command, a question, a reason.
    pub detail: String,
}

/// Whether the process that runs a session lives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Life {
    /// No process is known.
    #[default]
    Unknown,
    /// It lives.
    Alive,
    /// It was known and is gone.
    Dead,
}

/// An event as evidence needs it.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// Its id; a call and its result are joined by it.
    pub id: EventId,
    /// The event it answers.
    pub parent: Option<EventId>,
    /// What it says.
    pub kind: &'a Kind,
    /// Who said it.
    pub origin: &'a Origin,
    /// What follows, where its adapter said so.
    pub signal: Option<&'a Signal>,
    /// What else is true of it.
    pub marks: Marks,
    /// The tool, the hook's name, the reason.
    pub label: Option<&'a str>,
    /// The beginning of its text.
    pub excerpt: &'a str,
    /// When.
    pub at: Timestamp,
    /// How far to trust it.
    pub confidence: &'a Confidence,
}

/// What an event says about how its session stands; `None` where it says nothing.
#[must_use]
pub fn of_event(seen: &Seen<'_>) -> Option<Evidence> {
    let says = match (seen.signal, seen.kind) {
        (Some(signal), _) => signal.clone(),
        (None, Kind::UserPrompt) => Signal::Prompted,
        (None, Kind::ToolCall) => {
            Signal::Called { call: seen.id.to_string(), input: String::new() }
        }
        (None, _) => return None,
    };
    let hook = (*seen.origin == Origin::Hook).then_some(seen.label).flatten();
    Some(Evidence {
        source: seen.origin.clone(),
        kind: hook.unwrap_or(seen.kind.as_str()).to_owned(),
        at: seen.at,
        confidence: seen.confidence.clone(),
        says,
        detail: seen.excerpt.to_owned(),
    })
}
