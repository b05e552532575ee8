//! Sessions shared from here: with whom, and how far each share was published.

use super::outbox::{close, execute, open, rows};
use super::{Ledger, Mark, ToldKind};
use crate::db::codec::{blob, micros, signed};
use crate::db::{Columns, StoreError};
use rusqlite::{Connection, OptionalExtension, Row, params};
use taffrail_model::exchange::Writing;
use taffrail_model::hash::Digest16;
use taffrail_model::{SessionId, StreamName, Timestamp};

/// The state of a share. The numbers are those of the column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShareState {
    /// It is published.
    Told = 0,
    /// It was revoked, and its readers do not know yet.
    Revoked = 1,
    /// The revocation is in the outbox.
    Gone = 2,
}

impl ShareState {
    fn of(number: u8) -> Self {
        match number {
            0 => Self::Told,
            1 => Self::Revoked,
            _ => Self::Gone,
        }
    }
}

/// A shared session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// The stream it is published in.
    pub stream: StreamName,
    /// The session.
    pub session: SessionId,
    /// Its readers, as stored with the stream.
    pub readers: String,
    /// Since when.
    pub since: Timestamp,
    /// Its state.
    pub state: ShareState,
    /// The generation of the index it was read from; empty while it is not published completely.
    pub generation: String,
    /// The last batch of the index that was published completely.
    pub batch: i64,
    /// The last change that was published.
    pub sequence: u64,
    /// The number of the last line.
    pub number: u64,
}

const SHARE: &str = "SELECT stream, session_id, readers, since, state, generation, batch, sequence, \
                     number FROM shares";

impl Ledger {
    /// Every share, including revoked ones, the oldest first.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn shares(&self) -> Result<Vec<Share>, StoreError> {
        rows(&self.connection, &format!("{SHARE} ORDER BY since, stream"), [], read)
    }

    /// Begins a share, with a stream of its own.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn begin_share(&mut self, share: &Share, writing: &Writing) -> Result<(), StoreError> {
        self.at_once(|it| {
            open(it, writing)?;
            write(it, share)
        })
    }

    /// Revokes a share. Items that were never sealed have reached no reader: they are dropped
    /// unless an upload is in progress, and the share with them if nothing else was published.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn revoke_share(&mut self, share: &Share, is_carried: bool) -> Result<(), StoreError> {
        self.at_once(|it| {
            let query = "UPDATE shares SET state = 1 WHERE stream = ?1 AND state = 0";
            execute(it, query, params![share.stream.as_str()])?;
            match is_carried {
                true => Ok(()),
                false => drop_unsealed(it, &share.stream),
            }
        })
    }

    /// Records how far a share was published, in one transaction.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn note_share(&mut self, share: &Share, marks: &[Mark]) -> Result<(), StoreError> {
        self.at_once(|it| {
            let query = "UPDATE shares SET generation = ?2, batch = ?3, sequence = ?4, \
                         number = ?5 WHERE stream = ?1";
            let (sequence, number) = (signed(share.sequence), signed(share.number));
            let name = share.stream.as_str();
            execute(it, query, params![name, share.generation, share.batch, sequence, number])?;
            marks.iter().try_for_each(|mark| write_mark(it, name, mark))
        })
    }

    /// Records that the revocation of a share was published to its readers.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn note_share_gone(&mut self, stream: &StreamName) -> Result<(), StoreError> {
        let query = "UPDATE shares SET state = 2 WHERE stream = ?1 AND state = 1";
        execute(&self.connection, query, params![stream.as_str()])
    }

    /// Ends a share whose revocation was sent, with its stream.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn end_share(&mut self, stream: &StreamName) -> Result<(), StoreError> {
        self.at_once(|it| end(it, stream))
    }

    /// Discards the record of what a share published, so that everything is published again. The
    /// numbers of lines continue.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn tell_share_anew(&mut self, stream: &StreamName) -> Result<(), StoreError> {
        self.at_once(|it| {
            let name = params![stream.as_str()];
            execute(it, "DELETE FROM share_marks WHERE stream = ?1", name)?;
            let query = "UPDATE shares SET generation = '', batch = 0, sequence = 0, \
                         state = min(state, 1) WHERE stream = ?1";
            execute(it, query, name)
        })
    }

    /// The digest a thing was published with in a share.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn share_mark(
        &self,
        stream: &StreamName,
        what: ToldKind,
        key: Digest16,
    ) -> Result<Option<Digest16>, StoreError> {
        let query = "SELECT mark FROM share_marks WHERE stream = ?1 AND what = ?2 AND key = ?3";
        let mut statement = self.connection.prepare_cached(query)?;
        let found = params![stream.as_str(), what as u8, key];
        Ok(statement.query_row(found, |row| blob(row, 0)).optional()?)
    }

    /// The keys of all things of one kind in a share.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn share_keys(
        &self,
        stream: &StreamName,
        what: ToldKind,
    ) -> Result<Vec<Digest16>, StoreError> {
        let query = "SELECT key FROM share_marks WHERE stream = ?1 AND what = ?2 ORDER BY key";
        let values = params![stream.as_str(), what as u8];
        rows(&self.connection, query, values, |row| blob(row, 0))
    }
}

