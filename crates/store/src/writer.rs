//! The one writer: pieces in, numbered changes out, in one transaction with their cursor.

use crate::append::{self, Change, Heard};
use crate::folding::Folding;
use crate::given::{Applied, Boot, Touched};
use crate::index_file::{meta, open_index, remove_index, set_meta};
use crate::lock::WriterLock;
use crate::notes::last_batch;
use crate::passes::Seen;
use crate::queries::{events_in, facts_of, write_facts};
use crate::sessions::{self, Due, Slot};
use crate::sources::{self, SourceRow};
use crate::spending::{self, Met};
use crate::{Forgotten, Ledger, StoreError, cuts, families, schema, ties};
use rusqlite::Connection;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use taffrail_model::facts::Projects;
use taffrail_model::observed::{Observed, Pass};
use taffrail_model::{DeviceId, EventId, RuntimeIdentity, SessionId, Timestamp, journal, relay};

/// Holds the lock and both files. There is no way to have two.
#[derive(Debug)]
pub struct Writer {
    lock: WriterLock,
    folder: PathBuf,
    /// Dropped before the index: its file may be removed then.
    folding: Option<Folding>,
    pub(crate) index: Connection,
    pub(crate) ledger: Ledger,
    boot: Boot,
    /// The number of the batch under way.
    pub(crate) batch: i64,
    /// Events that changed, vanished or became copies since they were last asked for.
    pub(crate) changed: Vec<(i64, EventId)>,
    /// Sessions touched in the open transaction.
    pub(crate) slots: HashMap<SessionId, Slot>,
    /// Passes from the start that are under way.
    pub(crate) passes: HashMap<i64, Seen>,
    /// Projects the user does not want to see.
    left_out: Projects,
}

impl Writer {
    /// Takes the lock if it is free and opens both files.
    ///
    /// # Errors
    /// `Lock` when another writes; `Newer` when the ledger is of a later version.
    pub fn open(folder: &Path, boot: Boot) -> Result<Self, StoreError> {
        schema::private_folder(folder)?;
        let lock = WriterLock::try_take(folder)?;
        Self::with_lock(folder, boot, lock)
    }

    /// Asks for the lock, waits until its holder yields, and opens both files.
    ///
    /// # Errors
    /// As `open`, but for the lock being taken.
    pub fn wait(folder: &Path, boot: Boot) -> Result<Self, StoreError> {
        schema::private_folder(folder)?;
        let lock = WriterLock::wait(folder)?;
        Self::with_lock(folder, boot, lock)
    }

    /// Opens both files with a lock already held.
    ///
    /// # Errors
    /// As `open`.
    pub fn with_lock(folder: &Path, boot: Boot, lock: WriterLock) -> Result<Self, StoreError> {
        let ledger = Ledger::open(folder, &boot.new_device)?;
        let index = open_index(folder, &ledger)?;
        let mut writer = Self {
            lock,
            folder: folder.to_owned(),
            folding: None,
            index,
            ledger,
            boot,
            batch: 0,
            changed: Vec::new(),
            slots: HashMap::new(),
            passes: HashMap::new(),
            left_out: Projects::default(),
        };
        writer.note_boot()?;
        writer.note_unbound()?;
        Ok(writer)
    }

    /// From now on the log is folded back by a thread, and no batch waits for it.
    ///
    /// # Errors
    /// When the index cannot be opened again, or no thread be begun.
    pub fn fold_beside(&mut self) -> Result<(), StoreError> {
        self.folding = Some(Folding::begin(&mut self.index, &self.folder.join("index.db"))?);
        Ok(())
    }

    /// Sessions of these projects are not listed, also where only the ledger knows them.
    pub fn leave_out(&mut self, projects: Projects) {
        self.left_out = projects;
    }

