//! An event as findings read it.

use crate::evidence::{self, EventHead};
use crate::observed::Marks;
use crate::{Confidence, Cursor, Event, EventId, Kind, Origin, Signal, Timestamp};
use serde_json::{Map, Value};

/// An event as findings read it: complete if its text matters, else as indexed.
#[derive(Debug, Clone, Copy)]
pub struct EventView<'a> {
    /// The id.
    pub id: EventId,
    /// The event this one answers.
    pub parent: Option<EventId>,
    /// The kind.
    pub kind: &'a Kind,
    /// The source.
    pub origin: &'a Origin,
    /// The effect on the status, if the adapter set it.
    pub signal: Option<&'a Signal>,
    /// Flags of the event.
    pub marks: Marks,
    /// The tool, the code, the reason.
    pub label: Option<&'a str>,
    /// When.
    pub at: Timestamp,
    /// The record's position among those of the same instant, and the event's index in the record.
    pub place: (u64, u64),
    /// The confidence.
    pub confidence: &'a Confidence,
    /// The text, or its beginning.
    pub text: &'a str,
    /// Further fields: the input of a call, the code of an error.
    pub data: &'a Map<String, Value>,
}

impl<'a> EventView<'a> {
    /// A complete event. It does not show whether it ends its turn, unless it is a stop.
    #[must_use]
    pub fn of(event: &'a Event) -> Self {
        let names = ["tool", "reason", "decision", "code", "hook", "label"];
        let label = names.iter().find_map(|name| event.data.get(*name)?.as_str());
        let failed = event.data.get("failed").and_then(Value::as_bool) == Some(true);
        let exit = event.data.get("exit_code").and_then(Value::as_i64);
        let is_failed = failed || exit.is_some_and(|it| it != 0);
        let ends = event.kind == Kind::AgentStopped;
        let mut marks = if is_failed { Marks::FAILED } else { Marks::default() };
        marks = if ends { marks.with(Marks::ENDS_TURN) } else { marks };
        Self {
            id: event.id,
            parent: event.parent_id,
            kind: &event.kind,
            origin: &event.source,
            signal: None,
            marks,
            label,
            at: event.created_at,
            place: (offset(&event.provenance.source_cursor), event.sequence),
            confidence: &event.confidence,
            text: event.text.as_deref().unwrap_or_default(),
            data: &event.data,
        }
    }

    /// The event's effect on the status.
    pub(super) fn says(&self) -> Option<Signal> {
        evidence::says(&EventHead {
            id: self.id,
            parent: self.parent,
            kind: self.kind,
            origin: self.origin,
            signal: self.signal,
            marks: self.marks,
            label: self.label,
            excerpt: "",
            at: self.at,
            confidence: self.confidence,
        })
    }

    /// Whether the agent's own history reports the event; hooks and probes only repeat such work.
    pub(super) fn is_spoken(&self) -> bool {
        is_spoken(self.origin, self.kind)
    }
}

/// Whether the agent's own history reports an event of this kind.
pub(super) fn is_spoken(origin: &Origin, kind: &Kind) -> bool {
    match origin {
        Origin::Transcript | Origin::Input => true,
        Origin::Hook => kind.is_carried(),
        Origin::Pty
        | Origin::Telemetry
        | Origin::Registry
        | Origin::Process
        | Origin::Derived
        | Origin::PromptHistory
        | Origin::Unknown(_) => false,
    }
}

/// A record's offset, as far as it orders records.
fn offset(cursor: &Cursor) -> u64 {
    match cursor {
        Cursor::Bytes { byte_offset, .. } => *byte_offset,
        Cursor::Row { rowid, .. } => rowid.unsigned_abs(),
        Cursor::Pointer { .. } => 0,
    }
}