fn drop_unsealed(it: &Connection, stream: &StreamName) -> Result<(), StoreError> {
    let name = params![stream.as_str()];
    let sealed = "SELECT sealed FROM out_streams WHERE stream = ?1";
    execute(it, &format!("DELETE FROM out_rows WHERE stream = ?1 AND number > ({sealed})"), name)?;
    execute(it, "UPDATE out_streams SET last = sealed WHERE stream = ?1", name)?;
    let query = "SELECT EXISTS (SELECT 1 FROM out_streams WHERE stream = ?1 AND \
                 (batches > 0 OR incarnation NOT LIKE '1-%'))";
    let has_left: bool = it.query_row(query, name, |row| row.get(0))?;
    if has_left { Ok(()) } else { end(it, stream) }
}

fn end(it: &Connection, stream: &StreamName) -> Result<(), StoreError> {
    for table in ["shares", "share_marks"] {
        let query = format!("DELETE FROM {table} WHERE stream = ?1");
        execute(it, &query, params![stream.as_str()])?;
    }
    close(it, stream)
}

fn write(it: &Connection, share: &Share) -> Result<(), StoreError> {
    let query = "INSERT INTO shares (stream, session_id, readers, since, state, generation, batch, \
                 sequence, number) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let values = params![
        share.stream.as_str(),
        share.session.as_bytes(),
        share.readers,
        micros(share.since),
        share.state as u8,
        share.generation,
        share.batch,
        signed(share.sequence),
        signed(share.number),
    ];
    execute(it, query, values)
}

