//! Tags and notes of a person on a session.

use super::Ledger;
use crate::db::StoreError;
use crate::db::codec::{blob, from_micros, micros};
use rusqlite::params;
use std::collections::HashMap;
use taffrail_model::{SessionId, Timestamp};

/// The most tags a session has.
pub const TAG_LIMIT: u32 = 100;
/// The most notes a session has; new notes displace the oldest.
pub const NOTE_LIMIT: u32 = 1000;

/// A note, and when it was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// When.
    pub at: Timestamp,
    /// Its text.
    pub text: String,
}

impl Ledger {
    /// The tags of a session, in alphabetical order.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn tags(&self, session: SessionId) -> Result<Vec<String>, StoreError> {
        let mut statement = self
            .connection
            .prepare_cached("SELECT tag FROM tags WHERE session_id = ?1 ORDER BY tag")?;
        let rows = statement.query_map([session.as_bytes()], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The sessions with a tag.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn tagged(&self, tag: &str) -> Result<Vec<SessionId>, StoreError> {
        let query = "SELECT session_id FROM tags WHERE tag = ?1 ORDER BY session_id";
        let mut statement = self.connection.prepare_cached(query)?;
        let rows = statement.query_map([tag], |row| blob(row, 0).map(SessionId::from_bytes))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Every tag, by session.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn all_tags(&self) -> Result<HashMap<SessionId, Vec<String>>, StoreError> {
        let query = "SELECT session_id, tag FROM tags ORDER BY tag";
        let mut statement = self.connection.prepare_cached(query)?;
        let rows = statement
            .query_map([], |row| Ok((SessionId::from_bytes(blob(row, 0)?), row.get(1)?)))?;
        let mut out: HashMap<_, Vec<String>> = HashMap::new();
        for row in rows {
            let (session, tag) = row?;
            out.entry(session).or_default().push(tag);
        }
        Ok(out)
    }

    /// Adds and removes tags of a session, and returns the tags it has then. Adds none beyond the
    /// limit.
    ///
    /// # Errors
    /// When the ledger cannot be written; then nothing changes.
    pub fn tag(
        &mut self,
        session: SessionId,
        given: &[String],
        taken: &[String],
    ) -> Result<Vec<String>, StoreError> {
        let transaction = self.connection.transaction()?;
        let id = session.as_bytes();
        for tag in taken {
            let query = "DELETE FROM tags WHERE session_id = ?1 AND tag = ?2";
            transaction.execute(query, params![id, tag])?;
        }
        for tag in given {
            let query = "INSERT OR IGNORE INTO tags (session_id, tag) SELECT ?1, ?2 \
                         WHERE (SELECT count(*) FROM tags WHERE session_id = ?1) < ?3";
            transaction.execute(query, params![id, tag, TAG_LIMIT])?;
        }
        transaction.commit()?;
        self.tags(session)
    }

    /// The notes on a session, the oldest first.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn notes(&self, session: SessionId) -> Result<Vec<Note>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT noted_at, text FROM notes WHERE session_id = ?1 ORDER BY noted_at, id",
        )?;
        let rows = statement.query_map([session.as_bytes()], |row| {
            Ok(Note { at: from_micros(row.get(0)?), text: row.get(1)? })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Adds a note to a session.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn note(&mut self, session: SessionId, note: &Note) -> Result<(), StoreError> {
        let transaction = self.connection.transaction()?;
        transaction.execute(
            "INSERT INTO notes (session_id, noted_at, text) VALUES (?1, ?2, ?3)",
            params![session.as_bytes(), micros(note.at), note.text],
        )?;
        transaction.execute(
            "DELETE FROM notes WHERE session_id = ?1 AND id NOT IN (SELECT id FROM notes \
             WHERE session_id = ?1 ORDER BY noted_at DESC, id DESC LIMIT ?2)",
            params![session.as_bytes(), NOTE_LIMIT],
        )?;
        transaction.commit()?;
        Ok(())
    }

    /// Removes all notes of a session, and returns how many there were.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn clear_notes(&mut self, session: SessionId) -> Result<usize, StoreError> {
        let query = "DELETE FROM notes WHERE session_id = ?1";
        Ok(self.connection.execute(query, [session.as_bytes()])?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_model::DeviceId;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn words(all: &[&str]) -> Vec<String> {
        all.iter().map(|it| (*it).to_owned()).collect()
    }

    #[test]
    fn tags_are_given_and_taken_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = Ledger::open(folder.path(), &DeviceId::new("d")).unwrap();
        let (one, other) = (SessionId::from_bytes([1; 16]), SessionId::from_bytes([2; 16]));
        let mut check = |session, given: &[&str], taken: &[&str], expected: &[&str]| {
            let got = ledger.tag(session, &words(given), &words(taken)).unwrap();
            assert_eq!(got, expected);
            assert_eq!(ledger.tags(session).unwrap(), expected);
        };
        check(one, &["b", "a", "b"], &[], &["a", "b"]);
        check(one, &["a"], &["none"], &["a", "b"]);
        check(other, &["c"], &["a"], &["c"]);
        check(one, &["d"], &["a", "b"], &["d"]);
        // A tag that is both added and removed is added: the user who types `+a` wants it.
        check(one, &["d"], &["d"], &["d"]);
        let many: Vec<_> = (0..TAG_LIMIT + 5).map(|it| it.to_string()).collect();
        assert_eq!(ledger.tag(one, &many, &[]).unwrap().len(), TAG_LIMIT as usize);
    }

    #[test]
    fn notes_stand_in_their_order_and_the_oldest_make_room() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = Ledger::open(folder.path(), &DeviceId::new("d")).unwrap();
        let session = SessionId::from_bytes([1; 16]);
        let note = |second: i64| Note { at: at(second), text: second.to_string() };
        for second in 0..i64::from(NOTE_LIMIT) + 2 {
            ledger.note(session, &note(second)).unwrap();
        }
        let notes = ledger.notes(session).unwrap();
        assert_eq!((notes.len(), notes.first()), (NOTE_LIMIT as usize, Some(&note(2))));
        assert_eq!(ledger.clear_notes(session).unwrap(), NOTE_LIMIT as usize);
        assert_eq!(ledger.notes(session).unwrap(), []);
    }

    #[test]
    fn what_is_forgotten_has_no_tags_notes_or_snapshots() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = Ledger::open(folder.path(), &DeviceId::new("d")).unwrap();
        let session = SessionId::from_bytes([1; 16]);
        ledger.tag(session, &words(&["a"]), &[]).unwrap();
        ledger.note(session, &Note { at: at(1), text: "n".to_owned() }).unwrap();
        let taken = crate::ledger::Taken {
            adapter: "x".to_owned(),
            session: session.to_string(),
            mark: "m".to_owned(),
            body: "{}".to_owned(),
            at: at(1),
        };
        ledger.record(&taken).unwrap();
        ledger.bury(&[session], at(2)).unwrap();
        assert_eq!(ledger.tags(session).unwrap(), words(&[]));
        assert_eq!(ledger.notes(session).unwrap(), []);
        assert_eq!(ledger.history("x", &session.to_string()).unwrap(), []);
        assert_eq!(ledger.latest("x", &session.to_string()).unwrap(), None);
    }
}
