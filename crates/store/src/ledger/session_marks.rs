//! Stars and titles that a person gave to sessions.

use super::Ledger;
use crate::db::StoreError;
use crate::db::codec::blob;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::{HashMap, HashSet};
use taffrail_model::SessionId;

/// A person's star and title of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionMark {
    /// It has a star.
    pub starred: bool,
    /// The title that a person gave it; it wins over the agent's.
    pub title: Option<String>,
}

impl Ledger {
    /// The star and the title of a session.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn session_mark(&self, session: SessionId) -> Result<SessionMark, StoreError> {
        let query = "SELECT starred, title FROM marks WHERE session_id = ?1";
        let mut statement = self.connection.prepare_cached(query)?;
        let found = statement.query_row([session.as_bytes()], |row| {
            Ok(SessionMark { starred: row.get(0)?, title: row.get(1)? })
        });
        Ok(found.optional()?.unwrap_or_default())
    }

    /// Stores the star and the title of a session.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn mark_session(
        &mut self,
        session: SessionId,
        mark: &SessionMark,
    ) -> Result<(), StoreError> {
        let id = session.as_bytes();
        if *mark == SessionMark::default() {
            self.connection.execute("DELETE FROM marks WHERE session_id = ?1", [id])?;
            return Ok(());
        }
        let query = "INSERT OR REPLACE INTO marks (session_id, starred, title) VALUES (?1, ?2, ?3)";
        self.connection.execute(query, params![id, mark.starred, mark.title])?;
        Ok(())
    }

    /// The sessions with a star.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn starred(&self) -> Result<HashSet<SessionId>, StoreError> {
        let query = "SELECT session_id FROM marks WHERE starred = 1";
        let mut statement = self.connection.prepare_cached(query)?;
        let rows = statement.query_map([], |row| blob(row, 0).map(SessionId::from_bytes))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The titles that a person gave, by session.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn titles(&self) -> Result<HashMap<SessionId, String>, StoreError> {
        titles(&self.connection)
    }
}

fn titles(connection: &Connection) -> Result<HashMap<SessionId, String>, StoreError> {
    let query = "SELECT session_id, title FROM marks WHERE title IS NOT NULL";
    let mut statement = connection.prepare_cached(query)?;
    let rows =
        statement.query_map([], |row| Ok((SessionId::from_bytes(blob(row, 0)?), row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_model::{DeviceId, Timestamp};

    #[test]
    fn a_star_and_a_title_stay_until_they_are_taken_away_or_the_session_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = Ledger::open(folder.path(), &DeviceId::new("d")).unwrap();
        let (one, other) = (SessionId::from_bytes([1; 16]), SessionId::from_bytes([2; 16]));
        let mut check = |session, starred, title: Option<&str>, stars: &[SessionId], names| {
            let mark = SessionMark { starred, title: title.map(str::to_owned) };
            ledger.mark_session(session, &mark).unwrap();
            assert_eq!(ledger.session_mark(session).unwrap(), mark);
            assert_eq!(ledger.starred().unwrap(), stars.iter().copied().collect());
            assert_eq!(ledger.titles().unwrap().len(), names);
        };
        check(one, true, None, &[one], 0);
        check(other, false, Some("t"), &[one], 1);
        check(other, true, Some("u"), &[one, other], 1);
        check(one, false, None, &[other], 1);
        ledger.bury(&[other], Timestamp::UNIX_EPOCH).unwrap();
        assert_eq!(ledger.session_mark(other).unwrap(), SessionMark::default());
    }
}
