//! Marks uncaptured sessions in the index, as the ledger lists them.

use super::Writer;
use crate::db::StoreError;
use crate::db::rows::source;
use crate::ledger::{Uncaptured, UncapturedRow};
use rusqlite::{Connection, params};
use std::collections::HashSet;
use taffrail_model::{SessionId, Timestamp};

impl Writer {
    /// Sessions that are not captured.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn uncaptured(&self) -> Result<Uncaptured, StoreError> {
        self.ledger.uncaptured()
    }

    /// Stops capturing sessions.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn uncapture(&mut self, rows: &[UncapturedRow], now: Timestamp) -> Result<(), StoreError> {
        self.ledger.note_uncaptured(rows)?;
        self.mark_uncaptured(now)
    }

    /// Captures sessions again: their sources are read from the start.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn recapture(&mut self, rows: &[UncapturedRow], now: Timestamp) -> Result<(), StoreError> {
        self.ledger.drop_uncaptured(rows)?;
        self.begin()?;
        for it in rows {
            self.index.execute(
                "UPDATE sources SET again = 1 WHERE locator NOT LIKE 'journal:%' AND id IN \
                 (SELECT source FROM source_sessions JOIN sessions ON sessions.id = session \
                  WHERE uuid = ?1 OR parent = ?1)",
                [it.session.as_bytes()],
            )?;
        }
        // Sources that were read while their session was uncaptured have no session in the index.
        self.index.execute(
            "UPDATE sources SET again = 1 WHERE locator NOT LIKE 'journal:%' AND id NOT IN \
             (SELECT source FROM source_sessions)",
            [],
        )?;
        self.commit(now)?;
        self.mark_uncaptured(now)
    }

    /// Marks in the index which sessions are captured, as the ledger lists them.
    ///
    /// # Errors
    /// When a file cannot be read or written.
    pub fn mark_uncaptured(&mut self, now: Timestamp) -> Result<(), StoreError> {
        let rows = self.ledger.uncaptured_rows()?;
        self.begin()?;
        let batch = self.batch;
        let all: HashSet<SessionId> = rows.iter().map(|it| it.session).collect();
        let marked = marked(&self.index)?;
        let mut statement = self.index.prepare_cached(
            "UPDATE sessions SET captured = ?2, last_batch = ?3 WHERE uuid = ?1 AND captured <> ?2",
        )?;
        for (sessions, captured) in
            [(marked.difference(&all), true), (all.difference(&marked), false)]
        {
            for session in sessions {
                statement.execute(params![session.as_bytes(), captured, batch])?;
            }
        }
        drop(statement);
        self.commit(now)?;
        Ok(())
    }

    /// The files that hold only uncaptured sessions.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn uncaptured_files(&self) -> Result<HashSet<(String, String)>, StoreError> {
        source::uncaptured_files(&self.index)
    }
}

fn marked(index: &Connection) -> Result<HashSet<SessionId>, StoreError> {
    let mut statement = index.prepare_cached("SELECT uuid FROM sessions WHERE captured = 0")?;
    let rows = statement.query_map([], |row| Ok(SessionId::from_bytes(row.get(0)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