fn write_mark(it: &Connection, stream: &str, mark: &Mark) -> Result<(), StoreError> {
    let what = mark.what as u8;
    match mark.mark {
        Some(how) => {
            let query = "INSERT OR REPLACE INTO share_marks VALUES (?1, ?2, ?3, ?4)";
            execute(it, query, params![stream, what, mark.key, how])
        }
        None => {
            let query = "DELETE FROM share_marks WHERE stream = ?1 AND what = ?2 AND key = ?3";
            execute(it, query, params![stream, what, mark.key])
        }
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<Share> {
    let row = Columns::of(row);
    let number = |name| row.get(name).map(i64::unsigned_abs);
    Ok(Share {
        stream: StreamName::new(row.get::<String>("stream")?),
        session: SessionId::from_bytes(row.get("session_id")?),
        readers: row.get("readers")?,
        since: row.time("since")?,
        state: ShareState::of(row.get("state")?),
        generation: row.get("generation")?,
        batch: row.get("batch")?,
        sequence: number("sequence")?,
        number: number("number")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_model::DeviceId;
    use taffrail_model::exchange::{Incarnation, OutBatch, Outbox};

    fn share(name: &str) -> Share {
        Share {
            stream: StreamName::new(name),
            session: SessionId::from_bytes([7; 16]),
            readers: "{}".to_owned(),
            since: Timestamp::UNIX_EPOCH,
            state: ShareState::Told,
            generation: String::new(),
            batch: 0,
            sequence: 0,
            number: 0,
        }
    }

    fn begun(ledger: &mut Ledger, name: &str) -> Share {
        let it = share(name);
        let life = Incarnation { count: 1, random: 1 };
        let writing = Writing::new(it.stream.clone(), life, it.readers.clone());
        ledger.begin_share(&it, &writing).unwrap();
        ledger.push(&it.stream, &[b"a".to_vec()], Timestamp::UNIX_EPOCH).unwrap();
        it
    }

    fn seal(ledger: &mut Ledger, it: &Share) {
        let at = Timestamp::UNIX_EPOCH;
        let batch = OutBatch { seq: 1, last: 1, at, bytes: b"sealed".to_vec() };
        ledger.keep_batch(&it.stream, &batch, "chain").unwrap();
    }

    fn open_one() -> (tempfile::TempDir, Ledger) {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::open(folder.path(), &DeviceId::new("d")).unwrap();
        (folder, ledger)
    }

    #[test]
    fn a_share_remembers_how_far_it_was_told() {
        let (_folder, mut ledger) = open_one();
        let it = begun(&mut ledger, "share-1");
        let told = Share { generation: "g".into(), batch: 3, sequence: 5, number: 9, ..it.clone() };
        let mark = |mark| Mark { what: ToldKind::Event, key: [1; 16], mark };
        ledger.note_share(&told, &[mark(Some([2; 16]))]).unwrap();
        assert_eq!(ledger.shares().unwrap(), std::slice::from_ref(&told));
        let known = |it: &Ledger| it.share_mark(&told.stream, ToldKind::Event, [1; 16]).unwrap();
        assert_eq!(known(&ledger), Some([2; 16]));
        assert_eq!(ledger.share_keys(&told.stream, ToldKind::Event).unwrap(), [[1; 16]]);
        ledger.tell_share_anew(&told.stream).unwrap();
        assert_eq!(ledger.shares().unwrap(), [Share { number: 9, ..it }]);
        assert_eq!(known(&ledger), None);
    }

    #[test]
    fn what_never_left_is_dropped_when_it_is_revoked() {
        let (_folder, mut ledger) = open_one();
        let (one, other) = (begun(&mut ledger, "share-1"), begun(&mut ledger, "share-2"));
        seal(&mut ledger, &other);
        ledger.push(&other.stream, &[b"b".to_vec()], Timestamp::UNIX_EPOCH).unwrap();
        ledger.revoke_share(&one, false).unwrap();
        ledger.revoke_share(&other, false).unwrap();
        let revoked = Share { state: ShareState::Revoked, ..other.clone() };
        assert_eq!(ledger.shares().unwrap(), [revoked]);
        let left: Vec<_> = ledger.streams().unwrap();
        assert_eq!(left.iter().map(|it| (it.last, it.sealed)).collect::<Vec<_>>(), [(1, 1)]);
        ledger.note_share_gone(&other.stream).unwrap();
        ledger.end_share(&other.stream).unwrap();
        assert_eq!((ledger.shares().unwrap(), ledger.streams().unwrap()), (vec![], vec![]));
    }

    #[test]
    fn nothing_is_dropped_under_who_carries() {
        let (_folder, mut ledger) = open_one();
        let it = begun(&mut ledger, "share-1");
        ledger.revoke_share(&it, true).unwrap();
        assert_eq!(ledger.shares().unwrap(), [Share { state: ShareState::Revoked, ..it }]);
        assert_eq!(ledger.streams().unwrap().iter().map(|it| it.last).sum::<u64>(), 1);
    }

    #[test]
    fn a_session_that_is_forgotten_is_shared_no_more() {
        let (_folder, mut ledger) = open_one();
        let it = begun(&mut ledger, "share-1");
        ledger.bury(&[it.session], Timestamp::UNIX_EPOCH).unwrap();
        assert_eq!(ledger.shares().unwrap(), [Share { state: ShareState::Revoked, ..it }]);
    }
}
