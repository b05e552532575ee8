//! The costs of model answers, each stored once per session.

use super::slots::{Due, Slot};
use crate::db::codec::{micros, signed};
use crate::db::{Columns, StoreError};
use rusqlite::{Connection, Statement, params};
use taffrail_model::Tokens;
use taffrail_model::observed::NewUsage;

/// Whether a pass finds a model answer for the first time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Occurrence {
    /// The first time in a pass from the start: earlier values of the source do not count.
    First,
    /// Later, or in a pass that continues from a cursor.
    Later,
}

/// Writes the cost of a model answer; the later of two snapshots counts.
pub(crate) fn write(
    connection: &Connection,
    slot: &mut Slot,
    usage: &NewUsage,
    (source, occurrence): (i64, Occurrence),
) -> Result<(), StoreError> {
    slot.due.add(Due::ROW);
    if usage.cost_microdollars.is_some() {
        slot.due.add(Due::FACTS);
    }
    if insert_usage(connection, slot.row, usage, source)? {
        slot.tokens = slot.tokens.plus(usage.tokens);
        return Ok(());
    }
    let known = known_usage(connection, slot.row, usage)?;
    let (before, owned) = (known.tokens, known.owned);
    let replaces = occurrence == Occurrence::First && known.source == source;
    let after = if replaces { usage.tokens } else { usage.tokens.later_of(before) };
    let cost = usage.cost_microdollars.max(known.cost);
    if (after, cost) != (before, known.cost) {
        let later = NewUsage { tokens: after, cost_microdollars: cost, ..usage.clone() };
        update_usage(connection, slot.row, &later, source)?;
        if owned {
            slot.tokens = slot.tokens.minus(before).plus(after);
        }
    }
    Ok(())
}

fn insert_usage(
    connection: &Connection,
    session: i64,
    usage: &NewUsage,
    source: i64,
) -> Result<bool, StoreError> {
    let mut statement = connection.prepare_cached(
        "INSERT OR IGNORE INTO usage (session, key, source, at, model, owned, input_tokens, \
         output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, \
         cost_microdollars) VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, ?7, ?8, ?9, ?10, ?11)",
    )?;
    write_usage(&mut statement, session, usage, source)
}

fn update_usage(
    connection: &Connection,
    session: i64,
    usage: &NewUsage,
    source: i64,
) -> Result<bool, StoreError> {
    let mut statement = connection.prepare_cached(
        "UPDATE usage SET source = ?3, at = ?4, model = ?5, input_tokens = ?6, \
         output_tokens = ?7, cache_read_tokens = ?8, cache_write_tokens = ?9, \
         reasoning_tokens = ?10, cost_microdollars = ?11 WHERE session = ?1 AND key = ?2",
    )?;
    write_usage(&mut statement, session, usage, source)
}

fn write_usage(
    statement: &mut Statement<'_>,
    session: i64,
    usage: &NewUsage,
    source: i64,
) -> Result<bool, StoreError> {
    let spent = usage.tokens;
    let written = statement.execute(params![
        session,
        usage.key,
        source,
        usage.at.map(micros),
        usage.model,
        signed(spent.input),
        signed(spent.output),
        signed(spent.cache_read),
        signed(spent.cache_write),
        signed(spent.reasoning),
        usage.cost_microdollars,
    ])?;
    Ok(written == 1)
}

/// The stored cost of a model answer.
struct KnownUsage {
    tokens: Tokens,
    owned: bool,
    source: i64,
    cost: Option<i64>,
}

fn known_usage(
    connection: &Connection,
    session: i64,
    usage: &NewUsage,
) -> Result<KnownUsage, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, \
         reasoning_tokens, owned, source, cost_microdollars FROM usage WHERE session = ?1 AND key = ?2",
    )?;
    Ok(statement.query_row(params![session, usage.key], |row| {
        let row = Columns::of(row);
        Ok(KnownUsage {
            tokens: row.tokens()?,
            owned: row.get("owned")?,
            source: row.get("source")?,
            cost: row.get("cost_microdollars")?,
        })
    })?)
}

/// The total cost of a session's own answers, where their agent reports it.
pub(crate) fn owned_cost(connection: &Connection, session: i64) -> Result<Option<i64>, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT sum(cost_microdollars) FROM usage INDEXED BY usage_with_cost \
         WHERE session = ?1 AND cost_microdollars IS NOT NULL AND owned = 1",
    )?;
    Ok(statement.query_row([session], |row| row.get(0))?)
}
