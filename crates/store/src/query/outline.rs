//! The places of a session's events: their numbers in its canonical order, without gaps, and the turns.
//!
//! Both are read from two narrow indexes, so that a window opens at the end as fast as at the start.

use super::IndexReader;
use super::events::CANONICAL_ORDER;
use crate::db::codec::from_micros;
use crate::db::rows::{EVENT, EventRow};
use crate::db::{SHOWN, StoreError};
use rusqlite::params;
use taffrail_model::turn::TurnNumbers;
use taffrail_model::{EventId, Timestamp, TurnId};

/// Where the events of a session are that a transcript shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    session: i64,
    /// The times of all events in order, in microseconds.
    times: Vec<i64>,
    /// The prompts in order.
    prompts: Vec<Prompt>,
}

/// A prompt, and the turn it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Prompt {
    at: i64,
    id: EventId,
    turn: u32,
}

impl Outline {
    /// The number of events.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.times.len() as u64
    }

    /// The number of turns.
    #[must_use]
    pub fn turns(&self) -> u32 {
        self.prompts.last().map_or(0, |it| it.turn)
    }

    /// The prompt that opened a turn, and when.
    #[must_use]
    pub fn prompt_of(&self, turn: u32) -> Option<(EventId, Timestamp)> {
        let first = self.prompts.partition_point(|it| it.turn < turn);
        let prompt = self.prompts.get(first).filter(|it| it.turn == turn)?;
        Some((prompt.id, from_micros(prompt.at)))
    }

    /// The turn that this prompt opens or steers, if it is one of the turn `after` or the next.
    #[must_use]
    pub fn turn_of(&self, prompt: EventId, after: Option<u32>) -> Option<u32> {
        let turn = after.unwrap_or_default();
        let first = self.prompts.partition_point(|it| it.turn < turn);
        let mut near = self.prompts.iter().skip(first).take_while(|it| it.turn <= turn + 1);
        near.find(|it| it.id == prompt).map(|it| it.turn)
    }

    /// The place of the first event at or after an instant, from 1; one more than all if none is.
    #[must_use]
    pub fn first_at(&self, at: Timestamp) -> u64 {
        self.before(at.as_microsecond()) as u64 + 1
    }

    fn before(&self, at: i64) -> usize {
        self.times.partition_point(|it| *it < at)
    }

    /// Whether another event has this time.
    fn is_shared(&self, at: i64) -> bool {
        self.times.get(self.before(at) + 1) == Some(&at)
    }
}

impl IndexReader {
    /// Makes everything read from here on the state of one moment.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn hold(&self) -> Result<(), StoreError> {
        Ok(self.connection().execute_batch("BEGIN")?)
    }

    /// Where the events of a session are.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn outline(&self, session: i64) -> Result<Outline, StoreError> {
        let query = format!(
            "SELECT at FROM events INDEXED BY events_in_order WHERE session = ?1 AND {SHOWN} \
             ORDER BY at"
        );
        let mut statement = self.connection().prepare_cached(&query)?;
        let times = statement.query_map([session], |row| row.get(0))?.collect::<Result<_, _>>()?;
        Ok(Outline { session, times, prompts: self.prompts(session)? })
    }

    /// When the turns of a session began.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn turn_starts(&self, session: i64) -> Result<Vec<Timestamp>, StoreError> {
        let mut prompts = self.prompts(session)?;
        prompts.dedup_by_key(|it| it.turn);
        Ok(prompts.into_iter().map(|it| from_micros(it.at)).collect())
    }

    fn prompts(&self, session: i64) -> Result<Vec<Prompt>, StoreError> {
        let mut statement = self.connection().prepare_cached(
            "SELECT e.at, e.id, e.turn FROM events e INDEXED BY events_of_prompts \
             JOIN sources s ON s.id = e.source WHERE e.session = ?1 AND e.removed = 0 \
             AND e.kind = 'user.prompt' AND e.turn IS NOT NULL \
             ORDER BY e.at, s.rank, e.position, e.part, e.id",
        )?;
        let mut numbers = TurnNumbers::default();
        let rows = statement.query_map([session], |row| {
            let turn = numbers.number(TurnId::from_bytes(row.get(2)?));
            Ok(Prompt { at: row.get(0)?, id: EventId::from_bytes(row.get(1)?), turn })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The place of an event among those of its session, from 1, and its turn, if it has one.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn place_of(
        &self,
        outline: &Outline,
        event: (EventId, Timestamp),
    ) -> Result<(u64, Option<u32>), StoreError> {
        let at = event.1.as_microsecond();
        let before = outline.before(at);
        // Events with the same time are few, so their order is looked up only here.
        let peers = match outline.is_shared(at) {
            true => self.peers(outline.session, at)?,
            false => vec![event.0],
        };
        let among = peers.iter().position(|it| *it == event.0).unwrap_or_default();
        let until = outline.prompts.partition_point(|it| it.at < at);
        let here = outline.prompts.iter().skip(until).take_while(|it| it.at == at);
        let opened = peers.iter().take(among + 1);
        let passed = here.filter(|it| opened.clone().any(|id| *id == it.id)).count();
        let prompt = (until + passed).checked_sub(1).and_then(|it| outline.prompts.get(it));
        Ok(((before + among) as u64 + 1, prompt.map(|it| it.turn)))
    }

    /// The events with exactly this time, in order.
    fn peers(&self, session: i64, at: i64) -> Result<Vec<EventId>, StoreError> {
        let query = format!(
            "SELECT e.id FROM events e INDEXED BY events_in_order JOIN sources s ON s.id = e.source \
             WHERE e.session = ?1 AND e.{SHOWN} AND e.at = ?2{CANONICAL_ORDER}"
        );
        let mut statement = self.connection().prepare_cached(&query)?;
        let rows = statement
            .query_map(params![session, at], |row| Ok(EventId::from_bytes(row.get(0)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Events of a session in order, from a place on.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn events_from(
        &self,
        outline: &Outline,
        place: u64,
        limit: usize,
    ) -> Result<Vec<EventRow>, StoreError> {
        let first = usize::try_from(place.saturating_sub(1)).unwrap_or(usize::MAX);
        let Some(at) = outline.times.get(first) else { return Ok(Vec::new()) };
        let skipped = i64::try_from(first - outline.before(*at)).unwrap_or_default();
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let query =
            format!("{EVENT} AND e.{SHOWN} AND e.at >= ?2{CANONICAL_ORDER} LIMIT ?3 OFFSET ?4");
        self.event_rows(&query, &[&outline.session, at, &limit, &skipped])
    }
}
