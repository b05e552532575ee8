//! Sessions of other devices: what is read for telling, and what goes when it is taken back.

use crate::codec::from_micros;
use crate::sessions::{own_facts, tokens};
use crate::sources::SourceRow;
use crate::writer::Writer;
use crate::{IndexReader, SessionRow, StoreError, sources};
use rusqlite::params;
use taffrail_model::observed::NewUsage;
use taffrail_model::{AgentId, Facts, RuntimeIdentity, SessionId, Timestamp};

impl IndexReader {
    /// What this device's own sources say of a session together.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn own_facts(&self, session: i64) -> Result<Facts, StoreError> {
        own_facts(&self.connection, session)
    }

    /// Something changed in a session after a batch.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn changed_after(&self, session: SessionId, batch: i64) -> Result<bool, StoreError> {
        let query = "SELECT EXISTS (SELECT 1 FROM sessions WHERE uuid = ?1 AND last_batch > ?2)";
        let mut statement = self.connection.prepare_cached(query)?;
        Ok(statement.query_row(params![session.as_bytes(), batch], |row| row.get(0))?)
    }

    /// Sessions that others share with us, in the order they came.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn shared_here(&self) -> Result<Vec<SessionRow>, StoreError> {
        self.sessions_where("source_uri LIKE 'relay:%/share-%'", &[])
    }

    /// A session as its agent knows it.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn identity_of(&self, session: i64) -> Result<RuntimeIdentity, StoreError> {
        let query = "SELECT agent, scope, runtime_id FROM sessions WHERE id = ?1";
        let mut statement = self.connection.prepare_cached(query)?;
        Ok(statement.query_row([session], |row| {
            let agent = AgentId::new(row.get::<_, String>(0)?);
            Ok(RuntimeIdentity::new(agent, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
        })?)
    }

    /// What this device knows of the cost of a session's model answers since an instant.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn own_usage(&self, session: i64, since: Timestamp) -> Result<Vec<NewUsage>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT usage.key, at, model, input_tokens, output_tokens, cache_read_tokens, \
             cache_write_tokens, reasoning_tokens, cost_microdollars \
             FROM usage JOIN sources ON sources.id = usage.source \
             WHERE session = ?1 AND coalesce(at, ?2) >= ?2 AND locator NOT LIKE 'relay:%' \
             ORDER BY at, usage.key",
        )?;
        let rows = statement.query_map(params![session, since.as_microsecond()], |row| {
            Ok(NewUsage {
                key: row.get(0)?,
                at: row.get::<_, Option<i64>>(1)?.map(from_micros),
                model: row.get(2)?,
                tokens: tokens(row, 3)?,
                cost_microdollars: row.get(8)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

impl Writer {
    /// What other devices told, source by source.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn relayed_sources(&self) -> Result<Vec<SourceRow>, StoreError> {
        sources::relayed(&self.index)
    }

    /// The sessions only this source speaks of, by row and id.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn told_by_alone(&self, source: i64) -> Result<Vec<(i64, SessionId)>, StoreError> {
        let mut statement = self.index.prepare_cached(
            "SELECT id, uuid FROM sessions WHERE \
             id IN (SELECT session FROM source_sessions WHERE source = ?1) AND \
             id NOT IN (SELECT session FROM source_sessions WHERE source <> ?1)",
        )?;
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, SessionId::from_bytes(row.get(1)?)));
        let rows = statement.query_map([source], read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Drops a source that was taken back, and the bindings of the sessions that went with it.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn drop_relayed(&mut self, source: i64, gone: &[SessionId]) -> Result<(), StoreError> {
        for session in gone {
            let query = "DELETE FROM bindings WHERE session_id = ?1";
            self.ledger.connection.execute(query, [session.as_bytes()])?;
        }
        let left = "SELECT EXISTS (SELECT 1 FROM source_sessions WHERE source = ?1)";
        let is_left: bool = self.index.query_row(left, [source], |row| row.get(0))?;
        if !is_left {
            self.index.execute("DELETE FROM unknown_records WHERE source = ?1", [source])?;
            self.index.execute("DELETE FROM sources WHERE id = ?1", [source])?;
        }
        Ok(())
    }
}
