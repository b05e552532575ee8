//! The events of a session, and what changed in it.

use super::IndexReader;
use crate::db::codec::{from_micros, micros, signed};
use crate::db::rows::{EVENT, EventRow, SessionRow, read_event};
use crate::db::{Columns, SHOWN, StoreError};
use rusqlite::{OptionalExtension, ToSql, params};
use taffrail_model::answer::Side;
use taffrail_model::{EventId, Kind, Origin, ResumeCursor, Timestamp};

/// The answer to a follower.
#[derive(Debug, Clone, PartialEq)]
pub enum Changes {
    /// The cursor is known: the changes after it, in order, including removals.
    Since(Vec<EventRow>),
    /// The cursor is unknown: all live events, in canonical order.
    Snapshot(Vec<EventRow>),
}

/// A session's start precedes everything else written at the same instant.
pub(super) const CANONICAL_ORDER: &str =
    " ORDER BY e.at, s.rank, e.kind <> 'session.started', e.position, e.part, e.id";

/// How many of the latest events are looked at first where one is wanted.
const NEAR: i64 = 50;

/// The canonical order, reversed.
const LATEST: &str = " AND e.removed = 0 \
  ORDER BY e.at DESC, s.rank DESC, e.kind <> 'session.started' DESC, e.position DESC, \
  e.part DESC, e.id DESC";

