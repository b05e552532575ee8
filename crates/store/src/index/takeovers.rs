//! Sessions whose later file takes over from an earlier one in the middle of it.

use super::append::{self, Life};
use super::slots::Slot;
use crate::db::StoreError;
use crate::db::codec::{read_facts, signed};
use rusqlite::{Connection, params};
use taffrail_model::{EventId, Facts, Timestamp};

/// A source of a session.
struct Part {
    source: i64,
    locator: String,
    facts: Facts,
}

/// Cuts every source of a session where a sibling that builds on it takes over: the agent retracted
/// the rest.
pub(crate) fn apply(index: &Connection, slot: &mut Slot, now: Timestamp) -> Result<(), StoreError> {
    let parts = parts_of(index, slot.row)?;
    for part in &parts {
        let Some(base) = &part.facts.base else { continue };
        let under = parts
            .iter()
            .find(|it| it.source != part.source && stem(&it.locator).ends_with(&base.source));
        if let Some(under) = under {
            cut(index, slot, under.source, signed(base.byte_offset), now)?;
        }
    }
    Ok(())
}

/// Lifts all cuts of the sessions of a source; the cuts that still hold are made again.
pub(crate) fn lift(index: &Connection, source: i64) -> Result<(), StoreError> {
    index.execute(
        "UPDATE sources SET cut_at = NULL WHERE cut_at IS NOT NULL AND id IN \
         (SELECT source FROM source_sessions WHERE session IN \
          (SELECT session FROM source_sessions WHERE source = ?1))",
        [source],
    )?;
    Ok(())
}

fn parts_of(index: &Connection, session: i64) -> Result<Vec<Part>, StoreError> {
    let mut statement = index.prepare_cached(
        "SELECT source, locator, facts FROM source_sessions JOIN sources ON sources.id = source \
         WHERE session = ?1 AND present = 1",
    )?;
    let rows = statement.query_map([session], |row| {
        let facts = read_facts(row.get_ref(2)?.as_str()?);
        Ok(Part { source: row.get(0)?, locator: row.get(1)?, facts })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A locator without its suffixes.
fn stem(locator: &str) -> &str {
    let file = locator.rfind('/').map_or(0, |slash| slash + 1);
    let name = locator.get(file..).unwrap_or_default();
    name.split('.').next().unwrap_or(name)
}

fn cut(
    index: &Connection,
    slot: &mut Slot,
    source: i64,
    at: i64,
    now: Timestamp,
) -> Result<(), StoreError> {
    index.execute("UPDATE sources SET cut_at = ?2 WHERE id = ?1", params![source, at])?;
    let mut statement = index.prepare_cached(
        "SELECT id FROM events WHERE session = ?1 AND source = ?2 AND position >= ?3 \
         AND removed = 0",
    )?;
    let ids = statement.query_map(params![slot.row, source, at], |row| row.get(0))?;
    for id in ids.collect::<Result<Vec<_>, _>>()? {
        append::remove(index, slot, EventId::from_bytes(id), (Life::TakenBack, now))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stem_has_no_endings() {
        assert_eq!(stem("scheme:2026/10/rollout-a_b.jsonl.zst"), "rollout-a_b");
        assert_eq!(stem("plain"), "plain");
    }
}
