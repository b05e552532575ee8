//! Rows of the index as input for findings: with full text where it matters.

use crate::session_change::SessionChange;
use serde_json::Map;
use taffrail_capture::{Body, Sources};
use taffrail_context::Settings;
use taffrail_ingest::{reference, sources};
use taffrail_model::event::is_said;
use taffrail_model::findings::{EventView, Fold, status_line};
use taffrail_model::observed::Marks;
use taffrail_model::{Cursor, Kind, Signal};
use taffrail_store::{EventRow, SessionRow};

/// Reads the rows of sessions.
pub(super) struct EventReader<'s> {
    sources: Sources<'s>,
}

impl<'s> EventReader<'s> {
    pub(super) fn new(settings: &'s Settings) -> Self {
        Self { sources: sources(settings) }
    }

    /// Adds rows of a session to its fold.
    pub(super) fn read_into(&mut self, session: &SessionRow, rows: &[EventRow], fold: &mut Fold) {
        for row in rows {
            let body = self.body(session, row);
            fold.take(&view(row, &body));
        }
    }

    fn body(&mut self, session: &SessionRow, row: &EventRow) -> Body {
        let whole = needs_whole(row);
        let reference = whole.then(|| reference(&session.agent, row));
        // An event that cannot be read back is represented by its excerpt.
        let body = reference.and_then(|it| self.sources.body(&it).ok());
        body.unwrap_or_else(|| excerpt(row))
    }
}

/// Adds the events of a change to the fold of its session.
pub(super) fn read_change(change: &SessionChange<'_>, fold: &mut Fold) {
    for (at, row) in change.events().iter().enumerate() {
        let body = needs_whole(row).then(|| change.body(at)).flatten();
        match body {
            Some(body) => fold.take(&view(row, body)),
            // An event that cannot be read back is represented by its excerpt.
            None => fold.take(&view(row, &excerpt(row))),
        }
    }
}

fn excerpt(row: &EventRow) -> Body {
    Body { text: Some(row.excerpt.clone()), data: Map::new(), searched: String::new() }
}

/// Whether the text or the input of an event says more than its excerpt.
fn needs_whole(row: &EventRow) -> bool {
    let failed = row.marks.has(Marks::FAILED) || row.signal == Some(Signal::Failed);
    match row.kind {
        Kind::ToolCall | Kind::ContextCompacted => is_said(&row.origin, &row.kind),
        Kind::Error => true,
        Kind::Heartbeat => row.label.as_deref() == Some(status_line::LABEL),
        _ => failed,
    }
}

fn view<'a>(row: &'a EventRow, body: &'a Body) -> EventView<'a> {
    let offset = match row.cursor {
        Cursor::Bytes { byte_offset, .. } => byte_offset,
        Cursor::Row { rowid, .. } => rowid.unsigned_abs(),
        Cursor::Pointer { .. } => 0,
    };
    EventView {
        id: row.id,
        parent: row.parent,
        kind: &row.kind,
        origin: &row.origin,
        signal: row.signal.as_ref(),
        marks: row.marks,
        label: row.label.as_deref(),
        at: row.at,
        place: (offset, u64::from(row.part)),
        confidence: &row.confidence,
        text: body.text.as_deref().unwrap_or_default(),
        data: &body.data,
    }
}
