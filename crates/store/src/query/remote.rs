//! What this device publishes about its sessions, and which sessions come from other devices.

use super::IndexReader;
use crate::db::codec::read_facts;
use crate::db::rows::SessionRow;
use crate::db::{Columns, StoreError};
use crate::index::read_usage;
use rusqlite::params;
use std::collections::BTreeSet;
use taffrail_model::observed::NewUsage;
use taffrail_model::{
    AgentId, DeviceId, Facts, RuntimeIdentity, SessionId, Timestamp, replication,
};

impl IndexReader {
    /// The merged facts of a session from this device's own sources.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn own_facts(&self, session: i64) -> Result<Facts, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT facts FROM source_sessions JOIN sources ON sources.id = source \
             WHERE session = ?1 AND locator NOT LIKE 'relay:%' \
             ORDER BY locator NOT LIKE 'prompts:%', locator NOT LIKE 'journal:%', present, rank, offset, locator, home, path",
        )?;
        let mut rows = statement.query([session])?;
        let mut joined = Facts::default();
        while let Some(row) = rows.next()? {
            joined =
                joined.joined(read_facts(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?));
        }
        Ok(joined)
    }

    /// Whether a session changed after a batch.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn changed_after(&self, session: SessionId, batch: i64) -> Result<bool, StoreError> {
        let query = "SELECT EXISTS (SELECT 1 FROM sessions WHERE uuid = ?1 AND last_batch > ?2)";
        let mut statement = self.connection.prepare_cached(query)?;
        Ok(statement.query_row(params![session.as_bytes(), batch], |row| row.get(0))?)
    }

    /// Sessions that others share with us, in order of arrival.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn shared_here(&self) -> Result<Vec<SessionRow>, StoreError> {
        self.sessions_where("source_uri LIKE 'relay:%/share-%'", &[])
    }

    /// Devices whose sessions are here without texts: they publish only the name of the project,
    /// not its path.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn devices_without_texts(&self) -> Result<BTreeSet<DeviceId>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT DISTINCT source_uri FROM sessions WHERE source_uri LIKE 'relay:%' \
             AND source_uri NOT LIKE 'relay:%/share-%' AND project_path NOT LIKE '/%'",
        )?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        let mut out = BTreeSet::new();
        for uri in rows {
            out.extend(replication::device_of(&uri?));
        }
        Ok(out)
    }

    /// The identity of a session as its agent knows it.
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

    /// The costs of a session's model answers since an instant, from this device's own sources.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn own_usage(&self, session: i64, since: Timestamp) -> Result<Vec<NewUsage>, StoreError> {
        let mut statement = self.connection.prepare_cached(include_str!("own_usage.sql"))?;
        let values = params![session, since.as_microsecond()];
        let rows = statement.query_map(values, |row| read_usage(&Columns::of(row)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}
