//! Writes events: a new event gets the next number, a changed one a new number, an equal one none.

use super::slots::{Due, Slot};
use super::{acts, hook_events, prompt_history, quality, sources, tools};
use crate::db::codec::{cursor_columns, micros};
use crate::db::{Columns, StoreError};
use rusqlite::{Connection, OptionalExtension, params};
use taffrail_model::observed::{Marks, NewEvent};
use taffrail_model::{Confidence, EventId, Origin, Signal, Timestamp, TurnId};

/// The effect of writing an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// The event is new.
    New,
    /// Its content changed, or it was removed.
    Changed,
    /// Nothing that a follower must know.
    None,
}

/// The source of an event, and when it was read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Observation {
    pub(crate) source: i64,
    pub(crate) rank: u8,
    pub(crate) now: Timestamp,
    /// Records of the source from this position on no longer count.
    pub(crate) cut: Option<i64>,
}

/// Writes one event.
pub(crate) fn event(
    connection: &Connection,
    slot: &mut Slot,
    event: &NewEvent,
    observation: Observation,
) -> Result<Change, StoreError> {
    let (position, _, _) = cursor_columns(&event.cursor);
    if observation.cut.is_some_and(|cut| position >= cut) {
        return Ok(Change::None);
    }
    if hook_events::is_repeated(connection, slot.row, event)?
        || prompt_history::is_repeated(connection, slot.row, (event, observation.source))?
    {
        return Ok(Change::None);
    }
    hook_events::note(slot, event);
    prompt_history::note(slot, event);
    if insert(connection, slot, event, observation)? {
        slot.sequence += 1;
        came(slot, event, observation.rank);
        return Ok(Change::New);
    }
    let Some(known) = known(connection, slot.row, event.id)? else {
        return Err(StoreError::Damaged(format!("event {} is refused and not there", event.id)));
    };
    let other = known.source != observation.source;
    // An event that only vanished from its source counts again if another source has it.
    let stands = known.life != Life::Vanished;
    if other && stands && !is_preferred(connection, observation.source, known.source)? {
        return Ok(Change::None);
    }
    let same = known.content == event.content && known.at == micros(event.at);
    if known.life == Life::Live && same {
        stand(connection, slot.row, event, observation.source, &known)?;
        return Ok(Change::None);
    }
    change(connection, slot, event, observation)?;
    if known.life == Life::Live {
        slot.counts.count(&known.kind, known.marks, -1);
    }
    slot.due.add(Due::RECOUNT);
    came(slot, event, observation.rank);
    Ok(Change::Changed)
}

fn came(slot: &mut Slot, event: &NewEvent, rank: u8) {
    let at = micros(event.at);
    slot.counts.count(event.kind.as_str(), event.marks, 1);
    slot.counts.stretch(at);
    acts::count(slot, at, &event.kind, event.marks);
    quality::note(slot, event, rank);
    tools::note(slot, event);
    slot.earliest = Some(slot.earliest.map_or(at, |earliest| earliest.min(at)));
    slot.due.add(Due::ROW);
}

/// Whether an event is live, and why not. The numbers are those of the column `removed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    /// It is live.
    Live = 0,
    /// Its source no longer holds it.
    Vanished = 1,
    /// Its source retracted it.
    TakenBack = 2,
}

impl Life {
    fn of(number: u8) -> Self {
        match number {
            0 => Self::Live,
            1 => Self::Vanished,
            _ => Self::TakenBack,
        }
    }
}

/// An event that the index holds already.
struct KnownEvent {
    content: [u8; 16],
    at: i64,
    life: Life,
    source: i64,
    kind: String,
    marks: Marks,
    position: i64,
    raw: [u8; 16],
}

fn known(
    connection: &Connection,
    session: i64,
    id: EventId,
) -> Result<Option<KnownEvent>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT content, at, removed, source, kind, marks, position, raw FROM events \
         WHERE session = ?1 AND id = ?2",
    )?;
    let found = statement.query_row(params![session, id.as_bytes()], |row| {
        let row = Columns::of(row);
        Ok(KnownEvent {
            content: row.get("content")?,
            at: row.get("at")?,
            life: Life::of(row.get("removed")?),
            source: row.get("source")?,
            kind: row.get("kind")?,
            marks: Marks::from_bits(row.get("marks")?),
            position: row.get("position")?,
            raw: row.get("raw")?,
        })
    });
    Ok(found.optional()?)
}

fn is_preferred(connection: &Connection, new: i64, old: i64) -> Result<bool, StoreError> {
    Ok(sources::precedence(connection, new)? > sources::precedence(connection, old)?)
}

fn insert(
    connection: &Connection,
    slot: &Slot,
    event: &NewEvent,
    observation: Observation,
) -> Result<bool, StoreError> {
    let (position, length, place) = cursor_columns(&event.cursor);
    let mut statement = connection.prepare_cached(include_str!("insert_event.sql"))?;
    let inserted = statement.execute(params![
        slot.row,
        slot.sequence + 1,
        event.id.as_bytes(),
        event.kind.as_str(),
        unless(event.origin.as_str(), Origin::Transcript.as_str()),
        unless(event.confidence.as_str(), Confidence::High.as_str()),
        micros(event.at),
        micros(observation.now),
        event.turn.as_ref().map(TurnId::as_bytes),
        event.parent.as_ref().map(EventId::as_bytes),
        event.marks.bits(),
        observation.source,
        position,
        length,
        place,
        event.part,
        event.source_event_id,
        event.label,
        event.excerpt,
        event.content,
        event.raw,
        slot.batch,
        event.signal.as_ref().map(Signal::to_text),
    ])?;
    Ok(inserted == 1)
}

