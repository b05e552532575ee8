//! What changed in our sessions since other devices were last told, as lines.
//!
//! The work is that of what changed: the index says which sessions did and what in them. What was told is
//! remembered by marks, so that an index that was made anew tells nothing twice.

use super::lines;
use crate::bodies::{reference, sources};
use crate::{DaemonError, Settings};
use std::collections::HashSet;
use taffrail_adapters::by_id;
use taffrail_capture::{Body, Sources};
use taffrail_model::hash::{self, Digest16};
use taffrail_model::relay::{Carried, Item, Relayed, RelayedUsage, Says, VERSION, is_locator};
use taffrail_model::{EventId, RuntimeIdentity, SessionId, Timestamp};
use taffrail_store::{
    EventRow, Filter, IndexReader, Ledger, Mark, SessionRow, ToldBatch, ToldCursor, ToldKind,
    ToldSession, ToldUpdate, make_durable,
};

/// What a model answer cost may still be corrected so many seconds after what it said.
const USAGE_SETTLES: i64 = 86_400;
/// The key under which what is known of a session as a whole is remembered.
const FACTS: Digest16 = [0; 16];

/// So many batches that say nothing to others may pass before that is remembered.
const UNNOTED: i64 = 256;

/// What is to be told, and what to remember once that is safely on its way.
#[derive(Debug, Default)]
pub struct Told {
    /// What to carry, in this order.
    pub items: Vec<Item>,
    /// There is more: ask again.
    pub more: bool,
    /// What it cost.
    pub work: Work,
    batch: ToldBatch,
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
/// When our own files cannot be read. A text that cannot be read back is no error: what the index
/// remembers of it stands in.
pub fn tell(settings: &Settings, most: usize) -> Result<Told, DaemonError> {
    let (Some(index), Some(ledger)) =
        (IndexReader::open(&settings.data)?, Ledger::open_read_only(&settings.data)?)
    else {
        return Ok(Told::default());
    };
    let before = ledger.told_cursor()?;
    let now = ToldCursor {
        generation: index.generation().to_owned(),
        batch: index.last_batch()?,
        choice: settings.sync.mark(),
    };
    let is_known = (&before.generation, &before.choice) == (&now.generation, &now.choice)
        && before.batch <= now.batch;
    let sources = sources(settings);
    let mut teller = Teller { settings, index, ledger, sources, most, told: Told::default() };
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

impl Told {
    /// Whether there is something to remember; that nothing was said can wait.
    fn is_noted(&self) -> bool {
        !self.batch.updates.is_empty() || self.passed >= UNNOTED
    }
}

/// Remembers what was told. Called when it cannot be lost any more.
///
/// # Errors
/// When the ledger cannot be written.
pub fn note_told(settings: &Settings, told: &Told) -> Result<(), DaemonError> {
    if !told.is_noted() {
        return Ok(());
    }
    let mut ledger = Ledger::open(&settings.data, &settings.new_device)?;
    Ok(ledger.note_told(&told.batch)?)
}

struct Teller<'a> {
    settings: &'a Settings,
    index: IndexReader,
    ledger: Ledger,
    sources: Sources<'a>,
    most: usize,
    told: Told,
}

/// One session while it is told.
struct Telling {
    who: RuntimeIdentity,
    session: ToldSession,
    marks: Vec<Mark>,
}

impl Teller<'_> {
    /// Takes back what may not be told any more: what was forgotten, what is no longer chosen, and texts
    /// that are not to be told now.
    fn take_back(&mut self, is_known: bool) -> Result<HashSet<SessionId>, DaemonError> {
        let mut gone = self.ledger.told_and_forgotten()?;
        if !is_known {
            for told in self.ledger.told_sessions()? {
                let row = self.index.session_by_id(told.session)?;
                let unwanted = row.is_some_and(|row| !is_chosen(self.settings, &row));
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
    ) -> Result<bool, DaemonError> {
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
            if !self.session(&row)? {
                return Ok(false);
            }
        }
        Ok(whole)
    }

    /// Tells what is new in a session; `false` when there is more.
    fn session(&mut self, row: &SessionRow) -> Result<bool, DaemonError> {
        let bodies = self.settings.sync.bodies;
        let known = self.ledger.told_session(row.id)?.unwrap_or_else(|| fresh(row.id));
        let goes_on =
            known.generation == self.index.generation() && known.bodies == bodies && !known.gone;
        let rows = match goes_on {
            true => self.index.changes_after(row.row, known.sequence)?,
            false => self.index.events(row.row)?,
        };
        // Until all of it was told, the next time begins anew and skips what was.
        let generation = if goes_on { known.generation.clone() } else { String::new() };
        let begun = ToldSession { generation, bodies, gone: false, ..known };
        let who = self.index.identity_of(row.row)?;
        let mut it = Telling { who, session: begun, marks: Vec::new() };
        self.facts(row, &mut it)?;
        let is_whole = self.events(row, (&rows, goes_on), &mut it)?;
        if is_whole {
            if !goes_on {
                self.vanished(&rows, &mut it)?;
            }
            self.usage(row, (&rows, goes_on), &mut it)?;
            it.session.generation = self.index.generation().to_owned();
            it.session.sequence = row.sequence;
        }
        let Telling { session, marks, .. } = it;
        self.told.batch.updates.push(ToldUpdate { session, marks });
        Ok(is_whole)
    }

    fn facts(&mut self, row: &SessionRow, it: &mut Telling) -> Result<(), DaemonError> {
        let facts = lines::facts(&self.index.own_facts(row.row)?, self.settings.sync.bodies);
        let mark = marked(&serde_json::to_vec(&facts).unwrap_or_default(), true);
        let says = Says::Facts(it.who.clone(), Box::new(facts));
        self.say_new(it, (ToldKind::Facts, FACTS, mark), says)
    }

    /// `false` when there is more.
    fn events(
        &mut self,
        row: &SessionRow,
        (rows, goes_on): (&[EventRow], bool),
        it: &mut Telling,
    ) -> Result<bool, DaemonError> {
        for event in rows {
            if self.told.items.len() >= self.most {
                return Ok(false);
            }
            self.told.work.events += 1;
            if event.removed {
                self.removed(event.id, it)?;
            } else if !is_locator(&event.locator) {
                self.event(row, event, it)?;
            }
            if goes_on {
                it.session.sequence = event.sequence;
            }
        }
        Ok(true)
    }

    fn event(
        &mut self,
        row: &SessionRow,
        event: &EventRow,
        it: &mut Telling,
    ) -> Result<(), DaemonError> {
        let bodies = self.settings.sync.bodies;
        let (key, mark) = (*event.id.as_bytes(), marked(&event.content, bodies));
        if self.ledger.told_mark(row.id, ToldKind::Event, key)? == Some(mark) {
            return Ok(());
        }
        let body = bodies.then(|| self.body(row, event));
        let says = Says::Event(it.who.clone(), Box::new(lines::event(event, body)));
        self.say_new(it, (ToldKind::Event, key, mark), says)
    }

    fn body(&mut self, row: &SessionRow, event: &EventRow) -> Body {
        self.told.work.texts += 1;
        // A source that no longer says it leaves what the index remembers.
        self.sources.body(&reference(&row.agent, event)).unwrap_or_else(|_| Body {
            text: Some(event.excerpt.clone()).filter(|it| !it.is_empty()),
            ..Body::default()
        })
    }

    fn removed(&mut self, id: EventId, it: &mut Telling) -> Result<(), DaemonError> {
        let (session, key) = (it.session.session, *id.as_bytes());
        if self.ledger.told_mark(session, ToldKind::Event, key)?.is_some() {
            it.session.number += 1;
            self.say(session, it.session.number, Says::Removed(it.who.clone(), id));
            it.marks.push(Mark { what: ToldKind::Event, key, mark: None });
        }
        Ok(())
    }

    /// Takes back what was told and does not stand any more, where the index cannot say what went.
    fn vanished(&mut self, rows: &[EventRow], it: &mut Telling) -> Result<(), DaemonError> {
        let stands: HashSet<_> = rows.iter().map(|it| *it.id.as_bytes()).collect();
        for key in self.ledger.told_keys(it.session.session, ToldKind::Event)? {
            if !stands.contains(&key) {
                self.removed(EventId::from_bytes(key), it)?;
            }
        }
        Ok(())
    }

    fn usage(
        &mut self,
        row: &SessionRow,
        (rows, goes_on): (&[EventRow], bool),
        it: &mut Telling,
    ) -> Result<(), DaemonError> {
        let earliest = rows.iter().map(|it| it.at).min().filter(|_| goes_on);
        let since = earliest.map(|at| at.as_second().saturating_sub(USAGE_SETTLES));
        let since = since.and_then(|it| Timestamp::from_second(it).ok());
        for usage in self.index.own_usage(row.row, since.unwrap_or(Timestamp::MIN))? {
            let told = RelayedUsage::of(&usage);
            let mark = marked(&serde_json::to_vec(&told).unwrap_or_default(), true);
            let says = Says::Usage(it.who.clone(), Box::new(told));
            self.say_new(it, (ToldKind::Usage, usage.key, mark), says)?;
        }
        Ok(())
    }

    /// Says something under the next number, if it was not told so already.
    fn say_new(
        &mut self,
        it: &mut Telling,
        (what, key, mark): (ToldKind, Digest16, Digest16),
        says: Says,
    ) -> Result<(), DaemonError> {
        let session = it.session.session;
        if self.ledger.told_mark(session, what, key)? == Some(mark) {
            return Ok(());
        }
        it.session.number += 1;
        self.say(session, it.session.number, says);
        it.marks.push(Mark { what, key, mark: Some(mark) });
        Ok(())
    }

    fn say(&mut self, session: SessionId, number: u64, says: Says) {
        let line = Relayed { number, says }.write();
        self.told.items.push(Item { session, carried: Carried::Line(line) });
    }
}

/// It is ours to tell, and wanted: what was given to us or told to us is another's.
pub(super) fn is_chosen(settings: &Settings, row: &SessionRow) -> bool {
    let is_given = by_id(&row.agent).is_none_or(|it| it.given().is_some());
    row.captured
        && !is_given
        && !is_locator(&row.source_uri)
        && settings.sync.takes(row.project_path.as_deref())
}

fn fresh(session: SessionId) -> ToldSession {
    let generation = String::new();
    ToldSession { session, generation, sequence: 0, number: 0, bodies: false, gone: false }
}

/// A mark of what was told, with texts or without.
fn marked(content: &[u8], bodies: bool) -> Digest16 {
    hash::digest("told", &[content, &[u8::from(bodies)], &VERSION.to_le_bytes()])
}
