//! Publishes one session: what changed in it since the last time, line by line.

use super::lines;
use super::outbound::Outgoing;
use crate::error::DevicesError;
use crate::teleport::Reduce;
use std::collections::HashSet;
use taffrail_capture::{Body, Sources};
use taffrail_context::Settings;
use taffrail_ingest::{reference, sources};
use taffrail_model::hash::{self, Digest16};
use taffrail_model::replication::{
    Relayed, RelayedEvent, RelayedFacts, RelayedUsage, Says, VERSION, as_told, is_locator,
};
use taffrail_model::{EventId, RuntimeIdentity, SessionId, StreamName, Timestamp};
use taffrail_store::{
    EventRow, IndexReader, Ledger, Mark, SessionRow, ToldKind, ToldSession, ToldUpdate,
};
use taffrail_sync::exchange::Item;

/// For this many seconds after a model's answer, its usage may still be corrected.
const USAGE_SETTLES: i64 = 86_400;
/// The key under which the facts of a session are recorded.
const FACTS: Digest16 = [0; 16];

/// The audience, and how much it receives.
pub(super) struct Way {
    /// With texts.
    pub(super) bodies: bool,
    /// For the readers of a share instead of the user's own devices.
    pub(super) share: Option<Sharing>,
}

/// What publishing to the readers of a share needs.
pub(super) struct Sharing {
    pub(super) stream: StreamName,
    pub(super) reduce: Reduce,
}

impl Way {
    fn name(&self, who: RuntimeIdentity) -> RuntimeIdentity {
        if self.share.is_some() { as_told(&who) } else { who }
    }

    fn facts(&self, facts: RelayedFacts) -> RelayedFacts {
        match &self.share {
            Some(share) => lines::shared_facts(facts, &share.reduce),
            None => facts,
        }
    }

    fn event(&self, event: RelayedEvent) -> RelayedEvent {
        match &self.share {
            Some(share) => lines::shared_event(event, &share.reduce),
            None => event,
        }
    }
}

/// Publishes sessions.
pub(super) struct Publisher<'a> {
    pub(super) settings: &'a Settings,
    pub(super) index: IndexReader,
    pub(super) ledger: Ledger,
    pub(super) most: usize,
    pub(super) told: Outgoing,
    sources: Sources<'a>,
    way: Way,
}

/// One session while it is being published.
struct Telling {
    who: RuntimeIdentity,
    session: ToldSession,
    marks: Vec<Mark>,
}

impl<'a> Publisher<'a> {
    /// Starts without items.
    pub(super) fn new(
        settings: &'a Settings,
        (index, ledger): (IndexReader, Ledger),
        (most, way): (usize, Way),
    ) -> Self {
        let sources = sources(settings);
        Self { settings, index, ledger, most, told: Outgoing::default(), sources, way }
    }
}