/// Updates the position of an unchanged event; followers need not know.
fn stand(
    connection: &Connection,
    session: i64,
    event: &NewEvent,
    source: i64,
    known: &KnownEvent,
) -> Result<(), StoreError> {
    let (position, length, place) = cursor_columns(&event.cursor);
    if (known.source, known.position, known.raw) == (source, position, event.raw) {
        return Ok(());
    }
    let mut statement = connection.prepare_cached(
        "UPDATE events SET source = ?3, position = ?4, length = ?5, place = ?6, raw = ?7 \
         WHERE session = ?1 AND id = ?2",
    )?;
    let id = event.id;
    statement.execute(params![
        session,
        id.as_bytes(),
        source,
        position,
        length,
        place,
        event.raw
    ])?;
    Ok(())
}

/// Updates an event whose content changed: a new number and the next revision.
fn change(
    connection: &Connection,
    slot: &mut Slot,
    event: &NewEvent,
    observation: Observation,
) -> Result<(), StoreError> {
    slot.sequence += 1;
    let (position, length, place) = cursor_columns(&event.cursor);
    let mut statement = connection.prepare_cached(include_str!("change_event.sql"))?;
    statement.execute(params![
        slot.row,
        event.id.as_bytes(),
        slot.sequence,
        event.kind.as_str(),
        unless(event.confidence.as_str(), Confidence::High.as_str()),
        micros(event.at),
        micros(observation.now),
        event.turn.as_ref().map(TurnId::as_bytes),
        event.parent.as_ref().map(EventId::as_bytes),
        event.marks.bits(),
        observation.source,
        position,
        length,
        place,
        event.part,
        event.source_event_id,
        event.label,
        event.excerpt,
        event.content,
        event.raw,
        slot.batch,
        event.signal.as_ref().map(Signal::to_text),
    ])?;
    Ok(())
}

/// Retracts an event because its source says so. Another source must not revive it later, so an
/// event that was never read gets a tombstone too.
pub(crate) fn take_back(
    connection: &Connection,
    slot: &mut Slot,
    id: EventId,
    observation: Observation,
) -> Result<Change, StoreError> {
    let Some(known) = known(connection, slot.row, id)? else {
        return bury(connection, slot, id, observation);
    };
    let other = known.source != observation.source;
    if other && !is_preferred(connection, observation.source, known.source)? {
        return Ok(Change::None);
    }
    if known.life == Life::Vanished {
        return lay(connection, slot, id, (Life::TakenBack, observation.now));
    }
    remove(connection, slot, id, (Life::TakenBack, observation.now))
}

fn bury(
    connection: &Connection,
    slot: &mut Slot,
    id: EventId,
    observation: Observation,
) -> Result<Change, StoreError> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO events (session, sequence, id, revision, removed, kind, at, observed_at, \
         marks, source, position, length, part, excerpt, content, raw, batch) VALUES (?1, ?2, ?3, \
         1, 2, 'event.removed', 0, ?4, 0, ?5, 0, 0, 0, '', zeroblob(16), zeroblob(16), ?6)",
    )?;
    slot.sequence += 1;
    let (now, batch) = (micros(observation.now), slot.batch);
    statement.execute(params![
        slot.row,
        slot.sequence,
        id.as_bytes(),
        now,
        observation.source,
        batch
    ])?;
    slot.due.add(Due::ROW);
    Ok(Change::Changed)
}

/// Replaces an event by a tombstone, under a new number.
pub(crate) fn remove(
    connection: &Connection,
    slot: &mut Slot,
    id: EventId,
    how: (Life, Timestamp),
) -> Result<Change, StoreError> {
    let Some(known) = known(connection, slot.row, id)?.filter(|it| it.life == Life::Live) else {
        return Ok(Change::None);
    };
    slot.counts.count(&known.kind, known.marks, -1);
    slot.due.add(Due::RECOUNT);
    lay(connection, slot, id, how)
}

fn lay(
    connection: &Connection,
    slot: &mut Slot,
    id: EventId,
    (life, now): (Life, Timestamp),
) -> Result<Change, StoreError> {
    let mut statement = connection.prepare_cached(
        "UPDATE events SET sequence = ?3, removed = ?5, observed_at = ?4, excerpt = '', \
         label = NULL, batch = ?6 WHERE session = ?1 AND id = ?2",
    )?;
    slot.sequence += 1;
    slot.gone.push(id);
    let (at, life) = (micros(now), life as u8);
    statement.execute(params![slot.row, id.as_bytes(), slot.sequence, at, life, slot.batch])?;
    slot.due.add(Due::ROW);
    Ok(Change::Changed)
}

/// Omits the value that nearly every event has.
fn unless<'a>(word: &'a str, usual: &str) -> Option<&'a str> {
    (word != usual).then_some(word)
}
