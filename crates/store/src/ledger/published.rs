//! Records what was published to other devices, so that nothing is published twice and all of it
//! can be retracted.

use super::Ledger;
use crate::db::codec::{blob, signed};
use crate::db::{Columns, StoreError, meta};
use rusqlite::TransactionBehavior::Immediate;
use rusqlite::{Connection, OptionalExtension, Row, params};
use taffrail_model::SessionId;
use taffrail_model::hash::Digest16;

/// How far publishing has come: the generation of the index, the batch, and the choice at the time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToldCursor {
    /// The generation of the index.
    pub generation: String,
    /// The last batch that was published completely.
    pub batch: i64,
    /// A digest of the choice.
    pub choice: String,
    /// How many times everything had to be published again.
    pub lives: u64,
}

/// How far one session was published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldSession {
    /// Which.
    pub session: SessionId,
    /// The generation of the index it was read from; empty while it is not published completely.
    pub generation: String,
    /// The last change that was published.
    pub sequence: u64,
    /// The number of the last line.
    pub number: u64,
    /// Texts were published.
    pub bodies: bool,
    /// It was retracted.
    pub gone: bool,
}

/// The kind of a published thing. The numbers are those of the column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToldKind {
    /// An event.
    Event = 0,
    /// The cost of a model answer.
    Usage = 1,
    /// The facts about the session as a whole.
    Facts = 2,
}

/// A published thing, and a digest of its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    /// Its kind.
    pub what: ToldKind,
    /// Its key.
    pub key: Digest16,
    /// The digest of its content; `None` when it was retracted.
    pub mark: Option<Digest16>,
}

/// The update of one session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldUpdate {
    /// How far it was published.
    pub session: ToldSession,
    /// The things that were published of it.
    pub marks: Vec<Mark>,
}

/// The updates recorded in one transaction.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToldBatch {
    /// The sessions that were published.
    pub updates: Vec<ToldUpdate>,
    /// Where to continue.
    pub cursor: ToldCursor,
}

const SESSION: &str =
    "SELECT session_id, generation, sequence, number, bodies, gone FROM told_sessions";
const NAMES: [&str; 3] = ["told_generation", "told_batch", "told_choice"];
/// Counts how many times everything had to be published again.
const LIVES: &str = "told_lives";

impl Ledger {
    /// How far publishing has come.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn told_cursor(&self) -> Result<ToldCursor, StoreError> {
        let [generation, batch, choice] = NAMES;
        Ok(ToldCursor {
            generation: self.meta(generation)?.unwrap_or_default(),
            batch: self.meta(batch)?.and_then(|it| it.parse().ok()).unwrap_or(0),
            choice: self.meta(choice)?.unwrap_or_default(),
            lives: lives(&self.connection)?,
        })
    }

    /// How far a session was published.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn told_session(&self, session: SessionId) -> Result<Option<ToldSession>, StoreError> {
        let query = format!("{SESSION} WHERE session_id = ?1");
        let mut statement = self.connection.prepare_cached(&query)?;
        Ok(statement.query_row([session.as_bytes()], read).optional()?)
    }

    /// Every session that is published.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn told_sessions(&self) -> Result<Vec<ToldSession>, StoreError> {
        self.told_where("gone = 0")
    }

    /// Sessions that are published and were forgotten since.
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

    /// The digest a thing was published with.
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

    /// The keys of all published things of one kind in a session.
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

    /// Discards the record of published things, so that everything is published again. The numbers
    /// of lines continue.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn tell_anew(&mut self) -> Result<(), StoreError> {
        let transaction = self.connection.transaction_with_behavior(Immediate)?;
        let lives = lives(&transaction)? + 1;
        meta::set(&transaction, LIVES, &lives.to_string())?;
        transaction.execute("DELETE FROM told", [])?;
        transaction.execute("UPDATE told_sessions SET generation = '', sequence = 0", [])?;
        for name in NAMES {
            transaction.execute("DELETE FROM meta WHERE name = ?1", [name])?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// Records what was published, and where to continue, in one transaction. Returns `false` and
    /// records nothing if everything must be published again since the cursor was read; otherwise
    /// the rest would never be published.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn note_told(&mut self, batch: &ToldBatch) -> Result<bool, StoreError> {
        let transaction = self.connection.transaction_with_behavior(Immediate)?;
        if lives(&transaction)? != batch.cursor.lives {
            return Ok(false);
        }
        for update in &batch.updates {
            write(&transaction, update)?;
        }
        let ToldCursor { generation, batch: number, choice, lives: _ } = &batch.cursor;
        let values = [generation.clone(), number.to_string(), choice.clone()];
        for (name, value) in NAMES.iter().zip(values) {
            meta::set(&transaction, name, &value)?;
        }
        transaction.commit()?;
        Ok(true)
    }
}

fn lives(connection: &Connection) -> Result<u64, StoreError> {
    Ok(meta::get(connection, LIVES)?.and_then(|it| it.parse().ok()).unwrap_or(0))
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
    let row = Columns::of(row);
    let number = |name| row.get(name).map(i64::unsigned_abs);
    Ok(ToldSession {
        session: SessionId::from_bytes(row.get("session_id")?),
        generation: row.get("generation")?,
        sequence: number("sequence")?,
        number: number("number")?,
        bodies: row.get("bodies")?,
        gone: row.get("gone")?,
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
        let cursor = ToldCursor { generation: "g".into(), batch: 3, choice: "c".into(), lives: 0 };
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
