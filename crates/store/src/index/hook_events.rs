//! What hooks carried of a conversation counts only where no transcript says it.
//!
//! The rule looks at the session's live events alone, so the order of reading does not matter: a
//! transcript that came first keeps the carried events out, one that comes later withdraws them,
//! and one that loses its prompts has the journal read again.

use super::append::{self, Life};
use super::slots::{Due, Slot};
use crate::db::{LISTED, StoreError};
use rusqlite::Connection;
use taffrail_model::{EventId, Kind, NewEvent, Origin, Timestamp};

/// The condition of the partial index `events_carried`.
const CARRIED: &str = "removed = 0 AND origin = 'hook' AND kind IN \
  ('session.started', 'user.prompt', 'assistant.message', 'tool.call', 'tool.result')";

/// A transcript that has one tells the conversation.
const PROMPT: &str = "user.prompt";

/// Whether the transcript of the session says what a hook carried.
pub(crate) fn is_repeated(
    index: &Connection,
    session: i64,
    event: &NewEvent,
) -> Result<bool, StoreError> {
    match event.origin == Origin::Hook && event.kind.is_carried() {
        true => is_told(index, session, teller(&event.kind)),
        false => Ok(false),
    }
}

/// Notes that a transcript may say what hooks carried.
pub(crate) fn note(slot: &mut Slot, event: &NewEvent) {
    let tells = matches!(event.kind, Kind::UserPrompt | Kind::SessionStarted);
    if tells && event.origin == Origin::Transcript {
        slot.due.add(Due::CARRIED);
    }
}

/// Withdraws the carried events that the transcript says.
pub(crate) fn withdraw(
    index: &Connection,
    slot: &mut Slot,
    now: Timestamp,
) -> Result<(), StoreError> {
    for (id, kind) in carried(index, slot.row)? {
        if is_told(index, slot.row, teller(&kind))? {
            append::remove(index, slot, id, (Life::Vanished, now))?;
        }
    }
    Ok(())
}

/// Has the journal of a session read again if no transcript tells its prompts any more; `true` if
/// there is a journal to read.
pub(crate) fn restore(index: &Connection, session: i64) -> Result<bool, StoreError> {
    if is_told(index, session, PROMPT)? {
        return Ok(false);
    }
    let mut statement = index.prepare_cached(
        "UPDATE sources SET again = 1 WHERE present = 1 AND again = 0 AND locator LIKE 'journal:%' \
         AND id IN (SELECT source FROM source_sessions WHERE session = ?1)",
    )?;
    Ok(statement.execute([session])? > 0)
}

/// The kind of transcript event that replaces a carried one: a transcript with a prompt tells the
/// whole conversation, but not every agent records its start.
fn teller(kind: &Kind) -> &'static str {
    match kind {
        Kind::SessionStarted => "session.started",
        _ => PROMPT,
    }
}

/// Whether a transcript of the session has an event of this kind.
fn is_told(index: &Connection, session: i64, kind: &str) -> Result<bool, StoreError> {
    let query = format!(
        "SELECT EXISTS (SELECT 1 FROM events WHERE session = ?1 AND kind = ?2 AND origin IS NULL \
         AND {LISTED})"
    );
    let mut statement = index.prepare_cached(&query)?;
    Ok(statement.query_row(rusqlite::params![session, kind], |row| row.get(0))?)
}

fn carried(index: &Connection, session: i64) -> Result<Vec<(EventId, Kind)>, StoreError> {
    let query = format!("SELECT id, kind FROM events WHERE session = ?1 AND {CARRIED}");
    let mut statement = index.prepare_cached(&query)?;
    let rows = statement.query_map([session], |row| {
        let kind: String = row.get(1)?;
        Ok((EventId::from_bytes(row.get(0)?), Kind::from(kind.as_str())))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}
