//! What was tried with sessions: each attempt, how, and what came of it.

use crate::codec::{from_micros, micros};
use crate::{Ledger, StoreError};
use rusqlite::params;
use taffrail_model::{SessionId, Timestamp};

/// One attempt holds a session for so long at most: then another may begin.
pub const LEASE_SECONDS: i64 = 30;
/// Attempts that are kept; the oldest make room.
pub const OPERATIONS_KEPT: i64 = 10_000;

/// An attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Its number.
    pub id: i64,
    /// What was tried.
    pub kind: String,
    /// In which way.
    pub strategy: String,
    /// When it began.
    pub began_at: Timestamp,
    /// `running`, `done` or `failed`.
    pub state: String,
    /// What came of it, in words.
    pub result: Option<String>,
}

impl Ledger {
    /// Begins an attempt and takes the lease; `None` while another one has it.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn begin_operation(
        &mut self,
        session: SessionId,
        (kind, strategy): (&str, &str),
        now: Timestamp,
    ) -> Result<Option<i64>, StoreError> {
        let transaction = self.connection.transaction()?;
        let query = "INSERT INTO operations (session_id, kind, strategy, began_at, state) \
                     SELECT ?1, ?2, ?3, ?4, 'running' WHERE NOT EXISTS (SELECT 1 FROM operations \
                     WHERE session_id = ?1 AND state = 'running' AND began_at > ?5)";
        let since = micros(now) - LEASE_SECONDS * 1_000_000;
        let values = params![session.as_bytes(), kind, strategy, micros(now), since];
        let begun = transaction.execute(query, values)? == 1;
        let id = transaction.last_insert_rowid();
        let prune = "DELETE FROM operations WHERE id <= ?1";
        transaction.execute(prune, [id.saturating_sub(OPERATIONS_KEPT)])?;
        transaction.commit()?;
        Ok(begun.then_some(id))
    }

    /// Ends an attempt: the lease is free again.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn end_operation(&mut self, id: i64, state: &str, result: &str) -> Result<(), StoreError> {
        let query = "UPDATE operations SET state = ?2, result = ?3 WHERE id = ?1";
        self.connection.execute(query, params![id, state, result])?;
        Ok(())
    }

    /// What was tried with a session, the oldest first.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn operations(&self, session: SessionId) -> Result<Vec<Operation>, StoreError> {
        let query = "SELECT id, kind, strategy, began_at, state, result FROM operations \
                     WHERE session_id = ?1 ORDER BY id";
        let mut statement = self.connection.prepare_cached(query)?;
        let rows = statement.query_map([session.as_bytes()], |row| {
            Ok(Operation {
                id: row.get(0)?,
                kind: row.get(1)?,
                strategy: row.get(2)?,
                began_at: from_micros(row.get(3)?),
                state: row.get(4)?,
                result: row.get(5)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_model::{AgentId, DeviceId, RuntimeIdentity};

    #[test]
    fn one_attempt_holds_a_session_and_not_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = Ledger::open(folder.path(), &DeviceId::new("d")).unwrap();
        let who = |id: &str| RuntimeIdentity::new(AgentId::new("toy"), "", id).session();
        let at = |second| Timestamp::from_second(second).unwrap();
        let mut begin = |id: &str, second: i64| {
            ledger.begin_operation(who(id), ("resume", "native"), at(second)).unwrap().is_some()
        };
        assert!(begin("a", 100));
        assert!(!begin("a", 110));
        assert!(begin("b", 110));
        assert!(begin("a", 100 + LEASE_SECONDS));
        let first = ledger.operations(who("a")).unwrap().pop().unwrap();
        ledger.end_operation(first.id, "done", "tmux:%1").unwrap();
        let begun = ledger.begin_operation(who("a"), ("resume", "native"), at(131)).unwrap();
        let states: Vec<_> =
            ledger.operations(who("a")).unwrap().into_iter().map(|it| it.state).collect();
        assert_eq!(
            (begun.is_some(), states),
            (true, vec!["running".into(), "done".to_owned(), "running".into()])
        );
    }
}
