//! Stores bindings.

use super::Ledger;
use crate::db::codec::{blob, micros};
use crate::db::{Columns, StoreError, meta};
use rusqlite::{OptionalExtension, Row, params};
use std::collections::HashSet;
use taffrail_model::binding::{ResumeCapability, SourcePointer};
use taffrail_model::{
    AgentId, Binding, Cursor, DeviceId, Lifecycle, Provenance, RuntimeIdentity, RuntimeSessionId,
    SessionId, Timestamp, prompt_history,
};

/// The ledger's bind counter when the index was last copied to it.
pub(crate) const BOUND: &str = "bound";

/// A session whose binding must be written.
#[derive(Debug, Clone)]
pub(crate) struct BindingDraft {
    pub(crate) session: SessionId,
    pub(crate) who: RuntimeIdentity,
    pub(crate) project_path: Option<String>,
    pub(crate) source_uri: String,
    /// The session that started this sub-agent.
    pub(crate) parent: Option<SessionId>,
    /// How far its source was read.
    pub(crate) offset: u64,
    pub(crate) lifecycle: Lifecycle,
}

impl BindingDraft {
    /// The hints that a binding stores next to the fields of its contract.
    pub(crate) fn metadata(&self) -> serde_json::Map<String, serde_json::Value> {
        let parent = self.parent.map(|parent| ("parent_id".to_owned(), parent.to_string().into()));
        parent.into_iter().collect()
    }

    /// The parent of a sub-agent, from the hints.
    pub(crate) fn parent_in(metadata: &str) -> Option<SessionId> {
        let hints: serde_json::Value = serde_json::from_str(metadata).ok()?;
        SessionId::parse(hints.get("parent_id")?.as_str()?)
    }

    /// The provenance of the binding.
    pub(crate) fn provenance(&self, device: DeviceId, now: Timestamp) -> Provenance {
        let uri = Some(self.source_uri.as_str()).filter(|it| is_exposed(it));
        let source_kind = uri.map_or("runtime_unavailable", |_| "runtime_transcript");
        Provenance {
            source_kind: source_kind.to_owned(),
            backend: self.who.agent.clone(),
            runtime_session_id: self.who.id.clone(),
            runtime_source_uri: uri.unwrap_or_default().to_owned(),
            source_cursor: Cursor::Bytes { byte_offset: self.offset, length: 0 },
            source_event_id: None,
            observed_by_peer_id: device,
            observed_at: now,
        }
    }
}

/// Whether a locator names history that an agent exposes; our own journal and prompt histories do
/// not count.
pub(crate) fn is_exposed(locator: &str) -> bool {
    !locator.is_empty() && !prompt_history::is_shared(locator)
}

impl Ledger {
    /// Writes bindings in one transaction: inserts new ones and confirms known ones. Returns the
    /// bind counter.
    pub(crate) fn bind(
        &mut self,
        bound: &[BindingDraft],
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        let device = self.device()?;
        let count = self.bound()? + 1;
        let transaction = self.connection.transaction()?;
        for it in bound {
            let by_runtime_id = it.lifecycle == Lifecycle::Resumable;
            let provenance = it.provenance(device.clone(), now);
            // Our own journal is not a source of the agent, so its position is not a cursor.
            let cursor = is_exposed(&it.source_uri).then_some(&provenance.source_cursor);
            transaction.prepare_cached(BIND)?.execute(params![
                it.session.as_bytes(),
                it.who.agent.as_str(),
                it.project_path,
                it.who.scope,
                it.who.id.as_str(),
                it.source_uri,
                json(&ResumeCapability { by_runtime_id, ..ResumeCapability::default() })?,
                micros(now),
                it.lifecycle.as_str(),
                cursor.map(json).transpose()?,
                json(&provenance)?,
                json(&it.metadata())?,
            ])?;
        }
        meta::set(&transaction, BOUND, &count.to_string())?;
        transaction.commit()?;
        Ok(count)
    }

