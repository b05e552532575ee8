//! Single rows, and what changed since.

use crate::codec::from_micros;
use crate::index_file::meta;
use crate::notes::last_batch;
use crate::reader::{EVENT, SESSION, conditions};
use crate::sessions::tokens;
use crate::{EventRow, Filter, IndexReader, SessionRow, StoreError};
use rusqlite::{OptionalExtension, ToSql};
use std::collections::HashSet;
use taffrail_model::{EventId, SessionId, Timestamp, Tokens};

impl IndexReader {
    /// Which index this is: search is made from one and no other.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn born(&self) -> Result<String, StoreError> {
        Ok(meta(&self.connection, "born")?.unwrap_or_default())
    }

    /// The last batch that was closed.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn last_batch(&self) -> Result<i64, StoreError> {
        last_batch(&self.connection)
    }

    /// What was begun was ended, and all that must be compared once was: nothing is left to do but
    /// what is new on disk.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn is_settled(&self) -> Result<bool, StoreError> {
        let has = |name| Ok::<_, StoreError>(meta(&self.connection, name)?.is_some());
        let clean = meta(&self.connection, "clean")?.as_deref() == Some("1");
        let due = "SELECT EXISTS (SELECT 1 FROM unbound)";
        let due: bool = self.connection.query_row(due, [], |row| row.get(0))?;
        Ok(clean && !due && has("compared_with_ledger")? && has("compared_with_archive")?)
    }

    /// The archive was looked at since this start of the machine.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn is_mended(&self, boot: &str) -> Result<bool, StoreError> {
        Ok(meta(&self.connection, "mended")?.as_deref() == Some(boot))
    }

    /// Sessions something changed in after a batch.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn sessions_after(&self, batch: i64) -> Result<Vec<SessionRow>, StoreError> {
        self.sessions_where("last_batch > ?1", &[&batch])
    }

    /// Sessions a process is known of.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn sessions_with_process(&self) -> Result<Vec<SessionRow>, StoreError> {
        self.sessions_where("pid IS NOT NULL", &[])
    }

    /// The events of a session that changed after a batch, by where they stand, removed ones too.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn events_after(&self, session: i64, batch: i64) -> Result<Vec<EventRow>, StoreError> {
        let query = format!("{EVENT} AND e.batch > ?2 ORDER BY e.source, e.position, e.part");
        self.event_rows(&query, &[&session, &batch])
    }

    /// A session by its row.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn session(&self, row: i64) -> Result<Option<SessionRow>, StoreError> {
        let mut statement = self.connection.prepare_cached(&format!("{SESSION} WHERE id = ?1"))?;
        Ok(statement.query_row([row], |row| self.seen(row)).optional()?)
    }

    /// A session by its id.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn session_by_id(&self, id: SessionId) -> Result<Option<SessionRow>, StoreError> {
        let query = format!("{SESSION} WHERE uuid = ?1");
        let mut statement = self.connection.prepare_cached(&query)?;
        Ok(statement.query_row([id.as_bytes()], |row| self.seen(row)).optional()?)
    }

    /// How a session was opened, in the agent's word.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn entrypoint_of(&self, id: SessionId) -> Result<Option<String>, StoreError> {
        let query = "SELECT entrypoint FROM sessions WHERE uuid = ?1";
        let mut statement = self.connection.prepare_cached(query)?;
        Ok(statement.query_row([id.as_bytes()], |row| row.get(0)).optional()?.flatten())
    }

    /// What a session's latest answer cost, and when that was.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn last_usage(&self, session: i64) -> Result<Option<(Timestamp, Tokens)>, StoreError> {
        let query = "SELECT input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, \
            reasoning_tokens, at FROM usage WHERE session = ?1 AND at IS NOT NULL \
            ORDER BY at DESC LIMIT 1";
        let mut statement = self.connection.prepare_cached(query)?;
        let row =
            statement.query_row([session], |row| Ok((from_micros(row.get(5)?), tokens(row, 0)?)));
        Ok(row.optional()?)
    }

    /// The rows of the sessions that are wanted.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn rows_of(&self, filter: &Filter) -> Result<HashSet<i64>, StoreError> {
        let (clause, values) = conditions(filter);
        let query = format!("SELECT id FROM sessions WHERE {clause}");
        let mut statement = self.connection.prepare(&query)?;
        let values: Vec<&dyn ToSql> = values.iter().map(AsRef::as_ref).collect();
        let rows = statement.query_map(values.as_slice(), |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// A live event by the beginning of its id.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn event_by_key(&self, session: i64, key: u64) -> Result<Option<EventRow>, StoreError> {
        let (from, to) = between(key);
        let query = format!("{EVENT} AND e.id BETWEEN ?2 AND ?3 AND e.removed = 0");
        Ok(self.event_rows(&query, &[&session, &from, &to])?.into_iter().next())
    }

    /// An event by its id, removed or not.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn event_by_id(&self, session: i64, id: EventId) -> Result<Option<EventRow>, StoreError> {
        let query = format!("{EVENT} AND e.id = ?2");
        Ok(self.event_rows(&query, &[&session, id.as_bytes()])?.into_iter().next())
    }

    pub(crate) fn sessions_where(
        &self,
        clause: &str,
        values: &[&dyn ToSql],
    ) -> Result<Vec<SessionRow>, StoreError> {
        let mut statement =
            self.connection.prepare(&format!("{SESSION} WHERE {clause} ORDER BY id"))?;
        let rows = statement.query_map(values, |row| self.seen(row))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// The first and the last id that begin with a key.
fn between(key: u64) -> ([u8; 16], [u8; 16]) {
    let first = u128::from(key) << 64;
    (first.to_be_bytes(), (first | u128::from(u64::MAX)).to_be_bytes())
}
