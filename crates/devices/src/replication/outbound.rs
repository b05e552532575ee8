//! Collects what changed in our sessions since the last publish, as lines.
//!
//! The cost is proportional to the change: the index knows which sessions changed and what in them.
//! Marks record what was published, so that a rebuilt index publishes nothing twice.

use super::publisher::{Publisher, Way};
use crate::error::DevicesError;
use std::collections::HashSet;
use taffrail_context::Settings;
use taffrail_model::SessionId;
use taffrail_model::replication::{Says, is_locator};
use taffrail_query::is_chosen;
use taffrail_store::{
    Filter, IndexReader, Ledger, SessionRow, ToldBatch, ToldCursor, ToldSession, ToldUpdate,
    make_durable,
};
use taffrail_sync::exchange::Item;

/// How many batches without anything to publish may pass before that is recorded.
const UNNOTED: i64 = 256;

/// Items to publish, and what to record once they are safely on their way.
#[derive(Debug, Default)]
pub struct Outgoing {
    /// The items, in order.
    pub items: Vec<Item>,
    /// There is more; call again.
    pub more: bool,
    /// The cost.
    pub work: Work,
    pub(super) batch: ToldBatch,
    /// How many batches of the index were passed.
    passed: i64,
}

/// What collecting looked at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Sessions.
    pub sessions: u64,
    /// Events, as the index knows them.
    pub events: u64,
    /// Texts that were read from their sources.
    pub texts: u64,
}

/// Collects the items to publish since the last time, about this many lines at most. Records
/// nothing.
///
/// # Errors
/// When our own files cannot be read. A text that cannot be read back is not an error: the index's
/// excerpt replaces it.
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
        // A power cut takes nothing from the ledger, but may take the last batches from the index,
        // whose numbers are then reused. So the index must be durable before anything from it is
        // published.
        make_durable(&settings.data)?;
    }
    Ok(teller.told)
}

impl Outgoing {
    /// True if there is something to record; an empty result can wait.
    fn is_noted(&self) -> bool {
        !self.batch.updates.is_empty() || self.passed >= UNNOTED
    }
}

/// Records what was published. Call this once the items cannot be lost any more. Returns `false` if
/// everything must be published again: then collect again.
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
    /// Withdraws what may no longer be published: forgotten sessions, sessions that are no longer
    /// chosen, and texts if texts are now off.
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

    /// Publishes what changed after a batch, or everything; `false` when there is more. Sessions
    /// that were just withdrawn are published again the next time.
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

/// True if a published session stays published: it is chosen, or it continues on another device and
/// was.
fn stays_told(settings: &Settings, row: &SessionRow) -> bool {
    let elsewhere = is_locator(&row.source_uri) && row.captured;
    is_chosen(settings, row) || (elsewhere && settings.sync.takes(row.project_path.as_deref()))
}

fn fresh(session: SessionId) -> ToldSession {
    let generation = String::new();
    ToldSession { session, generation, sequence: 0, number: 0, bodies: false, gone: false }
}