impl IndexReader {
    /// A session's live events in canonical order.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn events(&self, session: i64) -> Result<Vec<EventRow>, StoreError> {
        self.event_rows(&format!("{EVENT} AND e.removed = 0{CANONICAL_ORDER}"), &[&session])
    }

    /// A session's own live events from an instant on, in canonical order: the side of each.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn sides(
        &self,
        session: i64,
        from: Timestamp,
    ) -> Result<Vec<(EventId, Timestamp, Side)>, StoreError> {
        let query = format!(
            "SELECT e.id, e.at, e.kind, e.origin FROM events e JOIN sources s ON s.id = e.source \
             WHERE e.session = ?1 AND e.at >= ?2 AND e.inherited_from IS NULL AND e.removed = 0{CANONICAL_ORDER}"
        );
        let mut statement = self.connection.prepare_cached(&query)?;
        let rows = statement.query_map(params![session, micros(from)], |row| {
            let row = Columns::of(row);
            let (id, kind) = (EventId::from_bytes(row.get("id")?), row.get::<String>("kind")?);
            let origin = row.get::<Option<String>>("origin")?;
            let origin = origin.map_or(Origin::Transcript, |it| Origin::from(it.as_str()));
            Ok((id, row.time("at")?, Side::of(&origin, &Kind::from(kind.as_str()))))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// A session's latest live events in canonical order.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn last_events(&self, session: i64, limit: usize) -> Result<Vec<EventRow>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let from = self.time_of_latest(session, limit)?;
        let query = format!("{EVENT} AND e.at >= ?3{LATEST} LIMIT ?2");
        let mut rows = self.event_rows(&query, &[&session, &limit, &from])?;
        rows.reverse();
        Ok(rows)
    }

    /// A time from which on a session has at least so many live events, found without sorting them all.
    fn time_of_latest(&self, session: i64, count: i64) -> Result<i64, StoreError> {
        let query = format!(
            "SELECT at FROM events INDEXED BY events_in_order WHERE session = ?1 AND {SHOWN} \
             ORDER BY at DESC LIMIT 1 OFFSET ?2"
        );
        let mut statement = self.connection.prepare_cached(&query)?;
        let skipped = count.saturating_sub(1).max(0);
        let found = statement.query_row(params![session, skipped], |row| row.get(0)).optional()?;
        Ok(found.unwrap_or(i64::MIN))
    }

    /// A session's latest live event in one source.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn last_event_in(
        &self,
        session: i64,
        locator: &str,
    ) -> Result<Option<EventRow>, StoreError> {
        self.latest_where(session, locator, "")
    }

    /// A session's latest live event in one source that meets a condition: it is mostly among the latest of all, and to
    /// sort those is little work.
    fn latest_where(
        &self,
        session: i64,
        locator: &str,
        condition: &str,
    ) -> Result<Option<EventRow>, StoreError> {
        let query =
            format!("{EVENT} AND s.locator = ?2 {condition} AND e.at >= ?3{LATEST} LIMIT 1");
        for from in [self.time_of_latest(session, NEAR)?, i64::MIN] {
            let found = self.event_rows(&query, &[&session, &locator, &from])?.pop();
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The agent's id of a session's latest record in one source that has an id.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn last_record_id(
        &self,
        session: i64,
        locator: &str,
    ) -> Result<Option<String>, StoreError> {
        let has_id = "AND e.source_event_id IS NOT NULL";
        let found = self.latest_where(session, locator, has_id)?;
        Ok(found.and_then(|it| it.source_event_id))
    }

    /// The changes after a cursor; everything if the cursor is unknown.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn changes(
        &self,
        session: &SessionRow,
        after: Option<&ResumeCursor>,
    ) -> Result<Changes, StoreError> {
        let known = after.filter(|cursor| {
            cursor.generation == self.generation() && cursor.sequence <= session.sequence
        });
        let Some(cursor) = known else {
            return Ok(Changes::Snapshot(self.events(session.row)?));
        };
        Ok(Changes::Since(self.changes_after(session.row, cursor.sequence)?))
    }

    /// The changes in a session after a change number, in order.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn changes_after(&self, session: i64, sequence: u64) -> Result<Vec<EventRow>, StoreError> {
        let query = format!("{EVENT} AND e.sequence > ?2 ORDER BY e.sequence");
        self.event_rows(&query, &[&session, &signed(sequence)])
    }

    /// The first changes in a session after a change number, in order.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn first_changes_after(
        &self,
        session: i64,
        sequence: u64,
        limit: usize,
    ) -> Result<Vec<EventRow>, StoreError> {
        let query = format!("{EVENT} AND e.sequence > ?2 ORDER BY e.sequence LIMIT ?3");
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.event_rows(&query, &[&session, &signed(sequence), &limit])
    }

    /// The events of a session that changed after a batch, by position, including removed ones.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn events_after(&self, session: i64, batch: i64) -> Result<Vec<EventRow>, StoreError> {
        let query = format!("{EVENT} AND e.batch > ?2 ORDER BY e.source, e.position, e.part");
        self.event_rows(&query, &[&session, &batch])
    }

    /// A live event by the prefix of its id.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn event_by_key(&self, session: i64, key: u64) -> Result<Option<EventRow>, StoreError> {
        let (from, to) = between(key);
        let query = format!("{EVENT} AND e.id BETWEEN ?2 AND ?3 AND e.removed = 0");
        Ok(self.event_rows(&query, &[&session, &from, &to])?.into_iter().next())
    }

    /// The id and the time of a live event, by the prefix of its id.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn event_time(
        &self,
        session: i64,
        key: u64,
    ) -> Result<Option<(EventId, Timestamp)>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT id, at FROM events WHERE session = ?1 AND id BETWEEN ?2 AND ?3 AND removed = 0",
        )?;
        let (from, to) = between(key);
        let found = statement.query_row(params![session, from, to], |row| {
            Ok((EventId::from_bytes(row.get(0)?), from_micros(row.get(1)?)))
        });
        Ok(found.optional()?)
    }

    /// An event by its id, removed or not.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn event_by_id(&self, session: i64, id: EventId) -> Result<Option<EventRow>, StoreError> {
        let query = format!("{EVENT} AND e.id = ?2");
        Ok(self.event_rows(&query, &[&session, id.as_bytes()])?.into_iter().next())
    }

    pub(crate) fn event_rows(
        &self,
        query: &str,
        values: &[&dyn ToSql],
    ) -> Result<Vec<EventRow>, StoreError> {
        let mut statement = self.connection.prepare_cached(query)?;
        let rows = statement.query_map(values, read_event)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// The first and the last id with this prefix.
fn between(key: u64) -> ([u8; 16], [u8; 16]) {
    let first = u128::from(key) << 64;
    (first.to_be_bytes(), (first | u128::from(u64::MAX)).to_be_bytes())
}
