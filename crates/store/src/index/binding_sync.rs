//! Copies bindings from the index to the ledger.

use super::Writer;
use super::queries::due_bindings;
use crate::db::{StoreError, meta};
use crate::ledger::{BOUND, BindingDraft, is_exposed};
use rusqlite::{Connection, params};
use taffrail_model::binding::{History, Standing};
use taffrail_model::{Lifecycle, LineageKind, SessionId, Timestamp, prompt_history};

/// Lists a session whose sources are gone after a rebuild of the index.
pub(crate) fn list_lost(connection: &Connection, bound: &BindingDraft) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(
        "INSERT OR IGNORE INTO sessions (uuid, agent, scope, runtime_id, project_path, source_uri, \
         lifecycle, parent, lineage_kind, lineage_session) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?9, ?7, ?8, ?7)",
    )?;
    let is_missing = is_exposed(&bound.source_uri) || prompt_history::is_locator(&bound.source_uri);
    let missing = if is_missing { History::Missing } else { History::Unexposed };
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
    /// Copies bindings to the ledger. The index remembers which are due, so that a crash between
    /// the two files loses none.
    pub(crate) fn bind(&mut self, now: Timestamp) -> Result<(), StoreError> {
        let due = due_bindings(&self.index)?;
        if !due.is_empty() {
            let count = self.ledger.bind(&due, now)?;
            self.index.execute("DELETE FROM unbound", [])?;
            meta::set(&self.index, BOUND, &count.to_string())?;
        }
        Ok(())
    }

    /// Marks every session without a binding in the ledger as due, if the ledger is not the one
    /// that the index was last copied to: an older one, or a restored one.
    pub(crate) fn note_unbound(&mut self) -> Result<(), StoreError> {
        let count = self.ledger.bound()?.to_string();
        if meta::get(&self.index, BOUND)?.unwrap_or_else(|| "0".to_owned()) == count {
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
        meta::set(&self.index, BOUND, &count)
    }

    /// Writes the bindings that are due.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn bind_due(&mut self, now: Timestamp) -> Result<(), StoreError> {
        self.bind(now)
    }

    /// Records the executor of sessions, or that it ended.
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

    /// Clears all executors: nothing watched them until now.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn detach_all(&mut self) -> Result<(), StoreError> {
        self.ledger.detach_all()
    }
}