    /// How many times bindings were written. A number other than the index remembers means another
    /// ledger.
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

    /// Records the executor of sessions; the last one is remembered after it ended.
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

    /// Drops the binding of a session.
    pub(crate) fn unbind(&mut self, session: SessionId) -> Result<(), StoreError> {
        let query = "DELETE FROM bindings WHERE session_id = ?1";
        self.connection.execute(query, [session.as_bytes()])?;
        Ok(())
    }

    /// Clears the executor of every binding.
    pub(crate) fn detach_all(&mut self) -> Result<(), StoreError> {
        let mut statement = self.connection.prepare(
            "SELECT session_id FROM bindings WHERE current_executor_peer_id IS NOT NULL",
        )?;
        let rows = statement.query_map([], |row| Ok(SessionId::from_bytes(blob(row, 0)?)))?;
        let attached: Vec<_> = rows.collect::<Result<_, _>>()?;
        drop(statement);
        if attached.is_empty() { Ok(()) } else { self.attach(&attached, None) }
    }

    /// Every session with a binding, to restore sessions that the index lost.
    pub(crate) fn identities(&self) -> Result<Vec<BindingDraft>, StoreError> {
        let mut statement = self.connection.prepare(
            "SELECT backend, scope, runtime_session_id, project_path, runtime_source_uri, \
             metadata FROM bindings",
        )?;
        let rows = statement.query_map([], read_draft)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The binding of a session.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn binding(&self, session: SessionId) -> Result<Option<Binding>, StoreError> {
        let mut statement = self.connection.prepare_cached(include_str!("binding.sql"))?;
        Ok(statement.query_row([session.as_bytes()], read_binding).optional()?)
    }

    /// The sessions whose last known executor has this name.
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

/// A lost history confirms nothing: the known values stay. An attached executor makes a binding
/// active.
const BIND: &str = include_str!("bind.sql");

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

fn read_draft(row: &Row<'_>) -> rusqlite::Result<BindingDraft> {
    let row = Columns::of(row);
    let agent = AgentId::new(row.get::<String>("backend")?);
    let scope: String = row.get("scope")?;
    let who = RuntimeIdentity::new(agent, scope, row.get::<String>("runtime_session_id")?);
    Ok(BindingDraft {
        session: who.session(),
        who,
        project_path: row.get("project_path")?,
        source_uri: row.get("runtime_source_uri")?,
        parent: BindingDraft::parent_in(&row.get::<String>("metadata")?),
        offset: 0,
        lifecycle: Lifecycle::Lost,
    })
}

fn read_binding(row: &Row<'_>) -> rusqlite::Result<Binding> {
    let row = Columns::of(row);
    let generation = row.count("generation")?;
    let provenance = parsed::<Provenance>(row.get("provenance")?);
    let pointer = |provenance| SourcePointer { provenance, generation };
    Ok(Binding {
        session_id: SessionId::from_bytes(row.get("session_id")?),
        peer_id: row.get("peer_id")?,
        current_executor_peer_id: row.get("current_executor_peer_id")?,
        backend: AgentId::new(row.get::<String>("backend")?),
        project_path: row.get("project_path")?,
        runtime_session_id: RuntimeSessionId::new(row.get::<String>("runtime_session_id")?),
        runtime_source_uri: row.get("runtime_source_uri")?,
        source_cursor: parsed(row.get("source_cursor")?),
        source_generation: generation,
        provenance: provenance.into_iter().map(pointer).collect(),
        resume_capability: parsed(row.get("resume_capability")?).unwrap_or_default(),
        created_at: row.time("created_at")?,
        last_seen_at: row.time("last_seen_at")?,
        status: Lifecycle::from(row.get::<String>("status")?.as_str()),
        metadata: parsed(row.get("metadata")?).unwrap_or_default(),
    })
}

fn parsed<T: serde::de::DeserializeOwned>(json: Option<String>) -> Option<T> {
    json.and_then(|json| serde_json::from_str(&json).ok())
}
