//! An event's row in the index.

use crate::db::Columns;
use crate::db::codec::cursor_of;
use rusqlite::Row;
use taffrail_model::evidence::{EventHead, Evidence, of_event};
use taffrail_model::observed::Marks;
use taffrail_model::replication::is_locator;
use taffrail_model::{
    Confidence, Cursor, EventId, Kind, Origin, SessionId, Signal, Timestamp, TurnId,
};

/// An event as the index stores it: everything except its full text.
#[derive(Debug, Clone, PartialEq)]
pub struct EventRow {
    /// Computed from the record, never random.
    pub id: EventId,
    /// Its change number.
    pub sequence: u64,
    /// The batch it last changed in.
    pub batch: i64,
    /// Increases with every change.
    pub revision: u32,
    /// The event was removed.
    pub removed: bool,
    /// Its kind.
    pub kind: Kind,
    /// Where it was observed.
    pub origin: Origin,
    /// How far to trust it.
    pub confidence: Confidence,
    /// The agent's time.
    pub at: Timestamp,
    /// Our time.
    pub observed_at: Timestamp,
    /// Its turn.
    pub turn: Option<TurnId>,
    /// The event it answers.
    pub parent: Option<EventId>,
    /// Further flags.
    pub marks: Marks,
    /// The position of its record.
    pub cursor: Cursor,
    /// Which of the record's events.
    pub part: u32,
    /// The agent's id for the record.
    pub source_event_id: Option<String>,
    /// The tool, the model, ...
    pub label: Option<String>,
    /// The start of its text.
    pub excerpt: String,
    /// What it implies for the status, where the kind does not imply it.
    pub signal: Option<Signal>,
    /// The record's hash.
    pub raw: [u8; 16],
    /// A digest of its content.
    pub content: [u8; 16],
    /// The session that owns the record, if this event is a copy.
    pub inherited_from: Option<SessionId>,
    /// The home of its source.
    pub home: String,
    /// The path of its source below that home.
    pub path: String,
    /// The session's key in the source.
    pub key: String,
    /// The source's locator.
    pub locator: String,
    /// The source exists.
    pub present: bool,
}

impl EventRow {
    /// What the event implies for the status of its session.
    #[must_use]
    pub fn evidence(&self) -> Option<Evidence> {
        // Events of another device are not evidence here: that device publishes the status itself.
        if is_locator(&self.locator) {
            return None;
        }
        of_event(&EventHead {
            id: self.id,
            parent: self.parent,
            kind: &self.kind,
            origin: &self.origin,
            signal: self.signal.as_ref(),
            marks: self.marks,
            label: self.label.as_deref(),
            excerpt: &self.excerpt,
            at: self.at,
            confidence: &self.confidence,
        })
    }
}

/// The events of the session `?1`, with their sources.
pub(crate) const EVENT: &str = include_str!("event.sql");

/// Reads a row of [`EVENT`].
pub(crate) fn read_event(row: &Row<'_>) -> rusqlite::Result<EventRow> {
    let row = Columns::of(row);
    let usual = |name| row.get::<Option<String>>(name);
    Ok(EventRow {
        id: EventId::from_bytes(row.get("id")?),
        sequence: row.count("sequence")?,
        revision: row.get("revision")?,
        removed: row.get("removed")?,
        kind: Kind::from(row.get::<String>("kind")?.as_str()),
        origin: usual("origin")?.map_or(Origin::Transcript, |it| Origin::from(it.as_str())),
        confidence: usual("confidence")?.map_or(Confidence::High, |it| it.as_str().into()),
        at: row.time("at")?,
        observed_at: row.time("observed_at")?,
        turn: row.get::<Option<_>>("turn")?.map(TurnId::from_bytes),
        parent: row.get::<Option<_>>("parent")?.map(EventId::from_bytes),
        marks: Marks::from_bits(row.get("marks")?),
        cursor: cursor_of(row.get("position")?, row.get("length")?, row.get("place")?)?,
        part: row.get("part")?,
        source_event_id: row.get("source_event_id")?,
        label: row.get("label")?,
        excerpt: row.get("excerpt")?,
        raw: row.get("raw")?,
        inherited_from: row.get::<Option<_>>("inherited_from")?.map(SessionId::from_bytes),
        home: row.get("home")?,
        path: row.get("path")?,
        key: row.get("key")?,
        locator: row.get("locator")?,
        present: row.get("present")?,
        batch: row.get("batch")?,
        signal: usual("signal")?.as_deref().map(Signal::parse),
        content: row.get("content")?,
    })
}
