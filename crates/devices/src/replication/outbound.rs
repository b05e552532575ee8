//! What changed in our sessions since other devices were last told, as lines.
//!
//! The work is that of what changed: the index says which sessions did and what in them. What was told is
//! remembered by marks, so that an index that was made anew tells nothing twice.

use super::publisher::{Publisher, Way};
use crate::error::DevicesError;
use std::collections::HashSet;
use taffrail_context::Settings;
use taffrail_model::SessionId;
use taffrail_model::replication::{Item, Says, is_locator};
use taffrail_query::is_chosen;
use taffrail_store::{
    Filter, IndexReader, Ledger, SessionRow, ToldBatch, ToldCursor, ToldSession, ToldUpdate,
    make_durable,
};

/// So many batches that say nothing to others may pass before that is remembered.
const UNNOTED: i64 = 256;

/// What is to be told, and what to remember once that is safely on its way.
#[derive(Debug, Default)]
pub struct Outgoing {
    /// What to carry, in this order.
    pub items: Vec<Item>,
    /// There is more: ask again.
    pub more: bool,
    /// What it cost.
    pub work: Work,
    pub(super) batch: ToldBatch,
    /// How many batches of the index were passed.
    passed: i64,
}

/// What telling looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Sessions.
    pub sessions: u64,
    /// Events, as the index knows them.
    pub events: u64,
    /// Texts that were read back.
    pub texts: u64,
}

/// What is to be told since the last time, at most about so many lines. Nothing is remembered yet.
///
/// # Errors
/// When our own files cannot be read. A text that cannot be read back is not an error: what the index
/// remembers of it stands in.
pub fn outgoing(settings: &Settings, most: usize) -> Result<Outgoing, DevicesError> {
    let (Some(index), Some(ledger)) =
        (IndexReader::open(&settings.data)?, Ledger::open_read_only(&settings.data)?)
    else {
        return Ok(Outgoing::default());
    };
    let before = ledger.told_cursor()?;
    let now = ToldCursor {
        generation: index.generation().to_owned(),
        batch: index.last_batch()?,
        choice: settings.sync.mark(),
        lives: before.lives,
    };
    let is_known = (&before.generation, &before.choice) == (&now.generation, &now.choice)
        && before.batch <= now.batch;
    let way = Way { bodies: settings.sync.bodies, share: None };
    let mut teller = Publisher::new(settings, (index, ledger), (most, way));
    let taken_back = teller.take_back(is_known)?;
    let whole = teller.tell_all(is_known.then_some(before.batch), &taken_back)?;
    teller.told.more = !whole;
    teller.told.passed = if is_known { now.batch - before.batch } else { UNNOTED };
    teller.told.batch.cursor = if whole { now } else { before };
    if teller.told.is_noted() {
        // A power cut takes nothing from the ledger, but the last batches from the index, and their numbers are
        // given again. So what is told must not be lost from it any more.
        make_durable(&settings.data)?;
    }
    Ok(teller.told)
}

impl Outgoing {
    /// Whether there is something to remember; that nothing was said can wait.
    fn is_noted(&self) -> bool {
        !self.batch.updates.is_empty() || self.passed >= UNNOTED
    }
}

/// Remembers what was told. Called when it cannot be lost any more. `false` where everything has to be told
/// anew meanwhile: then ask again.
///
/// # Errors
/// When the ledger cannot be written.
pub fn note_published(settings: &Settings, told: &Outgoing) -> Result<bool, DevicesError> {
    if !told.is_noted() {
        return Ok(true);
    }
    let mut ledger = Ledger::open(&settings.data, &settings.new_device)?;
    Ok(ledger.note_told(&told.batch)?)
}

impl Publisher<'_> {
    /// Takes back what may not be told any more: what was forgotten, what is no longer chosen, and texts
    /// that are not to be told now.
    fn take_back(&mut self, is_known: bool) -> Result<HashSet<SessionId>, DevicesError> {
        let mut gone = self.ledger.told_and_forgotten()?;
        if !is_known {
            for told in self.ledger.told_sessions()? {
                let row = self.index.session_by_id(told.session)?;
                let unwanted = row.is_some_and(|row| !stays_told(self.settings, &row));
                let unveiled = told.bodies && !self.settings.sync.bodies;
                if (unwanted || unveiled) && !gone.contains(&told) {
                    gone.push(told);
                }
            }
        }
        let all = gone.iter().map(|it| it.session).collect();
        for mut session in gone {
            session.number += 1;
            (session.gone, session.generation) = (true, String::new());
            self.say(session.session, session.number, Says::Gone);
            self.told.batch.updates.push(ToldUpdate { session, marks: Vec::new() });
        }
        Ok(all)
    }

    /// Tells what changed after a batch, or everything; `false` when there is more. What was just taken
    /// back is told anew the next time.
    fn tell_all(
        &mut self,
        after: Option<i64>,
        taken_back: &HashSet<SessionId>,
    ) -> Result<bool, DevicesError> {
        let mut whole = true;
        let every = Filter { workers: true, ..Filter::default() };
        let rows = match after {
            Some(batch) => self.index.sessions_after(batch)?,
            None => self.index.sessions(&every)?,
        };
        for row in rows {
            if !is_chosen(self.settings, &row) {
                continue;
            }
            if taken_back.contains(&row.id) {
                whole = false;
                continue;
            }
            if self.told.items.len() >= self.most {
                return Ok(false);
            }
            self.told.work.sessions += 1;
            let known = self.ledger.told_session(row.id)?.unwrap_or_else(|| fresh(row.id));
            if !self.session(&row, &known)? {
                return Ok(false);
            }
        }
        Ok(whole)
    }
}

/// What was told of it stays told: it is chosen, or goes on elsewhere meanwhile and was.
fn stays_told(settings: &Settings, row: &SessionRow) -> bool {
    let elsewhere = is_locator(&row.source_uri) && row.captured;
    is_chosen(settings, row) || (elsewhere && settings.sync.takes(row.project_path.as_deref()))
}

fn fresh(session: SessionId) -> ToldSession {
    let generation = String::new();
    ToldSession { session, generation, sequence: 0, number: 0, bodies: false, gone: false }
}
