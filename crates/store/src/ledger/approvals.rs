//! Approval requests and their decisions.

use super::Ledger;
use super::audit::{append, immediate};
use crate::db::StoreError;
use crate::db::codec::micros;
use rusqlite::{Connection, OptionalExtension, Row, params};
use taffrail_model::Timestamp;
use taffrail_model::approval::{Approval, ApprovalId};
use taffrail_model::audit::Deed;

/// How many closed requests are kept; new ones displace the oldest.
pub const APPROVALS_KEPT: u32 = 10_000;

impl Ledger {
    /// Inserts a new request; leaves an existing one unchanged and returns `false`.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn open_approval(&mut self, it: &Approval) -> Result<bool, StoreError> {
        self.open_with(it, None)
    }

    /// Inserts a request that a rule decided at once, together with its entry in the audit log.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn open_decided(
        &mut self,
        it: &Approval,
        deed: (&Deed, Timestamp),
    ) -> Result<bool, StoreError> {
        self.open_with(it, Some(deed))
    }

    fn open_with(
        &mut self,
        it: &Approval,
        deed: Option<(&Deed, Timestamp)>,
    ) -> Result<bool, StoreError> {
        let query = "INSERT OR IGNORE INTO approvals (id, session_id, asked_at, state, followed, \
                     body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let values = params![
            it.id.as_str(),
            it.session_id.as_bytes(),
            micros(it.asked_at),
            it.state.as_str(),
            it.is_followed(),
            body(it)?,
        ];
        let transaction = immediate(&self.connection)?;
        let new = transaction.prepare_cached(query)?.execute(values)? == 1;
        if let Some((deed, at)) = deed.filter(|_| new) {
            append(&transaction, deed, at)?;
        }
        let prune = "DELETE FROM approvals WHERE followed = 0 AND id IN (SELECT id FROM approvals \
                     WHERE followed = 0 ORDER BY asked_at DESC LIMIT -1 OFFSET ?1)";
        transaction.prepare_cached(prune)?.execute([APPROVALS_KEPT])?;
        transaction.commit()?;
        Ok(new)
    }

    /// Replaces `from` by `to`, if the request is still equal to `from`.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn move_approval(&mut self, from: &Approval, to: &Approval) -> Result<bool, StoreError> {
        put(&self.connection, from, to)
    }

    /// Replaces a request by its decided form, together with an entry in the audit log.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn decide_approval(
        &mut self,
        (from, to): (&Approval, &Approval),
        (deed, at): (&Deed, Timestamp),
    ) -> Result<bool, StoreError> {
        let transaction = immediate(&self.connection)?;
        let is_moved = put(&transaction, from, to)?;
        if is_moved {
            append(&transaction, deed, at)?;
        }
        transaction.commit()?;
        Ok(is_moved)
    }

    /// Stops following a request: its outcome cannot change any more.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn unfollow_approval(&mut self, id: &ApprovalId) -> Result<(), StoreError> {
        let query = "UPDATE approvals SET followed = 0 WHERE id = ?1";
        self.connection.prepare_cached(query)?.execute([id.as_str()])?;
        Ok(())
    }

    /// A request.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn approval(&self, id: &ApprovalId) -> Result<Option<Approval>, StoreError> {
        let query = "SELECT body FROM approvals WHERE id = ?1";
        let found = self.connection.prepare_cached(query)?.query_row([id.as_str()], text);
        found.optional()?.map(|it| read(&it)).transpose()
    }

    /// Every request, or only those that are still followed, the oldest first.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn approvals(&self, all: bool) -> Result<Vec<Approval>, StoreError> {
        let query = "SELECT body FROM approvals WHERE followed >= ?1 ORDER BY asked_at, id";
        let mut statement = self.connection.prepare_cached(query)?;
        let rows = statement.query_map([!all], text)?;
        rows.map(|it| read(&it?)).collect()
    }

    /// How many requests since an instant have an id with this prefix, open or not.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn approvals_beginning(&self, id: &str, since: Timestamp) -> Result<u64, StoreError> {
        let query =
            "SELECT count(*) FROM approvals WHERE id >= ?1 AND id < ?1 || '~' AND asked_at >= ?2";
        let mut statement = self.connection.prepare_cached(query)?;
        let count: i64 = statement.query_row(params![id, micros(since)], |row| row.get(0))?;
        Ok(count.cast_unsigned())
    }
}

fn put(connection: &Connection, from: &Approval, to: &Approval) -> Result<bool, StoreError> {
    let query = "UPDATE approvals SET state = ?3, followed = ?4, body = ?5 \
                 WHERE id = ?1 AND body = ?2";
    let values =
        params![from.id.as_str(), body(from)?, to.state.as_str(), to.is_followed(), body(to)?];
    Ok(connection.prepare_cached(query)?.execute(values)? == 1)
}

fn text(row: &Row<'_>) -> rusqlite::Result<String> {
    row.get(0)
}

fn body(it: &Approval) -> Result<String, StoreError> {
    serde_json::to_string(it).map_err(|error| StoreError::Damaged(error.to_string()))
}

fn read(text: &str) -> Result<Approval, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::Damaged(error.to_string()))
}
