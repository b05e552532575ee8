//! Writing events: new ones get the next number, changed ones a new number, equal ones none.

use crate::StoreError;
use crate::codec::{cursor_columns, micros};
use crate::sessions::{Due, Slot};
use crate::sources;
use rusqlite::{Connection, OptionalExtension, params};
use taffrail_model::observed::{Marks, NewEvent};
use taffrail_model::{Confidence, EventId, Origin, Signal, Timestamp, TurnId};

/// What became of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// It is new.
    New,
    /// It says something else now, or no longer stands.
    Changed,
    /// Nothing a follower must know.
    None,
}

/// Who says it, and when we heard it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heard {
    pub(crate) source: i64,
    pub(crate) now: Timestamp,
    /// What the source says from here on no longer counts.
    pub(crate) cut: Option<i64>,
}

/// Writes one event.
pub(crate) fn event(
    connection: &Connection,
    slot: &mut Slot,
    event: &NewEvent,
    heard: Heard,
) -> Result<Change, StoreError> {
    let (position, _, _) = cursor_columns(&event.cursor);
    if heard.cut.is_some_and(|cut| position >= cut) {
        return Ok(Change::None);
    }
    if insert(connection, slot, event, heard)? {
        slot.sequence += 1;
        came(slot, event);
        return Ok(Change::New);
    }
    let Some(known) = known(connection, slot.row, event.id)? else {
        return Err(StoreError::Damaged(format!("event {} is refused and not there", event.id)));
    };
    let other = known.source != heard.source;
    // What merely vanished from its source still stands if another says it.
    let stands = known.life != Life::Vanished;
    if other && stands && !is_preferred(connection, heard.source, known.source)? {
        return Ok(Change::None);
    }
    let same = known.content == event.content && known.at == micros(event.at);
    if known.life == Life::Live && same {
        stand(connection, slot.row, event, heard.source, &known)?;
        return Ok(Change::None);
    }
    change(connection, slot, event, heard)?;
    if known.life == Life::Live {
        slot.counts.count(&known.kind, known.marks, -1);
    }
    slot.due.add(Due::RECOUNT);
    came(slot, event);
    Ok(Change::Changed)
}

fn came(slot: &mut Slot, event: &NewEvent) {
    let at = micros(event.at);
    slot.counts.count(event.kind.as_str(), event.marks, 1);
    slot.counts.stretch(at);
    slot.earliest = Some(slot.earliest.map_or(at, |earliest| earliest.min(at)));
    slot.due.add(Due::ROW);
}

/// Whether an event stands, and why not. The numbers are those of the column `removed`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Life {
    /// It stands.
    Live = 0,
    /// Its source no longer holds it.
    Vanished = 1,
    /// Its source took it back.
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

/// An event as it stands.
struct Standing {
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
) -> Result<Option<Standing>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT content, removed, source, kind, marks, position, raw, at FROM events \
         WHERE session = ?1 AND id = ?2",
    )?;
    let found = statement.query_row(params![session, id.as_bytes()], |row| {
        Ok(Standing {
            content: row.get(0)?,
            life: Life::of(row.get(1)?),
            source: row.get(2)?,
            kind: row.get(3)?,
            marks: Marks::from_bits(row.get(4)?),
            position: row.get(5)?,
            raw: row.get(6)?,
            at: row.get(7)?,
        })
    });
    Ok(found.optional()?)
}

fn is_preferred(connection: &Connection, new: i64, old: i64) -> Result<bool, StoreError> {
    Ok(sources::standing(connection, new)? > sources::standing(connection, old)?)
}

