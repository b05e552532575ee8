//! One batch: writes pieces of sources in one transaction together with their cursors.

use super::append::{self, Change, Observation};
use super::queries::{events_in, facts_of, write_facts};
use super::slots::{self, Due, Slot, slot};
use super::usage::{self, Occurrence};
use super::writer_io::{Applied, Touched};
use super::{
    Writer, acts, binding_sync, failures, fork_families, hook_events, prompt_history, quality,
    session_facts, sources, spent, takeovers, tools,
};
use crate::db::{StoreError, meta};
use std::collections::HashMap;
use taffrail_model::observed::{Observed, Pass};
use taffrail_model::prompt_history::is_shared;
use taffrail_model::{SessionId, Timestamp, replication};

impl Writer {
    /// Begins a round: interrupted passes are not continued.
    pub fn begin_round(&mut self) {
        self.passes.clear();
    }

    /// Begins a batch.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn begin(&mut self) -> Result<(), StoreError> {
        if self.index.is_autocommit() {
            self.index.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
            self.batch = meta::last_batch(&self.index)? + 1;
        }
        Ok(())
    }

    /// Writes one piece into the open batch.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn append(&mut self, observed: &Observed, now: Timestamp) -> Result<Applied, StoreError> {
        let half_read = observed.pass == Pass::Again && !observed.ends_pass;
        if observed.gone {
            let gone = sources::number(&self.index, &observed.source)?;
            self.vanish(gone.as_slice())?;
            return Ok(Applied { outcome: observed.outcome, ..Applied::default() });
        }
        let before = sources::before(&self.index, &observed.source)?;
        let source = sources::write(&self.index, &observed.source, (half_read, observed.held))?;
        self.note_pass(source, observed)?;
        let sessions = self.slots_of(observed, source)?;
        let (rank, cut) = (observed.source.rank, sources::cut(&self.index, source)?);
        let observation = Observation { source, rank, now, cut };
        self.note_sessions(&sessions, source);
        let taken_back = self.take_back(observed, &sessions, observation)?;
        let (written, new) = self.write_events(observed, &sessions, observation)?;
        self.write_usage(observed, &sessions, source)?;
        self.write_quotas(observed, now)?;
        let mut changes = taken_back + written;
        if observed.pass == Pass::Again && observed.ends_pass {
            changes += self.end_pass(source, now)?;
        }
        if !before.complete && observed.ends_pass {
            self.mark(&sessions, Due::FAMILY);
        }
        if before.gone {
            self.mark(&sessions, Due::FACTS);
        }
        if replication::is_locator(&observed.source.locator) {
            // The cost of an answer may arrive alone, and later than its text.
            self.mark(&sessions, Due::FAMILY);
        }
        self.mark_moved(&sessions)?;
        self.count_unknown(source, observed)?;
        Ok(Applied { changes, outcome: observed.outcome, new })
    }

    /// Closes the batch: derives counts, facts, copies and bindings from the new rows. Returns the
    /// sessions that changed.
    ///
    /// # Errors
    /// When a file cannot be written; then nothing of the batch is written.
    pub fn commit(&mut self, now: Timestamp) -> Result<Vec<Touched>, StoreError> {
        let mut unsettled = Vec::new();
        let mut slots = std::mem::take(&mut self.slots);
        for slot in slots.values_mut().filter(|slot| !slot.due.is_nothing()) {
            if slot.due.has(Due::FACTS) {
                takeovers::apply(&self.index, slot, now)?;
            }
            if slot.due.has(Due::CARRIED) {
                hook_events::withdraw(&self.index, slot, now)?;
            }
            if slot.due.has(Due::FACTS) || slot.due.has(Due::CARRIED) {
                prompt_history::withdraw(&self.index, slot, now)?;
            }
            if slot.due.has(Due::RECOUNT) {
                slot.counts = slots::recount(&self.index, slot.row)?;
                acts::recount(&self.index, slot.row)?;
                tools::recount(&self.index, slot)?;
            } else {
                acts::add(&self.index, slot)?;
                tools::add(&self.index, slot)?;
            }
            quality::write(&self.index, slot)?;
            slots::store(&self.index, slot)?;
            if slot.due.has(Due::FACTS) {
                self.refresh(slot)?;
            }
            if slot.due.has(Due::FACTS) || slot.due.has(Due::SPENT) {
                spent::write(&self.index, slot.row, &self.boot)?;
            }
            failures::note(&self.index, slot.row)?;
            if slot.due.has(Due::FAMILY) || fork_families::is_open(&self.index, slot)? {
                unsettled.push(slot.row);
            }
        }
        let settled = fork_families::settle(&self.index, &unsettled, (self.batch, &self.boot))?;
        meta::set(&self.index, "batch", &self.batch.to_string())?;
        self.index.prepare_cached("COMMIT")?.execute([])?;
        let gone = slots.values().flat_map(|slot| slot.gone.iter().map(|id| (slot.row, *id)));
        self.changed.extend(gone.chain(settled.iter().map(|it| (it.session, it.event))));
        self.bind(now)?;
        let due = slots.values().filter(|slot| !slot.due.is_nothing());
        Ok(due.map(|it| Touched { row: it.row, before: it.before.unsigned_abs() }).collect())
    }

    /// Ends the writing: lists sessions that only the ledger still knows, and marks the index
    /// clean.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn finish(&mut self, now: Timestamp) -> Result<(), StoreError> {
        self.begin()?;
        // Only a rebuilt index can lack a session that the ledger knows.
        if meta::get(&self.index, "compared_with_ledger")?.is_none() {
            for bound in self.ledger.identities()? {
                if !bound.project_path.as_deref().is_some_and(|it| self.left_out.holds(it)) {
                    binding_sync::list_lost(&self.index, &bound)?;
                }
            }
            meta::set(&self.index, "compared_with_ledger", "1")?;
        }
        meta::set(&self.index, "clean", "1")?;
        self.index.prepare_cached("COMMIT")?.execute([])?;
        self.bind(now)
    }

    fn slots_of(&mut self, observed: &Observed, source: i64) -> Result<Vec<SessionId>, StoreError> {
        let mut ids = Vec::with_capacity(observed.sessions.len());
        // These readers keep no state: earlier facts about a session still count.
        let adds = is_shared(&observed.source.locator) && observed.pass == Pass::Append;
        for (who, facts) in &observed.sessions {
            let slot = slot(&self.index, &mut self.slots, (who, self.batch))?;
            let known = adds.then(|| facts_of(&self.index, slot.row, source)).transpose()?;
            let facts = known.unwrap_or_default().joined(facts.clone());
            let json =
                serde_json::to_string(&facts).map_err(|e| StoreError::Damaged(e.to_string()))?;
            if observed.pass == Pass::Again {
                slot.due.add(Due::FAMILY);
                // The binding's cursor may have gone back.
                slot.due.add(Due::FACTS);
            }
            if write_facts(&self.index, slot.row, source, &json)? {
                slot.due.add(Due::FACTS);
            }
            ids.push(who.session());
        }
        Ok(ids)
    }

    fn note_sessions(&mut self, sessions: &[SessionId], source: i64) {
        let Some(pass) = self.passes.get_mut(&source) else { return };
        let slots = sessions.iter().filter_map(|id| self.slots.get(id));
        pass.sessions.extend(slots.map(|slot| slot.row));
    }

    /// Retracts the events and turns that a piece removes; returns how many events changed.
    fn take_back(
        &mut self,
        observed: &Observed,
        sessions: &[SessionId],
        observation: Observation,
    ) -> Result<u64, StoreError> {
        let mut changes = 0;
        for (session, id) in &observed.removed {
            let Some(slot) = at(&mut self.slots, sessions, *session) else { continue };
            let change = append::take_back(&self.index, slot, *id, observation)?;
            changes += u64::from(change == Change::Changed);
        }
        for (session, turn) in &observed.removed_turns {
            let Some(slot) = at(&mut self.slots, sessions, *session) else { continue };
            for id in events_in(&self.index, slot.row, *turn)? {
                let change = append::take_back(&self.index, slot, id, observation)?;
                changes += u64::from(change == Change::Changed);
            }
        }
        for id in sessions.iter().filter(|_| changes > 0) {
            let Some(slot) = self.slots.get(id) else { continue };
            self.marked |= hook_events::restore(&self.index, slot.row)?;
            self.marked |= prompt_history::restore(&self.index, slot.row)?;
        }
        Ok(changes)
    }

    /// Writes the events of a piece; returns how many changed, and which are new.
    fn write_events(
        &mut self,
        observed: &Observed,
        sessions: &[SessionId],
        observation: Observation,
    ) -> Result<(u64, Vec<(usize, i64)>), StoreError> {
        let (mut changes, mut new) = (0, Vec::new());
        let mut pass = self.passes.get_mut(&observation.source);
        for (number, event) in observed.events.iter().enumerate() {
            let Some(slot) = at(&mut self.slots, sessions, event.session) else { continue };
            let change = append::event(&self.index, slot, event, observation)?;
            match change {
                Change::New => new.push((number, slot.row)),
                Change::Changed => self.changed.push((slot.row, event.id)),
                Change::None => {}
            }
            changes += u64::from(change != Change::None);
            if let Some(pass) = &mut pass {
                pass.events.insert((slot.row, event.id));
            }
        }
        Ok((changes, new))
    }

    /// Writes the cost of the model answers in a piece.
    fn write_usage(
        &mut self,
        observed: &Observed,
        sessions: &[SessionId],
        source: i64,
    ) -> Result<(), StoreError> {
        let mut pass = self.passes.get_mut(&source);
        for (session, usage) in &observed.usage {
            let Some(slot) = at(&mut self.slots, sessions, *session) else { continue };
            let pass = pass.as_mut();
            let is_first = pass.is_some_and(|it| it.usage.insert((slot.row, usage.key)));
            let occurrence = if is_first { Occurrence::First } else { Occurrence::Later };
            usage::write(&self.index, slot, usage, (source, occurrence), &self.boot.pricing)?;
        }
        Ok(())
    }

    fn refresh(&self, slot: &Slot) -> Result<(), StoreError> {
        let resumes = self.boot.resumable.contains(slot.who.agent.as_str());
        let here = self.ledger.carried_here(slot.who.session())?;
        session_facts::refresh(&self.index, slot, (resumes, here))?;
        self.index
            .prepare_cached("INSERT OR IGNORE INTO unbound (session) VALUES (?1)")?
            .execute([slot.row])?;
        Ok(())
    }

    /// Marks sessions that live on two devices, because they may continue on the other one now.
    fn mark_moved(&mut self, sessions: &[SessionId]) -> Result<(), StoreError> {
        for id in sessions {
            let Some(slot) = self.slots.get_mut(id) else { continue };
            if session_facts::is_on_two_devices(&self.index, slot.row)? {
                slot.due.add(Due::FACTS);
            }
        }
        Ok(())
    }

    fn mark(&mut self, sessions: &[SessionId], due: Due) {
        for id in sessions {
            if let Some(slot) = self.slots.get_mut(id) {
                slot.due.add(due);
            }
        }
    }
}

fn at<'a>(
    slots: &'a mut HashMap<SessionId, Slot>,
    sessions: &[SessionId],
    index: usize,
) -> Option<&'a mut Slot> {
    slots.get_mut(sessions.get(index)?)
}
