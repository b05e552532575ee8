//! The costs of model answers, each stored once per session.

use super::answer_prices::Pricing;
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
    pricing: &Pricing,
) -> Result<(), StoreError> {
    slot.due.add(Due::ROW);
    let price = pricing.of(usage);
    if insert_usage(connection, slot.row, (usage, price), source)? {
        slot.due.add(Due::SPENT);
        slot.tokens = slot.tokens.plus(usage.tokens);
        return Ok(());
    }
    let known = known_usage(connection, slot.row, usage)?;
    let (before, owned) = (known.tokens, known.owned);
    let replaces = occurrence == Occurrence::First && known.source == source;
    let after = if replaces { usage.tokens } else { usage.tokens.later_of(before) };
    let cost_microdollars = usage.cost_microdollars.max(known.cost);
    let longest = usage.cache_write_1h.max(known.cache_write_1h);
    let cache_write_1h = if replaces { usage.cache_write_1h } else { longest };
    let is_new =
        (after, cost_microdollars, cache_write_1h) != (before, known.cost, known.cache_write_1h);
    if is_new {
        let later = NewUsage { tokens: after, cache_write_1h, cost_microdollars, ..usage.clone() };
        let price = pricing.of(&later);
        update_usage(connection, slot.row, (&later, price), source)?;
        slot.due.add(Due::SPENT);
        if owned {
            slot.tokens = slot.tokens.minus(before).plus(after);
        }
    }
    Ok(())
}

fn insert_usage(
    connection: &Connection,
    session: i64,
    usage: (&NewUsage, Option<i64>),
    source: i64,
) -> Result<bool, StoreError> {
    let mut statement = connection.prepare_cached(
        "INSERT OR IGNORE INTO usage (session, key, source, at, model, owned, input_tokens, \
         output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, \
         cost_microdollars, cache_write_1h_tokens, estimated_microdollars) \
         VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
    )?;
    write_usage(&mut statement, session, usage, source)
}

fn update_usage(
    connection: &Connection,
    session: i64,
    usage: (&NewUsage, Option<i64>),
    source: i64,
) -> Result<bool, StoreError> {
    let mut statement = connection.prepare_cached(
        "UPDATE usage SET source = ?3, at = ?4, model = ?5, input_tokens = ?6, \
         output_tokens = ?7, cache_read_tokens = ?8, cache_write_tokens = ?9, \
         reasoning_tokens = ?10, cost_microdollars = ?11, cache_write_1h_tokens = ?12, \
         estimated_microdollars = ?13 WHERE session = ?1 AND key = ?2",
    )?;
    write_usage(&mut statement, session, usage, source)
}

fn write_usage(
    statement: &mut Statement<'_>,
    session: i64,
    (usage, price): (&NewUsage, Option<i64>),
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
        signed(usage.cache_write_1h),
        price,
    ])?;
    Ok(written == 1)
}

/// The stored cost of a model answer.
struct KnownUsage {
    tokens: Tokens,
    owned: bool,
    source: i64,
    cost: Option<i64>,
    cache_write_1h: u64,
}

fn known_usage(
    connection: &Connection,
    session: i64,
    usage: &NewUsage,
) -> Result<KnownUsage, StoreError> {
    let mut statement = connection.prepare_cached(
        "SELECT input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, \
         reasoning_tokens, owned, source, cost_microdollars, cache_write_1h_tokens FROM usage \
         WHERE session = ?1 AND key = ?2",
    )?;
    Ok(statement.query_row(params![session, usage.key], |row| {
        let row = Columns::of(row);
        Ok(KnownUsage {
            tokens: row.tokens()?,
            owned: row.get("owned")?,
            source: row.get("source")?,
            cost: row.get("cost_microdollars")?,
            cache_write_1h: row.count("cache_write_1h_tokens")?,
        })
    })?)
}

/// Reads an answer.
pub(crate) fn read_usage(row: &Columns<'_, '_>) -> rusqlite::Result<NewUsage> {
    Ok(NewUsage {
        key: row.get("key")?,
        at: row.maybe_time("at")?,
        model: row.get("model")?,
        tokens: row.tokens()?,
        cache_write_1h: row.count("cache_write_1h_tokens")?,
        cost_microdollars: row.get("cost_microdollars")?,
    })
}