fn insert(
    connection: &Connection,
    slot: &Slot,
    event: &NewEvent,
    heard: Heard,
) -> Result<bool, StoreError> {
    let (position, length, place) = cursor_columns(&event.cursor);
    let mut statement = connection.prepare_cached(
        "INSERT OR IGNORE INTO events (session, sequence, id, revision, removed, kind, origin, \
         confidence, at, observed_at, turn, parent, marks, source, position, length, place, part, \
         source_event_id, label, excerpt, content, raw, batch, signal) VALUES (?1, ?2, ?3, 1, 0, ?4, \
         ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23)",
    )?;
    let inserted = statement.execute(params![
        slot.row,
        slot.sequence + 1,
        event.id.as_bytes(),
        event.kind.as_str(),
        unless(event.origin.as_str(), Origin::Transcript.as_str()),
        unless(event.confidence.as_str(), Confidence::High.as_str()),
        micros(event.at),
        micros(heard.now),
        event.turn.as_ref().map(TurnId::as_bytes),
        event.parent.as_ref().map(EventId::as_bytes),
        event.marks.bits(),
        heard.source,
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

/// The same event, met elsewhere: only where it stands changes, and no follower is told.
fn stand(
    connection: &Connection,
    session: i64,
    event: &NewEvent,
    source: i64,
    known: &Standing,
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

/// The same id with other content: a new number, one revision more.
fn change(
    connection: &Connection,
    slot: &mut Slot,
    event: &NewEvent,
    heard: Heard,
) -> Result<(), StoreError> {
    slot.sequence += 1;
    let (position, length, place) = cursor_columns(&event.cursor);
    let mut statement = connection.prepare_cached(
        "UPDATE events SET sequence = ?3, revision = revision + 1, removed = 0, kind = ?4, \
         confidence = ?5, at = ?6, observed_at = ?7, turn = ?8, parent = ?9, marks = ?10, \
         source = ?11, position = ?12, length = ?13, place = ?14, part = ?15, \
         source_event_id = ?16, label = ?17, excerpt = ?18, content = ?19, raw = ?20, batch = ?21, \
         signal = ?22 WHERE session = ?1 AND id = ?2",
    )?;
    statement.execute(params![
        slot.row,
        event.id.as_bytes(),
        slot.sequence,
        event.kind.as_str(),
        unless(event.confidence.as_str(), Confidence::High.as_str()),
        micros(event.at),
        micros(heard.now),
        event.turn.as_ref().map(TurnId::as_bytes),
        event.parent.as_ref().map(EventId::as_bytes),
        event.marks.bits(),
        heard.source,
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

/// Takes an event back because its source says so; one that another source tells later must not
/// come to life, so a tombstone stands also for what was never met.
pub(crate) fn take_back(
    connection: &Connection,
    slot: &mut Slot,
    id: EventId,
    heard: Heard,
) -> Result<Change, StoreError> {
    let Some(known) = known(connection, slot.row, id)? else {
        return bury(connection, slot, id, heard);
    };
    let other = known.source != heard.source;
    if other && !is_preferred(connection, heard.source, known.source)? {
        return Ok(Change::None);
    }
    if known.life == Life::Vanished {
        return lay(connection, slot, id, (Life::TakenBack, heard.now));
    }
    remove(connection, slot, id, (Life::TakenBack, heard.now))
}

fn bury(
    connection: &Connection,
    slot: &mut Slot,
    id: EventId,
    heard: Heard,
) -> Result<Change, StoreError> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO events (session, sequence, id, revision, removed, kind, at, observed_at, \
         marks, source, position, length, part, excerpt, content, raw, batch) VALUES (?1, ?2, ?3, \
         1, 2, 'event.removed', 0, ?4, 0, ?5, 0, 0, 0, '', zeroblob(16), zeroblob(16), ?6)",
    )?;
    slot.sequence += 1;
    let (now, batch) = (micros(heard.now), slot.batch);
    statement.execute(params![slot.row, slot.sequence, id.as_bytes(), now, heard.source, batch])?;
    slot.due.add(Due::ROW);
    Ok(Change::Changed)
}

/// Leaves a tombstone where an event stood, under a new number.
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

/// What nearly every event has is not written down.
fn unless<'a>(word: &'a str, usual: &str) -> Option<&'a str> {
    (word != usual).then_some(word)
}
