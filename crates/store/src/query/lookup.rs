//! Looks up single sessions, and changes since a batch.

use super::IndexReader;
use super::filter::{Filter, conditions};
use crate::db::rows::{SESSION, SessionRow};
use crate::db::{Columns, StoreError, meta};
use crate::ledger::BOUND;
use rusqlite::{OptionalExtension, ToSql};
use std::collections::HashSet;
use taffrail_model::{SessionId, Timestamp, Tokens};

impl IndexReader {
    /// The identity of this index: search is built from exactly one index.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn born(&self) -> Result<String, StoreError> {
        Ok(meta::get(&self.connection, "born")?.unwrap_or_default())
    }

    /// The last batch that was closed.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn last_batch(&self) -> Result<i64, StoreError> {
        meta::last_batch(&self.connection)
    }

    /// Whether all work that was begun is finished and every one-time comparison is done: only new
    /// data on disk is left to read.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn is_settled(&self) -> Result<bool, StoreError> {
        let has = |name| Ok::<_, StoreError>(meta::get(&self.connection, name)?.is_some());
        let clean = meta::get(&self.connection, "clean")?.as_deref() == Some("1");
        let due = "SELECT EXISTS (SELECT 1 FROM unbound)";
        let due: bool = self.connection.query_row(due, [], |row| row.get(0))?;
        Ok(clean && !due && has("compared_with_ledger")? && has("compared_with_archive")?)
    }

    /// Whether the archive was checked since this boot.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn is_mended(&self, boot: &str) -> Result<bool, StoreError> {
        Ok(meta::get(&self.connection, "mended")?.as_deref() == Some(boot))
    }

    /// Sessions that changed after a batch.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn sessions_after(&self, batch: i64) -> Result<Vec<SessionRow>, StoreError> {
        self.sessions_where("last_batch > ?1", &[&batch])
    }

    /// Sessions with a known process.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn sessions_with_process(&self) -> Result<Vec<SessionRow>, StoreError> {
        self.sessions_where("pid IS NOT NULL", &[])
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

    /// How a session was opened, in the agent's terms.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn entrypoint_of(&self, id: SessionId) -> Result<Option<String>, StoreError> {
        let query = "SELECT entrypoint FROM sessions WHERE uuid = ?1";
        let mut statement = self.connection.prepare_cached(query)?;
        Ok(statement.query_row([id.as_bytes()], |row| row.get(0)).optional()?.flatten())
    }

    /// The tokens and the time of a session's latest answer.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn last_usage(&self, session: i64) -> Result<Option<(Timestamp, Tokens)>, StoreError> {
        let query = "SELECT at, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, \
            reasoning_tokens FROM usage WHERE session = ?1 AND at IS NOT NULL \
            ORDER BY at DESC LIMIT 1";
        let mut statement = self.connection.prepare_cached(query)?;
        let row = statement.query_row([session], |row| {
            let row = Columns::of(row);
            Ok((row.time("at")?, row.tokens()?))
        });
        Ok(row.optional()?)
    }

    /// The row number of a session.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn row_of(&self, id: SessionId) -> Result<Option<i64>, StoreError> {
        let query = "SELECT id FROM sessions WHERE uuid = ?1";
        let mut statement = self.connection.prepare_cached(query)?;
        Ok(statement.query_row([id.as_bytes()], |row| row.get(0)).optional()?)
    }

    /// The rows of the selected sessions.
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

    /// The ledger's bind counter when this index was last copied to it.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn bound(&self) -> Result<u64, StoreError> {
        Ok(meta::get(&self.connection, BOUND)?.and_then(|text| text.parse().ok()).unwrap_or(0))
    }
}
