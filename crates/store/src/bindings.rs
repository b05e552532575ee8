//! Bindings, as the ledger keeps them.

use crate::codec::{blob, from_micros, micros};
use crate::ties::{BOUND, Bound};
use crate::{Ledger, StoreError};
use rusqlite::{OptionalExtension, params};
use std::collections::HashSet;
use taffrail_model::binding::ResumeCapability;
use taffrail_model::{
    AgentId, Binding, Lifecycle, RuntimeIdentity, RuntimeSessionId, SessionId, Timestamp,
};

impl Ledger {
    /// Writes bindings in one transaction: new ones are made, known ones confirmed. Gives how often
    /// that was done.
    pub(crate) fn bind(&mut self, bound: &[Bound], now: Timestamp) -> Result<u64, StoreError> {
        let device = self.device()?;
        let count = self.bound()? + 1;
        let transaction = self.connection.transaction()?;
        for it in bound {
            let by_runtime_id = it.lifecycle == Lifecycle::Resumable;
            let provenance = it.provenance(device.clone(), now);
            transaction.prepare_cached(BIND)?.execute(params![
                it.session.as_bytes(),
                it.who.agent.as_str(),
                it.project_path,
                it.who.scope,
                it.who.id.as_str(),
                it.source_uri,
                json(&ResumeCapability { by_runtime_id })?,
                micros(now),
                it.lifecycle.as_str(),
                json(&provenance.source_cursor)?,
                json(&provenance)?,
                json(&it.metadata())?,
            ])?;
        }
        let query = "INSERT INTO meta (name, value) VALUES (?1, ?2) \
                     ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        transaction.execute(query, [BOUND, &count.to_string()])?;
        transaction.commit()?;
        Ok(count)
    }