impl Publisher<'_> {
    /// Publishes what is new in a session; `false` when there is more.
    pub(super) fn session(
        &mut self,
        row: &SessionRow,
        known: &ToldSession,
    ) -> Result<bool, DevicesError> {
        let bodies = self.way.bodies;
        let goes_on =
            known.generation == self.index.generation() && known.bodies == bodies && !known.gone;
        let rows = match goes_on {
            true => self.index.changes_after(row.row, known.sequence)?,
            false => self.index.events(row.row)?,
        };
        // Until everything is published, the next call starts over and skips what was.
        let generation = if goes_on { known.generation.clone() } else { String::new() };
        let begun = ToldSession { generation, bodies, gone: false, ..*known };
        let who = self.way.name(self.index.identity_of(row.row)?);
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

    fn facts(&mut self, row: &SessionRow, it: &mut Telling) -> Result<(), DevicesError> {
        let facts = lines::facts(&self.index.own_facts(row.row)?, self.way.bodies);
        let facts = self.way.facts(facts);
        // Plain strings and numbers always serialize.
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
    ) -> Result<bool, DevicesError> {
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
    ) -> Result<(), DevicesError> {
        let bodies = self.way.bodies;
        let (key, mark) = (*event.id.as_bytes(), marked(&event.content, bodies));
        if self.told_mark(row.id, ToldKind::Event, key)? == Some(mark) {
            return Ok(());
        }
        let body = bodies.then(|| self.body(row, event));
        let told = self.way.event(lines::event(event, body));
        let says = Says::Event(it.who.clone(), Box::new(told));
        self.say_new(it, (ToldKind::Event, key, mark), says)
    }

    fn body(&mut self, row: &SessionRow, event: &EventRow) -> Body {
        self.told.work.texts += 1;
        // If the source no longer has the text, the index's excerpt replaces it.
        self.sources.body(&reference(&row.agent, event)).unwrap_or_else(|_| Body {
            text: Some(event.excerpt.clone()).filter(|it| !it.is_empty()),
            ..Body::default()
        })
    }

    fn removed(&mut self, id: EventId, it: &mut Telling) -> Result<(), DevicesError> {
        let (session, key) = (it.session.session, *id.as_bytes());
        if self.told_mark(session, ToldKind::Event, key)?.is_some() {
            it.session.number += 1;
            self.say(it.who.session(), it.session.number, Says::Removed(it.who.clone(), id));
            it.marks.push(Mark { what: ToldKind::Event, key, mark: None });
        }
        Ok(())
    }

    /// Withdraws published events that no longer exist, if the index cannot list them.
    fn vanished(&mut self, rows: &[EventRow], it: &mut Telling) -> Result<(), DevicesError> {
        let stands: HashSet<_> = rows.iter().map(|it| *it.id.as_bytes()).collect();
        for key in self.told_keys(it.session.session, ToldKind::Event)? {
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
    ) -> Result<(), DevicesError> {
        let earliest = rows.iter().map(|it| it.at).min().filter(|_| goes_on);
        let since = earliest.map(|at| at.as_second().saturating_sub(USAGE_SETTLES));
        let since = since.and_then(|it| Timestamp::from_second(it).ok());
        for usage in self.index.own_usage(row.row, since.unwrap_or(Timestamp::MIN))? {
            let told = RelayedUsage::of(&usage);
            // As above.
            let mark = marked(&serde_json::to_vec(&told).unwrap_or_default(), true);
            let says = Says::Usage(it.who.clone(), Box::new(told));
            self.say_new(it, (ToldKind::Usage, usage.key, mark), says)?;
        }
        Ok(())
    }

    /// Publishes a line under the next number, unless the same line was published already.
    fn say_new(
        &mut self,
        it: &mut Telling,
        (what, key, mark): (ToldKind, Digest16, Digest16),
        says: Says,
    ) -> Result<(), DevicesError> {
        let session = it.session.session;
        if self.told_mark(session, what, key)? == Some(mark) {
            return Ok(());
        }
        it.session.number += 1;
        self.say(it.who.session(), it.session.number, says);
        it.marks.push(Mark { what, key, mark: Some(mark) });
        Ok(())
    }

    pub(super) fn say(&mut self, session: SessionId, number: u64, says: Says) {
        let line = Relayed { number, says }.write();
        self.told.items.push(Item::Line { session, line });
    }

    fn told_mark(
        &self,
        session: SessionId,
        what: ToldKind,
        key: Digest16,
    ) -> Result<Option<Digest16>, DevicesError> {
        Ok(match &self.way.share {
            Some(share) => self.ledger.share_mark(&share.stream, what, key)?,
            None => self.ledger.told_mark(session, what, key)?,
        })
    }

    fn told_keys(&self, session: SessionId, what: ToldKind) -> Result<Vec<Digest16>, DevicesError> {
        Ok(match &self.way.share {
            Some(share) => self.ledger.share_keys(&share.stream, what)?,
            None => self.ledger.told_keys(session, what)?,
        })
    }
}

/// A digest of what was published, with texts or without.
fn marked(content: &[u8], bodies: bool) -> Digest16 {
    hash::digest("told", &[content, &[u8::from(bodies)], &VERSION.to_le_bytes()])
}
