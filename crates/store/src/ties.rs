//! What ties sessions to their agents, carried over from the index to the ledger.

use crate::index_file::{meta, set_meta};
use crate::queries::due_bindings;
use crate::writer::Writer;
use crate::{IndexReader, StoreError};
use rusqlite::{Connection, params};
use taffrail_model::binding::{History, Standing};
use taffrail_model::{
    Cursor, DeviceId, Lifecycle, LineageKind, Provenance, RuntimeIdentity, SessionId, Timestamp,
    journal,
};

/// A session whose binding must be written.
#[derive(Debug, Clone)]
pub(crate) struct Bound {
    pub(crate) session: SessionId,
    pub(crate) who: RuntimeIdentity,
    pub(crate) project_path: Option<String>,
    pub(crate) source_uri: String,
    /// The session it works for.
    pub(crate) parent: Option<SessionId>,
    /// How far its source was read.
    pub(crate) offset: u64,
    pub(crate) lifecycle: Lifecycle,
}

impl Bound {
    /// The small hints a binding keeps beside the fields of its contract.
    pub(crate) fn metadata(&self) -> serde_json::Map<String, serde_json::Value> {
        let parent = self.parent.map(|parent| ("parent_id".to_owned(), parent.to_string().into()));
        parent.into_iter().collect()
    }

    /// The session a worker works for, from the hints.
    pub(crate) fn parent_in(metadata: &str) -> Option<SessionId> {
        let hints: serde_json::Value = serde_json::from_str(metadata).ok()?;
        SessionId::parse(hints.get("parent_id")?.as_str()?)
    }

    /// What the binding rests on.
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

/// A locator of history an agent shows: our own journal is none.
pub(crate) fn is_exposed(locator: &str) -> bool {
    !locator.is_empty() && !journal::is_locator(locator)
}

/// Lists a session whose sources are gone and whose index was rebuilt.
pub(crate) fn list_lost(connection: &Connection, bound: &Bound) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(
        "INSERT OR IGNORE INTO sessions (uuid, agent, scope, runtime_id, project_path, source_uri, \
         lifecycle, parent, lineage_kind, lineage_session) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?9, ?7, ?8, ?7)",
    )?;
    let missing = if is_exposed(&bound.source_uri) { History::Missing } else { History::Unexposed };
    let lifecycle = Lifecycle::of(Standing { history: missing, resumable: false });
    let worker = bound.parent.map(|_| LineageKind::Subagent);
    let listed = statement.execute(params![
        bound.session.as_bytes(),
        bound.who.agent.as_str(),
        bound.who.scope,
        bound.who.id.as_str(),
        bound.project_path,
        bound.source_uri,
        bound.parent.as_ref().map(SessionId::as_bytes),
        worker.as_ref().map(LineageKind::as_str),
        lifecycle.as_str(),
    ])?;
    if listed == 1 {
        let row = connection.last_insert_rowid();
        connection.execute("INSERT OR IGNORE INTO unbound (session) VALUES (?1)", [row])?;
    }
    Ok(())
}

impl Writer {
    /// Carries bindings over to the ledger. The index remembers which are due, so that a crash
    /// between the two files loses none.
    pub(crate) fn bind(&mut self, now: Timestamp) -> Result<(), StoreError> {
        let due = due_bindings(&self.index)?;
        if !due.is_empty() {
            let count = self.ledger.bind(&due, now)?;
            self.index.execute("DELETE FROM unbound", [])?;
            set_meta(&self.index, BOUND, &count.to_string())?;
        }
        Ok(())
    }

    /// Notes every session the ledger has no binding of, where the ledger is another than the one
    /// the index was last carried over to: an older one, or one that was restored.
    pub(crate) fn note_unbound(&mut self) -> Result<(), StoreError> {
        let count = self.ledger.bound()?.to_string();
        if meta(&self.index, BOUND)?.unwrap_or_else(|| "0".to_owned()) == count {
            return Ok(());
        }
        let known = self.ledger.sessions_bound()?;
        let mut statement = self.index.prepare("SELECT id, uuid FROM sessions")?;
        let rows = statement.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get(1)?)))?;
        for row in rows {
            let (row, uuid) = row?;
            if !known.contains(&SessionId::from_bytes(uuid)) {
                self.index.execute("INSERT OR IGNORE INTO unbound (session) VALUES (?1)", [row])?;
            }
        }
        set_meta(&self.index, BOUND, &count)
    }

    /// Makes the bindings that are due.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn bind_due(&mut self, now: Timestamp) -> Result<(), StoreError> {
        self.bind(now)
    }

    /// An executor was found for sessions, or the one there was has ended.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn attach(
        &mut self,
        sessions: &[SessionId],
        executor: Option<&str>,
    ) -> Result<(), StoreError> {
        self.ledger.attach(sessions, executor)
    }

    /// No executor is known yet: nobody watched them until now.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn detach_all(&mut self) -> Result<(), StoreError> {
        self.ledger.detach_all()
    }
}

impl IndexReader {
    /// How often the ledger was bound when this index was last carried over to it.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn bound(&self) -> Result<u64, StoreError> {
        Ok(meta(&self.connection, BOUND)?.and_then(|text| text.parse().ok()).unwrap_or(0))
    }
}

/// How often the ledger was bound when the index was last carried over to it.
pub(crate) const BOUND: &str = "bound";
