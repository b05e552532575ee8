//! An event as findings read it.

use crate::evidence::{self, EventHead};
use crate::observed::Marks;
use crate::{Confidence, Cursor, Event, EventId, Kind, Origin, Signal, Timestamp};
use serde_json::{Map, Value};

/// An event as findings read it: whole where its text tells something, else as the index knows it.
#[derive(Debug, Clone, Copy)]
pub struct EventView<'a> {
    /// Its id.
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
    /// The tool, the code, the reason.
    pub label: Option<&'a str>,
    /// When.
    pub at: Timestamp,
    /// Where its record stands among those of the same instant, and which of the record's events.
    pub place: (u64, u64),
    /// How far to trust it.
    pub confidence: &'a Confidence,
    /// Its text, or the beginning of it.
    pub text: &'a str,
    /// What else it says: the input of a call, the code of an error.
    pub data: &'a Map<String, Value>,
}

impl<'a> EventView<'a> {
    /// An event that is known whole. Whether it ends its turn is not told by it; a stop is.
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

    /// What follows from it for the status.
    pub(super) fn says(&self) -> Option<Signal> {
        let head = EventHead {
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
        };
        evidence::of_event(&head).map(|it| it.says)
    }

    /// The agent's own history says it; what hooks and probes say of work repeats it.
    pub(super) fn is_spoken(&self) -> bool {
        match self.origin {
            Origin::Transcript | Origin::Input => true,
            Origin::Hook
            | Origin::Pty
            | Origin::Telemetry
            | Origin::Registry
            | Origin::Process
            | Origin::Unknown(_) => false,
        }
    }
}

/// Where a record stands, as far as that orders records.
fn offset(cursor: &Cursor) -> u64 {
    match cursor {
        Cursor::Bytes { byte_offset, .. } => *byte_offset,
        Cursor::Row { rowid, .. } => rowid.unsigned_abs(),
        Cursor::Pointer { .. } => 0,
    }
}
