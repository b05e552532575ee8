//! What other devices were told, so that nothing is told twice and everything can be taken back.

use crate::codec::{blob, signed};
use crate::{Ledger, StoreError};
use rusqlite::{Connection, OptionalExtension, Row, params};
use taffrail_model::SessionId;
use taffrail_model::hash::Digest16;

/// How far telling came: which index was read, up to which batch, and what was chosen then.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToldCursor {
    /// The numbering of the index.
    pub generation: String,
    /// The last batch that was told whole.
    pub batch: i64,
    /// A mark of what was chosen.
    pub choice: String,
}

/// What was told of one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldSession {
    /// Which.
    pub session: SessionId,
    /// The numbering of the index it was read from; empty while not all of it was told.
    pub generation: String,
    /// The last change that was told.
    pub sequence: u64,
    /// The number of the last line.
    pub number: u64,
    /// Texts were told.
    pub bodies: bool,
    /// It was taken back.
    pub gone: bool,
}

/// What kind of thing was told. The numbers are those of the column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToldKind {
    /// An event.
    Event = 0,
    /// What a model answer cost.
    Usage = 1,
    /// What is known of the session as a whole.
    Facts = 2,
}

/// A thing that was told, and a mark of how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// What kind of thing.
    pub what: ToldKind,
    /// Which.
    pub key: Digest16,
    /// How it was told; nothing when it was taken back.
    pub mark: Option<Digest16>,
}

/// What became of one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldUpdate {
    /// How far it was told.
    pub session: ToldSession,
    /// What was told of it.
    pub marks: Vec<Mark>,
}

/// What is remembered in one transaction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToldBatch {
    /// Sessions of which something was told.
    pub updates: Vec<ToldUpdate>,
    /// Where to go on.
    pub cursor: ToldCursor,
}

const SESSION: &str =
    "SELECT session_id, generation, sequence, number, bodies, gone FROM told_sessions";
const NAMES: [&str; 3] = ["told_generation", "told_batch", "told_choice"];

impl Ledger {
    /// How far telling came.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn told_cursor(&self) -> Result<ToldCursor, StoreError> {
        let [generation, batch, choice] = NAMES;
        Ok(ToldCursor {
            generation: self.meta(generation)?.unwrap_or_default(),
            batch: self.meta(batch)?.and_then(|it| it.parse().ok()).unwrap_or(0),
            choice: self.meta(choice)?.unwrap_or_default(),
        })
    }

    /// What was told of a session.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn told_session(&self, session: SessionId) -> Result<Option<ToldSession>, StoreError> {
        let query = format!("{SESSION} WHERE session_id = ?1");
        let mut statement = self.connection.prepare_cached(&query)?;
        Ok(statement.query_row([session.as_bytes()], read).optional()?)
    }

    /// Every session of which something stands told.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn told_sessions(&self) -> Result<Vec<ToldSession>, StoreError> {
        self.told_where("gone = 0")
    }

    /// Sessions of which something stands told, and that were forgotten since.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn told_and_forgotten(&self) -> Result<Vec<ToldSession>, StoreError> {
        self.told_where("gone = 0 AND session_id IN (SELECT session_id FROM tombstones)")
    }

    fn told_where(&self, clause: &str) -> Result<Vec<ToldSession>, StoreError> {
        let query = format!("{SESSION} WHERE {clause} ORDER BY session_id");
        let mut statement = self.connection.prepare(&query)?;
        let rows = statement.query_map([], read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// How a thing was told.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn told_mark(
        &self,
        session: SessionId,
        what: ToldKind,
        key: Digest16,
    ) -> Result<Option<Digest16>, StoreError> {
        let query = "SELECT mark FROM told WHERE session_id = ?1 AND what = ?2 AND key = ?3";
        let mut statement = self.connection.prepare_cached(query)?;
        let found = params![session.as_bytes(), what as u8, key];
        Ok(statement.query_row(found, |row| blob(row, 0)).optional()?)
    }

    /// Everything of a kind that stands told of a session.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn told_keys(
        &self,
        session: SessionId,
        what: ToldKind,
    ) -> Result<Vec<Digest16>, StoreError> {
        let query = "SELECT key FROM told WHERE session_id = ?1 AND what = ?2 ORDER BY key";
        let mut statement = self.connection.prepare_cached(query)?;
        let rows = statement.query_map(params![session.as_bytes(), what as u8], |row| blob(row, 0));
        Ok(rows?.collect::<Result<_, _>>()?)
    }

    /// Forgets that anything was told, so that all of it is told anew. The numbers of lines go on.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn tell_anew(&mut self) -> Result<(), StoreError> {
        let transaction = self.connection.transaction()?;
        transaction.execute("DELETE FROM told", [])?;
        transaction.execute("UPDATE told_sessions SET generation = '', sequence = 0", [])?;
        for name in NAMES {
            transaction.execute("DELETE FROM meta WHERE name = ?1", [name])?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Remembers what was told, and where to go on: all of it or nothing.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn note_told(&mut self, batch: &ToldBatch) -> Result<(), StoreError> {
        let transaction = self.connection.transaction()?;
        for update in &batch.updates {
            write(&transaction, update)?;
        }
        let ToldCursor { generation, batch: number, choice } = &batch.cursor;
        let values = [generation.clone(), number.to_string(), choice.clone()];
        for (name, value) in NAMES.iter().zip(values) {
            let query = "INSERT INTO meta (name, value) VALUES (?1, ?2) \
                         ON CONFLICT (name) DO UPDATE SET value = excluded.value";
            transaction.execute(query, [*name, &value])?;
        }
        transaction.commit()?;
        Ok(())
    }
}

