//! Sessions that were forgotten.

use super::Ledger;
use crate::db::codec::{blob, micros};
use crate::db::{StoreError, schema};
use rusqlite::params;
use std::collections::HashSet;
use taffrail_model::{Facts, RuntimeIdentity, SessionId, Timestamp};

/// Sessions that were forgotten.
#[derive(Debug, Clone, Default)]
pub struct Forgotten(HashSet<SessionId>);

impl Forgotten {
    /// Whether this session or its parent was forgotten.
    #[must_use]
    pub fn holds(&self, who: &RuntimeIdentity, facts: &Facts) -> bool {
        let parent = facts.parent.as_ref().map(RuntimeIdentity::session);
        self.0.contains(&who.session()) || parent.is_some_and(|it| self.0.contains(&it))
    }

    /// The ids of the sessions.
    pub(crate) fn ids(&self) -> &HashSet<SessionId> {
        &self.0
    }

    /// How many sessions were forgotten.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether no session was forgotten.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Ledger {
    /// Sessions that were forgotten and must not come back.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn forgotten(&self) -> Result<Forgotten, StoreError> {
        let mut statement = self.connection.prepare("SELECT session_id FROM tombstones")?;
        let rows = statement.query_map([], |row| Ok(SessionId::from_bytes(blob(row, 0)?)))?;
        Ok(Forgotten(rows.collect::<Result<_, _>>()?))
    }

    /// Marks sessions as forgotten and deletes everything the ledger has about them.
    pub(crate) fn bury(
        &mut self,
        sessions: &[SessionId],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let transaction = self.connection.transaction()?;
        for session in sessions {
            transaction.execute(
                "INSERT OR IGNORE INTO tombstones (session_id, forgotten_at) VALUES (?1, ?2)",
                params![session.as_bytes(), micros(now)],
            )?;
        }
        transaction.execute_batch(schema::FORGET)?;
        transaction.commit()?;
        Ok(())
    }

    /// Every forgotten session, and when it was forgotten in microseconds.
    pub(super) fn tombstones(&self) -> Result<Vec<(SessionId, i64)>, StoreError> {
        let mut statement =
            self.connection.prepare("SELECT session_id, forgotten_at FROM tombstones")?;
        let rows = statement
            .query_map([], |row| Ok((SessionId::from_bytes(blob(row, 0)?), row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
