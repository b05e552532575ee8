//! The quality of the work in sessions, measured as events come, so that totals read no events.

use super::slots::{Due, Slot};
use crate::db::codec::{cursor_columns, from_micros, micros};
use crate::db::{Columns, StoreError};
use rusqlite::{Connection, OptionalExtension, params};
use taffrail_model::evidence::EventHead;
use taffrail_model::findings::{QualityFold, Step, step};
use taffrail_model::observed::{Marks, NewEvent};
use taffrail_model::{Confidence, EventId, Kind, Origin, Signal};

/// Notes what an event from a source of this rank says about the work.
pub(crate) fn note(slot: &mut Slot, event: &NewEvent, rank: u8) {
    let (position, _, _) = cursor_columns(&event.cursor);
    let is_later = event.kind != Kind::SessionStarted;
    let place = (micros(event.at), rank, is_later, position, event.part, event.id);
    let head = EventHead {
        id: event.id,
        parent: event.parent,
        kind: &event.kind,
        origin: &event.origin,
        signal: event.signal.as_ref(),
        marks: event.marks,
        label: event.label.as_deref(),
        excerpt: &event.excerpt,
        at: event.at,
        confidence: &event.confidence,
    };
    slot.steps.extend(step(&head, place));
}

/// Adds what came to the measures of a session; measures it again if something changed or came late.
pub(crate) fn write(index: &Connection, slot: &mut Slot) -> Result<(), StoreError> {
    let steps = std::mem::take(&mut slot.steps);
    let mut fold = QualityFold::default();
    if slot.due.has(Due::RECOUNT) {
        // Nothing is settled yet, so nothing can come too late.
        fold.add(all_steps(index, slot.row)?).unwrap_or_default();
    } else if steps.is_empty() {
        return Ok(());
    } else {
        fold = read(index, slot.row)?;
        if fold.add(steps).is_err() {
            fold = QualityFold::default();
            fold.add(all_steps(index, slot.row)?).unwrap_or_default();
        }
    }
    let json = serde_json::to_string(&fold).map_err(|e| StoreError::Damaged(e.to_string()))?;
    index
        .prepare_cached("INSERT OR REPLACE INTO quality VALUES (?1, ?2)")?
        .execute(params![slot.row, json])?;
    Ok(())
}

/// The measures of a session so far.
pub(crate) fn read(index: &Connection, session: i64) -> Result<QualityFold, StoreError> {
    let mut statement = index.prepare_cached("SELECT fold FROM quality WHERE session = ?1")?;
    let json: Option<String> = statement.query_row([session], |row| row.get(0)).optional()?;
    let Some(json) = json else { return Ok(QualityFold::default()) };
    serde_json::from_str(&json).map_err(|error| StoreError::Damaged(error.to_string()))
}

fn all_steps(index: &Connection, session: i64) -> Result<Vec<Step>, StoreError> {
    let mut statement = index.prepare_cached(include_str!("measured_events.sql"))?;
    let rows = statement.query_map([session], |row| step_of(&Columns::of(row)))?;
    Ok(rows.filter_map(Result::transpose).collect::<Result<_, _>>()?)
}

fn step_of(row: &Columns<'_, '_>) -> rusqlite::Result<Option<Step>> {
    let id = EventId::from_bytes(row.get("id")?);
    let parent = row.get::<Option<_>>("parent")?.map(EventId::from_bytes);
    let kind = Kind::from(row.get::<String>("kind")?.as_str());
    let origin = row.get::<Option<String>>("origin")?;
    let origin = origin.map_or(Origin::Transcript, |it| Origin::from(it.as_str()));
    let signal = row.get::<Option<String>>("signal")?.as_deref().map(Signal::parse);
    let marks = Marks::from_bits(row.get("marks")?);
    let label: Option<String> = row.get("label")?;
    let excerpt: String = row.get("excerpt")?;
    let at = row.get("at")?;
    let is_later = kind != Kind::SessionStarted;
    let place = (at, row.get("rank")?, is_later, row.get("position")?, row.get("part")?, id);
    let head = EventHead {
        id,
        parent,
        kind: &kind,
        origin: &origin,
        signal: signal.as_ref(),
        marks,
        label: label.as_deref(),
        excerpt: &excerpt,
        at: from_micros(at),
        confidence: &Confidence::High,
    };
    Ok(step(&head, place))
}
