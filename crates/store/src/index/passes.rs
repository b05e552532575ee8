//! Passes over a source from its start: events that the pass does not find have vanished.

use super::Writer;
use super::append::{self, Life};
use super::prompt_history;
use super::queries::{drop_facts, drop_usage, events_of, identities_of};
use super::slots::{self, Due, slot};
use crate::db::StoreError;
use crate::db::codec::signed;
use rusqlite::params;
use std::collections::HashSet;
use taffrail_model::observed::{Observed, Pass};
use taffrail_model::{EventId, Timestamp};

/// What a pass from the start has found so far.
#[derive(Debug, Default)]
pub(crate) struct PassRecord {
    pub(crate) sessions: HashSet<i64>,
    pub(crate) events: HashSet<(i64, EventId)>,
    pub(crate) usage: HashSet<(i64, [u8; 16])>,
}

impl Writer {
    /// Begins to record what a pass from the start finds.
    pub(crate) fn note_pass(&mut self, source: i64, observed: &Observed) -> Result<(), StoreError> {
        if observed.pass == Pass::Again && !self.passes.contains_key(&source) {
            self.passes.insert(source, PassRecord::default());
            self.index.execute("DELETE FROM unknown_records WHERE source = ?1", [source])?;
            self.index
                .execute("UPDATE sources SET skipped = 0, again = 0 WHERE id = ?1", [source])?;
        }
        Ok(())
    }

    /// Ends a pass from the start: events it did not find have vanished from the source.
    pub(crate) fn end_pass(&mut self, source: i64, now: Timestamp) -> Result<u64, StoreError> {
        let Some(seen) = self.passes.remove(&source) else { return Ok(0) };
        if prompt_history::is_history(&self.index, source)? {
            // Agents cut these files, and what they held stays.
            return Ok(0);
        }
        let mut changes = 0;
        let mut lost_usage = false;
        let mut lost = Vec::new();
        for who in identities_of(&self.index, source)? {
            let slot = slot(&self.index, &mut self.slots, (&who, self.batch))?;
            for id in events_of(&self.index, slot.row, source)? {
                if !seen.events.contains(&(slot.row, id)) {
                    append::remove(&self.index, slot, id, (Life::Vanished, now))?;
                    changes += 1;
                }
            }
            if drop_usage(&self.index, slot.row, source, &seen.usage)? {
                slot.tokens = slots::owned_tokens(&self.index, slot.row)?;
                slot.due.add(Due::ROW.with(Due::SPENT));
                lost_usage = true;
            }
            if !seen.sessions.contains(&slot.row) {
                drop_facts(&self.index, slot.row, source)?;
                slot.due.add(Due::FACTS);
            }
            if changes > 0 || !seen.sessions.contains(&slot.row) {
                lost.push(slot.row);
            }
        }
        if changes > 0 || lost_usage {
            self.read_others_again(source)?;
        }
        for session in lost {
            self.marked |= prompt_history::restore(&self.index, session)?;
        }
        Ok(changes)
    }

    /// Counts records that were unknown or skipped.
    pub(crate) fn count_unknown(&self, source: i64, observed: &Observed) -> Result<(), StoreError> {
        for it in &observed.unknown {
            self.index
                .prepare_cached(
                    "INSERT INTO unknown_records (source, raw_type, version, count) \
                 VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO UPDATE SET count = count + ?4",
                )?
                .execute(params![
                    source,
                    it.raw_type,
                    it.version.as_deref().unwrap_or_default(),
                    signed(it.count)
                ])?;
        }
        if observed.outcome.skipped_records > 0 {
            self.index.execute(
                "UPDATE sources SET skipped = skipped + ?2 WHERE id = ?1",
                params![source, signed(observed.outcome.skipped_records)],
            )?;
        }
        Ok(())
    }
}
