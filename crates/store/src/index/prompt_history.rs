//! The prompts of a prompt history count only where no other source has their session.
//!
//! The rule looks at the session's sources and live events alone, so the order of reading does not
//! matter: a transcript that came first keeps the prompts out, one that comes later withdraws them,
//! and one that loses the session has the prompt history read again. A prompt that a hook carried
//! counts for more, too. What a prompt history no longer holds stays, because agents cut and remove
//! these files.

use super::append::{self, Life};
use super::slots::{Due, Slot};
use crate::db::StoreError;
use rusqlite::{Connection, params};
use taffrail_model::{EventId, Kind, NewEvent, Origin, Timestamp};

/// Whether another source than this one has the session, or a hook carried its prompts.
const ELSEWHERE: &str = "EXISTS (SELECT 1 FROM source_sessions JOIN sources ON sources.id = source \
   WHERE session = ?1 AND source <> ?2 AND locator NOT LIKE 'prompts:%' \
   AND locator NOT LIKE 'journal:%') \
 OR EXISTS (SELECT 1 FROM events WHERE session = ?1 AND removed = 0 AND origin = 'hook' \
   AND kind = 'user.prompt')";

/// Whether another source says what a prompt history holds.
pub(crate) fn is_repeated(
    index: &Connection,
    session: i64,
    (event, source): (&NewEvent, i64),
) -> Result<bool, StoreError> {
    match event.origin {
        Origin::PromptHistory => is_elsewhere(index, session, source),
        _ => Ok(false),
    }
}

/// Notes that another source may say what a prompt history holds.
pub(crate) fn note(slot: &mut Slot, event: &NewEvent) {
    if event.origin == Origin::Hook && event.kind == Kind::UserPrompt {
        slot.due.add(Due::CARRIED);
    }
}

/// Withdraws the prompts that another source has.
pub(crate) fn withdraw(
    index: &Connection,
    slot: &mut Slot,
    now: Timestamp,
) -> Result<(), StoreError> {
    for (id, source) in prompts(index, slot.row)? {
        if is_elsewhere(index, slot.row, source)? {
            append::remove(index, slot, id, (Life::Vanished, now))?;
        }
    }
    Ok(())
}

/// Has the prompt histories of a session read again if no other source has the session any more;
/// `true` if there is one to read.
pub(crate) fn restore(index: &Connection, session: i64) -> Result<bool, StoreError> {
    let query = format!(
        "UPDATE sources SET again = 1 WHERE present = 1 AND again = 0 AND locator LIKE 'prompts:%' \
         AND id IN (SELECT source FROM source_sessions WHERE session = ?1) AND NOT ({ELSEWHERE})"
    );
    // No source has the number 0.
    Ok(index.prepare_cached(&query)?.execute(params![session, 0])? > 0)
}

/// Whether a source is a prompt history.
pub(crate) fn is_history(index: &Connection, source: i64) -> Result<bool, StoreError> {
    let mut statement =
        index.prepare_cached("SELECT locator LIKE 'prompts:%' FROM sources WHERE id = ?1")?;
    Ok(statement.query_row([source], |row| row.get(0))?)
}

fn is_elsewhere(index: &Connection, session: i64, source: i64) -> Result<bool, StoreError> {
    let mut statement = index.prepare_cached(&format!("SELECT {ELSEWHERE}"))?;
    Ok(statement.query_row(params![session, source], |row| row.get(0))?)
}

fn prompts(index: &Connection, session: i64) -> Result<Vec<(EventId, i64)>, StoreError> {
    let mut statement = index.prepare_cached(
        "SELECT id, source FROM events WHERE session = ?1 AND removed = 0 \
         AND origin = 'prompt_history'",
    )?;
    let rows = statement
        .query_map([session], |row| Ok((EventId::from_bytes(row.get(0)?), row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
