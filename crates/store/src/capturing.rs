//! Sessions that are not to be captured for now: what is held of them stays, and nothing is added.

use crate::writer::Writer;
use crate::{IndexReader, Ledger, StoreError};
use rusqlite::{Connection, params};
use std::collections::HashSet;
use taffrail_model::{Facts, RuntimeIdentity, SessionId, Timestamp};

/// Sessions that are not captured.
#[derive(Debug, Clone, Default)]
pub struct Uncaptured(HashSet<SessionId>);

/// One of them, as the ledger has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UncapturedRow {
    /// The session.
    pub session: SessionId,
    /// The one a person named: this, or the one it works for.
    pub root: SessionId,
    /// Since when.
    pub since: Timestamp,
    /// What was held of it was forgotten.
    pub forgotten: bool,
}

impl Uncaptured {
    /// This session, or the one it works for, is not captured.
    #[must_use]
    pub fn holds(&self, who: &RuntimeIdentity, facts: &Facts) -> bool {
        let parent = facts.parent.as_ref().map(RuntimeIdentity::session);
        self.has(who) || parent.is_some_and(|it| self.0.contains(&it))
    }

    /// This very session is not captured.
    #[must_use]
    pub fn has(&self, who: &RuntimeIdentity) -> bool {
        self.0.contains(&who.session())
    }

    /// There are none.
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
                session: SessionId::from_bytes(crate::codec::blob(row, 0)?),
                root: SessionId::from_bytes(crate::codec::blob(row, 1)?),
                since: crate::codec::from_micros(row.get(2)?),
                forgotten: row.get(3)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The same as a set.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn uncaptured(&self) -> Result<Uncaptured, StoreError> {
        Ok(Uncaptured(self.uncaptured_rows()?.iter().map(|it| it.session).collect()))
    }

    fn note_uncaptured(&mut self, rows: &[UncapturedRow]) -> Result<(), StoreError> {
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

    /// A session that was forgotten when its capture ended may come back with it.
    fn unnote(&mut self, rows: &[UncapturedRow]) -> Result<(), StoreError> {
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

impl Writer {
    /// Sessions that are not captured.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn uncaptured(&self) -> Result<Uncaptured, StoreError> {
        self.ledger.uncaptured()
    }

    /// Captures sessions no more.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn uncapture(&mut self, rows: &[UncapturedRow], now: Timestamp) -> Result<(), StoreError> {
        self.ledger.note_uncaptured(rows)?;
        self.mark_uncaptured(now)
    }

    /// Captures sessions again: their sources are read from their start.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn recapture(&mut self, rows: &[UncapturedRow], now: Timestamp) -> Result<(), StoreError> {
        self.ledger.unnote(rows)?;
        self.begin()?;
        for it in rows {
            self.index.execute(
                "UPDATE sources SET again = 1 WHERE locator NOT LIKE 'journal:%' AND id IN \
                 (SELECT source FROM source_sessions JOIN sessions ON sessions.id = session \
                  WHERE uuid = ?1 OR parent = ?1)",
                [it.session.as_bytes()],
            )?;
        }
        // What was met while nothing was to be known of it belongs to no session.
        self.index.execute(
            "UPDATE sources SET again = 1 WHERE locator NOT LIKE 'journal:%' AND id NOT IN \
             (SELECT source FROM source_sessions)",
            [],
        )?;
        self.commit(now)?;
        self.mark_uncaptured(now)
    }

    /// Has the index say of every session whether it is captured, as the ledger has it.
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

    /// The files that tell of such sessions and of no other.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn uncaptured_files(&self) -> Result<HashSet<(String, String)>, StoreError> {
        uncaptured_files(&self.index)
    }
}

impl IndexReader {
    /// The files that tell of sessions that are not captured, and of no other.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn uncaptured_files(&self) -> Result<HashSet<(String, String)>, StoreError> {
        uncaptured_files(&self.connection)
    }
}

fn marked(index: &Connection) -> Result<HashSet<SessionId>, StoreError> {
    let mut statement = index.prepare_cached("SELECT uuid FROM sessions WHERE captured = 0")?;
    let rows = statement.query_map([], |row| Ok(SessionId::from_bytes(row.get(0)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn uncaptured_files(index: &Connection) -> Result<HashSet<(String, String)>, StoreError> {
    let mut statement = index.prepare_cached(
        "SELECT home, path FROM sources JOIN source_sessions ON source = sources.id \
         JOIN sessions ON sessions.id = session \
         WHERE locator NOT LIKE 'journal:%' AND key = '' AND sources.id IN \
           (SELECT source FROM source_sessions JOIN sessions ON sessions.id = session \
            WHERE captured = 0) \
         GROUP BY sources.id HAVING max(captured) = 0",
    )?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
