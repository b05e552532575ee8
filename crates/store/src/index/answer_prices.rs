//! Prices of model answers, as the writer needs them.

use super::usage::read_usage;
use super::{Writer, spent};
use crate::db::{Columns, StoreError, meta};
use rusqlite::{Connection, params};
use std::fmt;
use std::sync::Arc;
use taffrail_model::hash::Digest16;
use taffrail_model::observed::NewUsage;

type Price = dyn Fn(&NewUsage) -> Option<i64> + Send + Sync;

/// Gives the list price of a model answer.
#[derive(Clone)]
pub struct Pricing {
    stamp: String,
    price: Arc<Price>,
}

impl fmt::Debug for Pricing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pricing").field("stamp", &self.stamp).finish_non_exhaustive()
    }
}

impl Default for Pricing {
    fn default() -> Self {
        Self::new("", |_| None)
    }
}

impl Pricing {
    /// Prices by a function. `stamp` differs whenever the function may give another price: then
    /// every answer is priced again.
    pub fn new(
        stamp: impl Into<String>,
        price: impl Fn(&NewUsage) -> Option<i64> + Send + Sync + 'static,
    ) -> Self {
        Self { stamp: stamp.into(), price: Arc::new(price) }
    }

    /// The price in millionths of a dollar; `None` if it is unknown.
    pub(crate) fn of(&self, usage: &NewUsage) -> Option<i64> {
        (self.price)(usage)
    }
}

/// The name of the stamp in the index.
pub(crate) const PRICES: &str = "prices";

impl Writer {
    /// Prices every answer again if the prices have changed. Reads no source.
    pub(crate) fn reprice(&mut self) -> Result<(), StoreError> {
        let pricing = self.boot.pricing.clone();
        if meta::get(&self.index, PRICES)?.unwrap_or_default() == pricing.stamp {
            return Ok(());
        }
        self.begin()?;
        for session in sessions(&self.index)? {
            if reprice_session(&self.index, session, &pricing)? {
                spent::write(&self.index, session, &self.boot)?;
            }
        }
        meta::set(&self.index, PRICES, &pricing.stamp)?;
        self.index.prepare_cached("COMMIT")?.execute([])?;
        Ok(())
    }
}

/// The sessions with answers. Sub-agents come after the sessions that started them, but their costs
/// may be part of these, so they go first.
fn sessions(index: &Connection) -> Result<Vec<i64>, StoreError> {
    let query = "SELECT id FROM sessions WHERE id IN (SELECT DISTINCT session FROM usage) \
                 ORDER BY parent IS NULL, id";
    let mut statement = index.prepare(query)?;
    let rows = statement.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Prices the answers of a session; `false` if nothing changed.
fn reprice_session(
    index: &Connection,
    session: i64,
    pricing: &Pricing,
) -> Result<bool, StoreError> {
    let mut changed = Vec::new();
    for (usage, before) in answers(index, session)? {
        let after = pricing.of(&usage);
        if after != before {
            changed.push((usage.key, after));
        }
    }
    for (key, price) in &changed {
        write_price(index, (session, *key), *price)?;
    }
    Ok(!changed.is_empty())
}

fn answers(index: &Connection, session: i64) -> Result<Vec<(NewUsage, Option<i64>)>, StoreError> {
    let mut statement = index.prepare_cached(
        "SELECT key, at, model, input_tokens, output_tokens, cache_read_tokens, \
         cache_write_tokens, reasoning_tokens, cache_write_1h_tokens, cost_microdollars, \
         estimated_microdollars FROM usage WHERE session = ?1",
    )?;
    let rows = statement.query_map([session], |row| {
        let row = Columns::of(row);
        Ok((read_usage(&row)?, row.get("estimated_microdollars")?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn write_price(
    index: &Connection,
    (session, key): (i64, Digest16),
    price: Option<i64>,
) -> Result<(), StoreError> {
    index
        .prepare_cached(
            "UPDATE usage SET estimated_microdollars = ?3 WHERE session = ?1 AND key = ?2",
        )?
        .execute(params![session, key, price])?;
    Ok(())
}