fn write(connection: &Connection, update: &ToldUpdate) -> Result<(), StoreError> {
    let it = &update.session;
    let id = it.session.as_bytes();
    connection
        .prepare_cached("INSERT OR REPLACE INTO told_sessions VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
        .execute(params![
            id,
            it.generation,
            signed(it.sequence),
            signed(it.number),
            it.bodies,
            it.gone
        ])?;
    if it.gone {
        connection.execute("DELETE FROM told WHERE session_id = ?1", [id])?;
    }
    for mark in &update.marks {
        let what = mark.what as u8;
        match mark.mark {
            Some(how) => connection
                .prepare_cached("INSERT OR REPLACE INTO told VALUES (?1, ?2, ?3, ?4)")?
                .execute(params![id, what, mark.key, how])?,
            None => connection
                .prepare_cached(
                    "DELETE FROM told WHERE session_id = ?1 AND what = ?2 AND key = ?3",
                )?
                .execute(params![id, what, mark.key])?,
        };
    }
    Ok(())
}

fn read(row: &Row<'_>) -> rusqlite::Result<ToldSession> {
    let number = |at| row.get::<_, i64>(at).map(i64::unsigned_abs);
    Ok(ToldSession {
        session: SessionId::from_bytes(blob(row, 0)?),
        generation: row.get(1)?,
        sequence: number(2)?,
        number: number(3)?,
        bodies: row.get(4)?,
        gone: row.get(5)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_model::{AgentId, DeviceId, RuntimeIdentity, Timestamp};

    #[test]
    fn what_was_told_is_remembered_until_it_is_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = Ledger::open(folder.path(), &DeviceId::new("d")).unwrap();
        let id = RuntimeIdentity::new(AgentId::new("toy"), "", "a").session();
        let session = ToldSession {
            session: id,
            generation: "g".into(),
            sequence: 7,
            number: 9,
            bodies: true,
            gone: false,
        };
        let mark = |key, mark| Mark { what: ToldKind::Event, key: [key; 16], mark };
        let cursor = ToldCursor { generation: "g".into(), batch: 3, choice: "c".into() };
        let update = |session: &ToldSession, marks| ToldBatch {
            updates: vec![ToldUpdate { session: session.clone(), marks }],
            cursor: cursor.clone(),
        };
        let both = vec![mark(1, Some([5; 16])), mark(2, Some([6; 16]))];
        ledger.note_told(&update(&session, both)).unwrap();
        assert_eq!(ledger.told_cursor().unwrap(), cursor);
        assert_eq!(ledger.told_session(id).unwrap(), Some(session.clone()));
        assert_eq!(ledger.told_mark(id, ToldKind::Event, [1; 16]).unwrap(), Some([5; 16]));
        assert_eq!(ledger.told_mark(id, ToldKind::Usage, [1; 16]).unwrap(), None);
        ledger.note_told(&update(&session, vec![mark(1, None)])).unwrap();
        assert_eq!(ledger.told_keys(id, ToldKind::Event).unwrap(), [[2; 16]]);
        assert_eq!(ledger.told_and_forgotten().unwrap(), []);
        ledger.bury(&[id], Timestamp::UNIX_EPOCH).unwrap();
        assert_eq!(ledger.told_keys(id, ToldKind::Event).unwrap().len(), 0, "ids are forgotten");
        assert_eq!(ledger.told_and_forgotten().unwrap(), std::slice::from_ref(&session));
        let gone = ToldSession { gone: true, ..session };
        ledger.note_told(&update(&gone, Vec::new())).unwrap();
        assert_eq!(ledger.told_sessions().unwrap(), []);
        assert_eq!(ledger.told_session(id).unwrap(), Some(gone));
    }
}
