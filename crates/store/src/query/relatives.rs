//! Sessions by their relation to others: copies and sub-agents.

use super::IndexReader;
use crate::db::StoreError;
use crate::db::codec::count;
use crate::db::rows::SessionRow;
use crate::ledger::Forgotten;
use taffrail_model::SessionId;

impl IndexReader {
    /// Sessions that hold copies of another's records.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn heirs(&self, row: i64) -> Result<Vec<SessionId>, StoreError> {
        let mut statement = self.connection.prepare(
            "SELECT uuid FROM sessions WHERE id IN \
             (SELECT session FROM events WHERE inherited_from = ?1) ORDER BY uuid",
        )?;
        let rows = statement.query_map([row], |row| Ok(SessionId::from_bytes(row.get(0)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Whether any of these sessions, or a sub-agent of one, is still in the index.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn holds_any(&self, sessions: &Forgotten) -> Result<bool, StoreError> {
        let query = "SELECT EXISTS (SELECT 1 FROM sessions WHERE uuid = ?1 OR parent = ?1)";
        let mut statement = self.connection.prepare(query)?;
        for session in sessions.ids() {
            if statement.query_row([session.as_bytes()], |row| row.get(0))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// How many live events a session has.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn count_events(&self, row: i64) -> Result<u64, StoreError> {
        let query = "SELECT count(*) FROM events WHERE session = ?1 AND removed = 0";
        Ok(self.connection.query_row(query, [row], |row| count(row, 0))?)
    }

    /// The sub-agents of a session.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn workers_of(&self, parent: SessionId) -> Result<Vec<SessionRow>, StoreError> {
        self.sessions_where("parent = ?1", &[parent.as_bytes()])
    }
}
