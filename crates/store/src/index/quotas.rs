//! Limits of accounts: the newest observation of each, and enough history to see its pace.

use super::Writer;
use crate::db::rows::quota;
use crate::db::{StoreError, meta};
use rusqlite::{Connection, params};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use taffrail_model::Timestamp;
use taffrail_model::observed::Observed;
use taffrail_model::quota::{Limit, Observation};

/// The name in `meta` of the last batch that wrote observations.
pub(crate) const LAST_WRITTEN: &str = "quotas";
/// The most limits that are kept. An account has a few; a file that names more is made up.
const MOST_LIMITS: usize = 64;
/// How far ahead of our clock an observation may be, in seconds.
const AHEAD: i64 = 300;
/// How many windows back observations are kept: earlier ones show the pauses of a day or a week.
const WINDOWS: i64 = 6;
/// At most one observation of a session is kept in this part of a window, or in a minute.
const SLOT_PART: i64 = 1000;

/// The latest observations of each limit.
pub(super) type Latest = HashMap<Limit, LatestPair>;

/// The latest observation, and the one before.
#[derive(Debug)]
pub(super) struct LatestPair {
    last: Observation,
    before: Option<Observation>,
}

impl Writer {
    /// Writes the limits that a piece reports.
    pub(super) fn write_quotas(
        &mut self,
        observed: &Observed,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        if observed.quotas.is_empty() {
            return Ok(());
        }
        if self.quotas.is_none() {
            self.quotas = Some(latest(&self.index)?);
        }
        let latest = self.quotas.get_or_insert_default();
        let is_past = |it: &&Observation| it.at.as_second() <= now.as_second() + AHEAD;
        let mut written = 0;
        for seen in observed.quotas.iter().filter(is_past) {
            written += u32::from(write(&self.index, latest, seen)?);
        }
        if written > 0 {
            meta::set(&self.index, LAST_WRITTEN, &self.batch.to_string())?;
        }
        Ok(())
    }
}

/// Removes the name of a session; what was seen stays, because it is about the account.
pub(super) fn forget(index: &Connection, session: i64) -> Result<(), StoreError> {
    let query = "UPDATE OR REPLACE quotas SET session = x'' \
                 WHERE session = (SELECT uuid FROM sessions WHERE id = ?1)";
    index.execute(query, [session])?;
    Ok(())
}

fn latest(index: &Connection) -> Result<Latest, StoreError> {
    let mut all = quota::all(index)?;
    all.sort_by(|a, b| a.order().cmp(&b.order()));
    let mut latest = Latest::new();
    for seen in &all {
        note(&mut latest, seen);
    }
    Ok(latest)
}

/// Writes an observation; `false` if it says nothing new.
fn write(index: &Connection, latest: &mut Latest, seen: &Observation) -> Result<bool, StoreError> {
    let count = latest.len();
    match latest.get(&seen.limit) {
        None if count >= MOST_LIMITS => return Ok(false),
        Some(known) if is_old(seen, &known.last) || known.last == *seen => return Ok(false),
        // Of equal figures in a row, the first and the last say all.
        Some(LatestPair { last, before: Some(before) })
            if is_later(seen, last) && is_equal(seen, last) && is_equal(last, before) =>
        {
            delete(index, last)?;
        }
        Some(_) | None => {}
    }
    insert(index, seen)?;
    if note(latest, seen) {
        prune(index, seen)?;
    }
    Ok(true)
}

/// Notes an observation; whether it is the latest of its limit.
fn note(latest: &mut Latest, seen: &Observation) -> bool {
    match latest.entry(seen.limit.clone()) {
        Entry::Vacant(free) => {
            free.insert(LatestPair { last: seen.clone(), before: None });
        }
        Entry::Occupied(mut known) if is_later(seen, &known.get().last) => {
            let pair = known.get_mut();
            let last = std::mem::replace(&mut pair.last, seen.clone());
            let replaces = pair.before.as_ref().is_some_and(|it| is_equal(it, &last));
            // The middle of three equal ones is not stored.
            if !(replaces && is_equal(&last, seen)) {
                pair.before = Some(last);
            }
        }
        Entry::Occupied(_) => return false,
    }
    true
}

fn is_later(seen: &Observation, other: &Observation) -> bool {
    seen.order() > other.order()
}

fn is_equal(seen: &Observation, other: &Observation) -> bool {
    seen.used == other.used && seen.is_of_window(other)
}

fn is_old(seen: &Observation, newest: &Observation) -> bool {
    slot(seen) < first_slot(newest)
}

fn slot(seen: &Observation) -> i64 {
    seen.at.as_second().div_euclid(slot_seconds(&seen.limit))
}

fn slot_seconds(limit: &Limit) -> i64 {
    (limit.seconds() / SLOT_PART).max(60)
}

/// The first slot that is kept.
fn first_slot(newest: &Observation) -> i64 {
    slot(newest) - newest.limit.seconds() * WINDOWS / slot_seconds(&newest.limit)
}

fn insert(index: &Connection, seen: &Observation) -> Result<(), StoreError> {
    let mut statement = index.prepare_cached(include_str!("insert_quota.sql"))?;
    statement.execute(params![
        seen.limit.agent.as_str(),
        seen.limit.window_minutes,
        seen.limit.name,
        slot(seen),
        quota::session(seen),
        seen.at.as_microsecond(),
        seen.used.as_hundredths(),
        seen.resets_at.as_microsecond(),
        seen.source.as_str(),
    ])?;
    Ok(())
}

fn delete(index: &Connection, seen: &Observation) -> Result<(), StoreError> {
    let mut statement = index.prepare_cached(
        "DELETE FROM quotas WHERE agent = ?1 AND window_minutes = ?2 AND name = ?3 AND slot = ?4 \
         AND session = ?5",
    )?;
    let (limit, session) = (&seen.limit, quota::session(seen));
    let values =
        params![limit.agent.as_str(), limit.window_minutes, limit.name, slot(seen), session];
    statement.execute(values)?;
    Ok(())
}

fn prune(index: &Connection, newest: &Observation) -> Result<(), StoreError> {
    let mut statement = index.prepare_cached(
        "DELETE FROM quotas WHERE agent = ?1 AND window_minutes = ?2 AND name = ?3 AND slot < ?4",
    )?;
    let (limit, first) = (&newest.limit, first_slot(newest));
    statement.execute(params![limit.agent.as_str(), limit.window_minutes, limit.name, first])?;
    Ok(())
}
