//! Sessions that are not captured for now: existing data stays, and nothing is added.

use super::Ledger;
use crate::db::StoreError;
use crate::db::codec::{blob, from_micros};
use rusqlite::params;
use std::collections::HashSet;
use taffrail_model::{Facts, RuntimeIdentity, SessionId, Timestamp};

/// Sessions that are not captured.
#[derive(Debug, Clone, Default)]
pub struct Uncaptured(HashSet<SessionId>);

/// An uncaptured session in the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UncapturedRow {
    /// The session.
    pub session: SessionId,
    /// The session that a person named: this one, or its parent.
    pub root: SessionId,
    /// Since when.
    pub since: Timestamp,
    /// Its existing data was forgotten.
    pub forgotten: bool,
}

impl Uncaptured {
    /// Whether this session or its parent is not captured.
    #[must_use]
    pub fn holds(&self, who: &RuntimeIdentity, facts: &Facts) -> bool {
        let parent = facts.parent.as_ref().map(RuntimeIdentity::session);
        self.has(who) || parent.is_some_and(|it| self.0.contains(&it))
    }

    /// Whether this very session is not captured.
    #[must_use]
    pub fn has(&self, who: &RuntimeIdentity) -> bool {
        self.0.contains(&who.session())
    }

    /// Whether every session is captured.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Ledger {
    /// Sessions that are not captured, the latest first.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn uncaptured_rows(&self) -> Result<Vec<UncapturedRow>, StoreError> {
        let query = "SELECT session_id, root, since, forgotten FROM uncaptured \
                     ORDER BY since DESC, session_id";
        let mut statement = self.connection.prepare(query)?;
        let rows = statement.query_map([], |row| {
            Ok(UncapturedRow {
                session: SessionId::from_bytes(blob(row, 0)?),
                root: SessionId::from_bytes(blob(row, 1)?),
                since: from_micros(row.get(2)?),
                forgotten: row.get(3)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The uncaptured sessions as a set.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn uncaptured(&self) -> Result<Uncaptured, StoreError> {
        Ok(Uncaptured(self.uncaptured_rows()?.iter().map(|it| it.session).collect()))
    }

    /// Marks sessions as not captured.
    pub(crate) fn note_uncaptured(&mut self, rows: &[UncapturedRow]) -> Result<(), StoreError> {
        let transaction = self.connection.transaction()?;
        for it in rows {
            transaction.execute(
                "INSERT INTO uncaptured (session_id, root, since, forgotten) \
                 VALUES (?1, ?2, ?3, ?4) ON CONFLICT (session_id) \
                 DO UPDATE SET root = excluded.root, forgotten = max(forgotten, excluded.forgotten)",
                params![
                    it.session.as_bytes(),
                    it.root.as_bytes(),
                    it.since.as_microsecond(),
                    it.forgotten
                ],
            )?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Captures sessions again. A session that was forgotten when its capture ended may come back.
    pub(crate) fn drop_uncaptured(&mut self, rows: &[UncapturedRow]) -> Result<(), StoreError> {
        let transaction = self.connection.transaction()?;
        for it in rows {
            let id = it.session.as_bytes();
            transaction.execute("DELETE FROM uncaptured WHERE session_id = ?1", [id])?;
            if it.forgotten {
                transaction.execute("DELETE FROM tombstones WHERE session_id = ?1", [id])?;
            }
        }
        transaction.commit()?;
        Ok(())
    }
}