    /// Someone waits to write.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        self.lock.is_wanted()
    }

    /// This device.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn device(&self) -> Result<DeviceId, StoreError> {
        self.ledger.device()
    }

    /// Sessions that were forgotten.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn forgotten(&self) -> Result<Forgotten, StoreError> {
        self.ledger.forgotten()
    }

    /// Every source that is known.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn sources(&self) -> Result<Vec<SourceRow>, StoreError> {
        sources::all(&self.index)
    }

    /// The memory of a source's reader, to go on from.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn memory(&self, source: i64) -> Result<String, StoreError> {
        sources::memory(&self.index, source)
    }

    /// Sources that lost something to another wait to be read from their start.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn wants_another_round(&self) -> Result<bool, StoreError> {
        sources::any_half_read(&self.index)
    }

    /// Throws the index away and begins a new one under a new numbering.
    ///
    /// # Errors
    /// When the file cannot be removed or made.
    pub fn reset(&mut self) -> Result<(), StoreError> {
        let folded_beside = self.folding.take().is_some();
        self.index = Connection::open_in_memory()?;
        remove_index(&self.folder)?;
        self.index = open_index(&self.folder, &self.ledger)?;
        if folded_beside {
            self.fold_beside()?;
        }
        self.slots.clear();
        self.passes.clear();
        self.note_boot()
    }

    /// Begins a round: passes that were broken off are not gone on with.
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
            self.batch = last_batch(&self.index)? + 1;
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
        let heard = Heard { source, now, cut: sources::cut(&self.index, source)? };
        let (mut changes, new) = self.write_events(observed, &sessions, heard)?;
        if observed.pass == Pass::Again && observed.ends_pass {
            changes += self.end_pass(source, now)?;
        }
        if !before.complete && observed.ends_pass {
            self.mark(&sessions, Due::FAMILY);
        }
        if before.gone {
            self.mark(&sessions, Due::FACTS);
        }
        if relay::is_locator(&observed.source.locator) {
            // What an answer cost may come alone, and later than what was said.
            self.mark(&sessions, Due::FAMILY);
        }
        self.count_unknown(source, observed)?;
        Ok(Applied { changes, outcome: observed.outcome, new })
    }

    /// Closes the batch: counts, facts, copies and bindings follow from what was written. Gives the
    /// sessions that changed.
    ///
    /// # Errors
    /// When a file cannot be written; nothing of the batch stands then.
    pub fn commit(&mut self, now: Timestamp) -> Result<Vec<Touched>, StoreError> {
        let mut unsettled = Vec::new();
        let mut slots = std::mem::take(&mut self.slots);
        for slot in slots.values_mut().filter(|slot| !slot.due.is_nothing()) {
            if slot.due.has(Due::FACTS) {
                cuts::apply(&self.index, slot, now)?;
            }
            if slot.due.has(Due::RECOUNT) {
                slot.counts = sessions::recount(&self.index, slot.row)?;
            }
            sessions::store(&self.index, slot)?;
            if slot.due.has(Due::FACTS) {
                self.refresh(slot)?;
            }
            if slot.due.has(Due::FAMILY) || families::is_open(&self.index, slot)? {
                unsettled.push(slot.row);
            }
        }
        let settled = families::settle(&self.index, &unsettled, self.batch)?;
        set_meta(&self.index, "batch", &self.batch.to_string())?;
        self.index.prepare_cached("COMMIT")?.execute([])?;
        let gone = slots.values().flat_map(|slot| slot.gone.iter().map(|id| (slot.row, *id)));
        self.changed.extend(gone.chain(settled.iter().map(|it| (it.session, it.event))));
        self.bind(now)?;
        let due = slots.values().filter(|slot| !slot.due.is_nothing());
        Ok(due.map(|it| Touched { row: it.row, before: it.before.unsigned_abs() }).collect())
    }

    /// Ends the writing: lists sessions only the ledger still knows, and marks the index clean.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn finish(&mut self, now: Timestamp) -> Result<(), StoreError> {
        self.begin()?;
        // Only an index made anew can lack a session the ledger knows.
        if meta(&self.index, "compared_with_ledger")?.is_none() {
            for bound in self.ledger.identities()? {
                if !bound.project_path.as_deref().is_some_and(|it| self.left_out.holds(it)) {
                    ties::list_lost(&self.index, &bound)?;
                }
            }
            set_meta(&self.index, "compared_with_ledger", "1")?;
        }
        set_meta(&self.index, "clean", "1")?;
        self.index.prepare_cached("COMMIT")?.execute([])?;
        self.bind(now)
    }

    /// The start of the machine that this is.
    pub(crate) fn boot_id(&self) -> &str {
        &self.boot.id
    }

    fn note_boot(&mut self) -> Result<(), StoreError> {
        let unclean = meta(&self.index, "clean")?.as_deref() == Some("0");
        let rebooted = meta(&self.index, "boot")?.is_some_and(|boot| boot != self.boot.id);
        if unclean && rebooted {
            set_meta(&self.index, "generation", &self.ledger.next_generation()?)?;
        }
        set_meta(&self.index, "boot", &self.boot.id)?;
        set_meta(&self.index, "clean", "0")
    }

    fn slots_of(&mut self, observed: &Observed, source: i64) -> Result<Vec<SessionId>, StoreError> {
        let mut ids = Vec::with_capacity(observed.sessions.len());
        // The journal's reader remembers nothing: what it knew of a session still stands.
        let adds = journal::is_locator(&observed.source.locator) && observed.pass == Pass::Append;
        for (who, facts) in &observed.sessions {
            let slot = slot(&self.index, &mut self.slots, (who, self.batch))?;
            let known = adds.then(|| facts_of(&self.index, slot.row, source)).transpose()?;
            let facts = known.unwrap_or_default().joined(facts.clone());
            let json =
                serde_json::to_string(&facts).map_err(|e| StoreError::Damaged(e.to_string()))?;
            if observed.pass == Pass::Again {
                slot.due.add(Due::FAMILY);
            }
            if write_facts(&self.index, slot.row, source, &json)? {
                slot.due.add(Due::FACTS);
            }
            ids.push(who.session());
        }
        Ok(ids)
    }

    fn write_events(
        &mut self,
        observed: &Observed,
        sessions: &[SessionId],
        heard: Heard,
    ) -> Result<(u64, Vec<(usize, i64)>), StoreError> {
        let mut changes = 0;
        let mut new = Vec::new();
        let mut seen = self.passes.get_mut(&heard.source);
        let index = &self.index;
        if let Some(seen) = &mut seen {
            let rows = sessions.iter().filter_map(|id| self.slots.get(id)).map(|slot| slot.row);
            seen.sessions.extend(rows);
        }
        for (session, id) in &observed.removed {
            let Some(slot) = at(&mut self.slots, sessions, *session) else { continue };
            changes += u64::from(append::take_back(index, slot, *id, heard)? == Change::Changed);
        }
        for (session, turn) in &observed.removed_turns {
            let Some(slot) = at(&mut self.slots, sessions, *session) else { continue };
            for id in events_in(index, slot.row, *turn)? {
                let change = append::take_back(index, slot, id, heard)?;
                changes += u64::from(change == Change::Changed);
            }
        }
        for (number, event) in observed.events.iter().enumerate() {
            let Some(slot) = at(&mut self.slots, sessions, event.session) else { continue };
            let change = append::event(index, slot, event, heard)?;
            match change {
                Change::New => new.push((number, slot.row)),
                Change::Changed => self.changed.push((slot.row, event.id)),
                Change::None => {}
            }
            changes += u64::from(change != Change::None);
            if let Some(seen) = &mut seen {
                seen.events.insert((slot.row, event.id));
            }
        }
        for (session, usage) in &observed.usage {
            let Some(slot) = at(&mut self.slots, sessions, *session) else { continue };
            let seen = seen.as_mut();
            let afresh = seen.is_some_and(|seen| seen.usage.insert((slot.row, usage.key)));
            let met = if afresh { Met::Afresh } else { Met::Before };
            spending::usage(index, slot, usage, (heard.source, met))?;
        }
        Ok((changes, new))
    }

    fn refresh(&self, slot: &Slot) -> Result<(), StoreError> {
        let resumes = self.boot.resumable.contains(slot.who.agent.as_str());
        let here = self.ledger.carried_here(slot.who.session())?;
        sessions::refresh(&self.index, slot, (resumes, here))?;
        self.index
            .prepare_cached("INSERT OR IGNORE INTO unbound (session) VALUES (?1)")?
            .execute([slot.row])?;
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

/// The slot of a session, loaded when it is first asked for.
pub(crate) fn slot<'a>(
    index: &Connection,
    slots: &'a mut HashMap<SessionId, Slot>,
    (who, batch): (&RuntimeIdentity, i64),
) -> Result<&'a mut Slot, StoreError> {
    use std::collections::hash_map::Entry;
    Ok(match slots.entry(who.session()) {
        Entry::Occupied(known) => known.into_mut(),
        Entry::Vacant(free) => free.insert(sessions::load(index, who, batch)?),
    })
}