    /// How often bindings were written. Another number than the index remembers is another ledger.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn bound(&self) -> Result<u64, StoreError> {
        Ok(self.meta(BOUND)?.and_then(|text| text.parse().ok()).unwrap_or(0))
    }

    /// The sessions that have a binding.
    pub(crate) fn sessions_bound(&self) -> Result<HashSet<SessionId>, StoreError> {
        let mut statement = self.connection.prepare("SELECT session_id FROM bindings")?;
        let rows = statement.query_map([], |row| Ok(SessionId::from_bytes(blob(row, 0)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Notes the executor of sessions; the last one is remembered after it ended.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn attach(
        &mut self,
        sessions: &[SessionId],
        executor: Option<&str>,
    ) -> Result<(), StoreError> {
        let query = if executor.is_some() { ATTACH } else { DETACH };
        let transaction = self.connection.transaction()?;
        for session in sessions {
            transaction.prepare_cached(query)?.execute(params![session.as_bytes(), executor])?;
        }
        transaction.commit()?;
        Ok(())
    }

    /// No binding has an executor.
    pub(crate) fn detach_all(&mut self) -> Result<(), StoreError> {
        let mut statement = self.connection.prepare(
            "SELECT session_id FROM bindings WHERE current_executor_peer_id IS NOT NULL",
        )?;
        let rows = statement.query_map([], |row| Ok(SessionId::from_bytes(blob(row, 0)?)))?;
        let attached: Vec<_> = rows.collect::<Result<_, _>>()?;
        drop(statement);
        if attached.is_empty() { Ok(()) } else { self.attach(&attached, None) }
    }

    /// Every session that has a binding, for sessions the index has lost.
    pub(crate) fn identities(&self) -> Result<Vec<Bound>, StoreError> {
        let mut statement = self.connection.prepare(
            "SELECT backend, scope, runtime_session_id, project_path, runtime_source_uri, \
             metadata FROM bindings",
        )?;
        let rows = statement.query_map([], |row| {
            let agent: String = row.get(0)?;
            let (scope, id): (String, String) = (row.get(1)?, row.get(2)?);
            let who = RuntimeIdentity::new(AgentId::new(agent), scope, id);
            Ok(Bound {
                session: who.session(),
                who,
                project_path: row.get(3)?,
                source_uri: row.get(4)?,
                parent: Bound::parent_in(row.get_ref(5)?.as_str().unwrap_or_default()),
                offset: 0,
                lifecycle: Lifecycle::Lost,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The binding of a session.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn binding(&self, session: SessionId) -> Result<Option<Binding>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT peer_id, current_executor_peer_id, backend, project_path, \
             runtime_session_id, runtime_source_uri, source_cursor, provenance, \
             resume_capability, created_at, last_seen_at, status, metadata, session_id \
             FROM bindings WHERE session_id = ?1",
        )?;
        Ok(statement.query_row([session.as_bytes()], read_binding).optional()?)
    }

    /// The sessions that were last seen with an executor of this name.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn last_run_by(&self, peer: &str) -> Result<Vec<SessionId>, StoreError> {
        let mut statement = self.connection.prepare(
            "SELECT session_id FROM bindings WHERE peer_id = ?1 ORDER BY last_seen_at DESC",
        )?;
        let rows = statement.query_map([peer], |row| Ok(SessionId::from_bytes(blob(row, 0)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// A history that is lost confirms nothing: what was known of it stays. An executor that is attached
/// makes a binding active.
const BIND: &str = "
INSERT INTO bindings (session_id, backend, project_path, scope, runtime_session_id,
  runtime_source_uri, resume_capability, created_at, last_seen_at, status, source_cursor,
  provenance, metadata)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?9, ?10, ?11, ?12)
ON CONFLICT (session_id) DO UPDATE SET project_path = coalesce(excluded.project_path, project_path),
  runtime_source_uri = excluded.runtime_source_uri, resume_capability = excluded.resume_capability,
  last_seen_at = iif(excluded.status = 'lost', last_seen_at, excluded.last_seen_at),
  source_cursor = iif(excluded.status = 'lost', source_cursor, excluded.source_cursor),
  provenance = iif(excluded.status = 'lost', provenance, excluded.provenance),
  status = iif(current_executor_peer_id IS NULL, excluded.status, 'active'),
  metadata = excluded.metadata";

const ATTACH: &str = "
UPDATE bindings SET peer_id = ?2, current_executor_peer_id = ?2, status = 'active'
WHERE session_id = ?1 AND current_executor_peer_id IS NOT ?2";

const DETACH: &str = "
UPDATE bindings SET current_executor_peer_id = ?2,
  status = iif(resume_capability ->> 'by_runtime_id', 'resumable', 'detached')
WHERE session_id = ?1 AND current_executor_peer_id IS NOT ?2";

fn json(value: &impl serde::Serialize) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| StoreError::Damaged(error.to_string()))
}

fn read_binding(row: &rusqlite::Row<'_>) -> rusqlite::Result<Binding> {
    let text = |index| row.get::<_, Option<String>>(index);
    let (cursor, provenance) = (text(6)?, text(7)?);
    let capability = serde_json::from_str(&row.get::<_, String>(8)?);
    Ok(Binding {
        session_id: SessionId::from_bytes(blob(row, 13)?),
        peer_id: text(0)?,
        current_executor_peer_id: text(1)?,
        backend: AgentId::new(row.get::<_, String>(2)?),
        project_path: text(3)?,
        runtime_session_id: RuntimeSessionId::new(row.get::<_, String>(4)?),
        runtime_source_uri: row.get(5)?,
        source_cursor: cursor.and_then(|json| serde_json::from_str(&json).ok()),
        provenance: provenance.and_then(|json| serde_json::from_str(&json).ok()),
        resume_capability: capability.unwrap_or(ResumeCapability { by_runtime_id: false }),
        created_at: from_micros(row.get(9)?),
        last_seen_at: from_micros(row.get(10)?),
        status: Lifecycle::from(row.get::<_, String>(11)?.as_str()),
        metadata: serde_json::from_str(&row.get::<_, String>(12)?).unwrap_or_default(),
    })
}
