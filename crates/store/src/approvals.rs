//! Requests to be allowed something, and their decisions.

use crate::codec::micros;
use crate::{Ledger, StoreError};
use rusqlite::{OptionalExtension, Row, params};
use taffrail_model::approval::{Approval, ApprovalId};

/// Requests that are kept once they are over; the oldest make room.
pub const APPROVALS_KEPT: u32 = 10_000;

impl Ledger {
    /// Writes a new request down; one that is there stays as it is, and `false` is said.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn open_approval(&mut self, it: &Approval) -> Result<bool, StoreError> {
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
        let new = self.connection.prepare_cached(query)?.execute(values)? == 1;
        let prune = "DELETE FROM approvals WHERE followed = 0 AND id IN (SELECT id FROM approvals \
                     WHERE followed = 0 ORDER BY asked_at DESC LIMIT -1 OFFSET ?1)";
        self.connection.prepare_cached(prune)?.execute([APPROVALS_KEPT])?;
        Ok(new)
    }

    /// Puts a request in the place of what it was, if it still is that.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn move_approval(&mut self, from: &Approval, to: &Approval) -> Result<bool, StoreError> {
        let query = "UPDATE approvals SET state = ?3, followed = ?4, body = ?5 \
                     WHERE id = ?1 AND body = ?2";
        let values =
            params![from.id.as_str(), body(from)?, to.state.as_str(), to.is_followed(), body(to)?];
        Ok(self.connection.prepare_cached(query)?.execute(values)? == 1)
    }

    /// Nothing more is to be learned of a request.
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

    /// Every request, or those of which something may still be learned, the oldest first.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn approvals(&self, all: bool) -> Result<Vec<Approval>, StoreError> {
        let query = "SELECT body FROM approvals WHERE followed >= ?1 ORDER BY asked_at, id";
        let mut statement = self.connection.prepare_cached(query)?;
        let rows = statement.query_map([!all], text)?;
        rows.map(|it| read(&it?)).collect()
    }
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
