//! Events of a session by their kind and time.

use super::IndexReader;
use crate::db::rows::{EVENT, EventRow};
use crate::db::{LISTED, StoreError};
use rusqlite::{OptionalExtension, params};
use taffrail_model::{EventId, Kind, Signal, Timestamp};

impl IndexReader {
    /// The latest events that say that somebody refused a call, since an instant: the row of each
    /// session, and the event. Copies do not count.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn denials(
        &self,
        since: Timestamp,
        most: usize,
    ) -> Result<Vec<(i64, EventId)>, StoreError> {
        let mut statement = self.connection().prepare_cached(
            "SELECT session, id FROM events WHERE removed = 0 AND marks & 8 <> 0 AND at >= ?1 \
             AND inherited_from IS NULL ORDER BY at DESC, sequence DESC LIMIT ?2",
        )?;
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let rows = statement.query_map(params![since.as_microsecond(), most], |row| {
            Ok((row.get(0)?, EventId::from_bytes(row.get(1)?)))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The latest live event of a kind up to an instant.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn last_of_kind(
        &self,
        session: i64,
        kind: &Kind,
        until: Timestamp,
    ) -> Result<Option<EventRow>, StoreError> {
        let query = format!(
            "{EVENT} AND kind = ?2 AND {LISTED} AND at <= ?3 ORDER BY at DESC, e.sequence DESC LIMIT 1"
        );
        let until = until.as_microsecond();
        Ok(self.event_rows(&query, &[&session, &kind.as_str(), &until])?.pop())
    }

    /// The call that a hook announced with this input, the latest up to an instant: the event of
    /// the call, or the hook's own, and the agent's id of the call.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn announced_call(
        &self,
        session: i64,
        input: &str,
        until: Timestamp,
    ) -> Result<Option<(EventId, String)>, StoreError> {
        let query = format!(
            "SELECT coalesce((SELECT c.id FROM events c WHERE c.session = h.session \
               AND c.kind = 'tool.call' AND c.removed = 0 AND c.at = h.at \
               AND c.source = h.source AND c.position = h.position), h.id), h.signal \
             FROM (SELECT * FROM events WHERE session = ?1 AND kind = 'heartbeat' AND {LISTED} \
               AND at <= ?2 AND signal LIKE ?3 ORDER BY at DESC LIMIT 1) h"
        );
        let mut statement = self.connection().prepare_cached(&query)?;
        let signal = format!("called:{input}:%");
        let found = statement.query_row(params![session, until.as_microsecond(), signal], |row| {
            Ok((EventId::from_bytes(row.get(0)?), row.get::<_, String>(1)?))
        });
        Ok(found.optional()?.and_then(|(id, signal)| match Signal::parse(&signal) {
            Signal::Called { call, .. } => Some((id, call)),
            _ => None,
        }))
    }
}
