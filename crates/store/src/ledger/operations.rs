//! Attempts to act on sessions: each with its strategy and its result.

use super::Ledger;
use crate::db::codec::micros;
use crate::db::{Columns, StoreError};
use rusqlite::{Connection, Row, TransactionBehavior, params};
use taffrail_model::{Process, SessionId, Timestamp};

/// How long an attempt holds a session at most while the process that it started is unknown.
pub const LEASE_SECONDS: i64 = 30;
/// How long an attempt holds a session at most while the process that it started lives. By then the
/// agent's own records show what it runs.
pub const HELD_SECONDS: i64 = 600;
/// How many attempts are kept; new ones displace the oldest.
pub const OPERATIONS_KEPT: i64 = 10_000;

/// The kind of an attempt to get an executor for a session.
pub const ACQUIRE_EXECUTOR: &str = "session.acquire_executor";
/// The same kind in the rows of earlier releases.
const RESUME: &str = "resume";

/// An attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation {
    /// Its number.
    pub id: i64,
    /// The action that was tried.
    pub kind: String,
    /// The strategy.
    pub strategy: String,
    /// When it began.
    pub began_at: Timestamp,
    /// `running`, `done` or `failed`.
    pub state: String,
    /// The result, in words.
    pub result: Option<String>,
    /// The process it started, if known.
    pub process: Option<Process>,
}

impl Operation {
    /// Whether no other attempt may begin meanwhile.
    fn holds(&self, now: Timestamp, lives: &dyn Fn(Process) -> bool) -> bool {
        let within = |seconds| self.began_at.as_second().saturating_add(seconds) > now.as_second();
        let is_under_way = match self.process {
            Some(process) => within(HELD_SECONDS) && lives(process),
            None => within(LEASE_SECONDS),
        };
        self.state != "failed" && is_under_way
    }
}

/// The result of beginning an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Begun {
    /// The attempt began under this number, and holds the session.
    Now(i64),
    /// An earlier attempt holds the session.
    Held(Operation),
}

impl Ledger {
    /// Begins an attempt, unless an earlier one holds the session: one that did not fail, while the
    /// process it started lives, or for a short time while no process is known.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn begin_operation(
        &mut self,
        session: SessionId,
        (kind, strategy): (&str, &str),
        (now, lives): (Timestamp, &dyn Fn(Process) -> bool),
    ) -> Result<Begun, StoreError> {
        // No other attempt may begin between the check and the write.
        let behavior = TransactionBehavior::Immediate;
        let transaction = self.connection.transaction_with_behavior(behavior)?;
        let earlier = of_session(&transaction, session)?;
        if let Some(it) = earlier.into_iter().rev().find(|it| it.holds(now, lives)) {
            return Ok(Begun::Held(it));
        }
        let query = "INSERT INTO operations (session_id, kind, strategy, began_at, state) \
                     VALUES (?1, ?2, ?3, ?4, 'running')";
        transaction.execute(query, params![session.as_bytes(), kind, strategy, micros(now)])?;
        let id = transaction.last_insert_rowid();
        let prune = "DELETE FROM operations WHERE id <= ?1";
        transaction.execute(prune, [id.saturating_sub(OPERATIONS_KEPT)])?;
        transaction.commit()?;
        Ok(Begun::Now(id))
    }

    /// Records an attempt that was refused before anything was started.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn note_refused(
        &mut self,
        session: SessionId,
        (kind, strategy): (&str, &str),
        (now, why): (Timestamp, &str),
    ) -> Result<(), StoreError> {
        let query = "INSERT INTO operations (session_id, kind, strategy, began_at, state, result) \
                     VALUES (?1, ?2, ?3, ?4, 'failed', ?5)";
        let values = params![session.as_bytes(), kind, strategy, micros(now), why];
        self.connection.execute(query, values)?;
        let prune = "DELETE FROM operations WHERE id <= ?1";
        let last = self.connection.last_insert_rowid();
        self.connection.execute(prune, [last.saturating_sub(OPERATIONS_KEPT)])?;
        Ok(())
    }

    /// Records the process that an attempt started.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn note_process(&mut self, id: i64, process: Process) -> Result<(), StoreError> {
        let query = "UPDATE operations SET pid = ?2, process_start = ?3 WHERE id = ?1";
        self.connection.execute(query, params![id, process.pid, process.start.cast_signed()])?;
        Ok(())
    }

    /// Ends an attempt. A failed attempt no longer holds the session.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn end_operation(&mut self, id: i64, state: &str, result: &str) -> Result<(), StoreError> {
        let query = "UPDATE operations SET state = ?2, result = ?3 WHERE id = ?1";
        self.connection.execute(query, params![id, state, result])?;
        Ok(())
    }

    /// The attempts on a session, the oldest first.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn operations(&self, session: SessionId) -> Result<Vec<Operation>, StoreError> {
        of_session(&self.connection, session)
    }
}

fn of_session(connection: &Connection, session: SessionId) -> Result<Vec<Operation>, StoreError> {
    let query = "SELECT id, kind, strategy, began_at, state, result, pid, process_start \
                 FROM operations WHERE session_id = ?1 ORDER BY id";
    let mut statement = connection.prepare_cached(query)?;
    let rows = statement.query_map([session.as_bytes()], read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Operation> {
    let row = Columns::of(row);
    let kind: String = row.get("kind")?;
    Ok(Operation {
        id: row.get("id")?,
        kind: if kind == RESUME { ACQUIRE_EXECUTOR.to_owned() } else { kind },
        strategy: row.get("strategy")?,
        began_at: row.time("began_at")?,
        state: row.get("state")?,
        result: row.get("result")?,
        process: process(&row)?,
    })
}

fn process(row: &Columns<'_, '_>) -> rusqlite::Result<Option<Process>> {
    let pid: Option<u32> = row.get("pid")?;
    let start: Option<i64> = row.get("process_start")?;
    Ok(pid.zip(start).map(|(pid, start)| Process { pid, start: start.cast_unsigned() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_model::{AgentId, DeviceId, RuntimeIdentity};

    fn who(id: &str) -> SessionId {
        RuntimeIdentity::new(AgentId::new("toy"), "", id).session()
    }

    /// Begins an attempt at this second, while these processes live.
    fn begin(ledger: &mut Ledger, id: &str, second: i64, living: &[Process]) -> Option<i64> {
        let now = Timestamp::from_second(second).unwrap();
        let lives = |it: Process| living.contains(&it);
        let begun = ledger.begin_operation(who(id), ("resume", "native"), (now, &lives)).unwrap();
        match begun {
            Begun::Now(id) => Some(id),
            Begun::Held(_) => None,
        }
    }

    #[test]
    fn one_attempt_holds_a_session_and_not_for_ever() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = Ledger::open(folder.path(), &DeviceId::new("d")).unwrap();
        let first = begin(&mut ledger, "a", 100, &[]).unwrap();
        assert_eq!(begin(&mut ledger, "a", 110, &[]), None);
        assert!(begin(&mut ledger, "b", 110, &[]).is_some());
        // It was started, and its agent has no records yet.
        ledger.end_operation(first, "done", "tmux:%1").unwrap();
        assert_eq!(begin(&mut ledger, "a", 110, &[]), None);
        assert!(begin(&mut ledger, "a", 100 + LEASE_SECONDS, &[]).is_some());
    }

    #[test]
    fn an_attempt_of_an_earlier_release_has_the_kind_of_the_contract() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = Ledger::open(folder.path(), &DeviceId::new("d")).unwrap();
        begin(&mut ledger, "a", 100, &[]).unwrap();
        let now = Timestamp::from_second(200).unwrap();
        let refused = (ACQUIRE_EXECUTOR, "live");
        ledger.note_refused(who("a"), refused, (now, "it runs at tmux:%1")).unwrap();
        let all = ledger.operations(who("a")).unwrap();
        let told: Vec<_> = all.iter().map(|it| (it.kind.as_str(), it.state.as_str())).collect();
        assert_eq!(told, [(ACQUIRE_EXECUTOR, "running"), (ACQUIRE_EXECUTOR, "failed")]);
        assert_eq!(all[1].result.as_deref(), Some("it runs at tmux:%1"));
        // A refused attempt holds nothing.
        assert!(begin(&mut ledger, "a", 201, &[]).is_some());
    }

    #[test]
    fn a_failed_attempt_lets_the_next_one_begin() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = Ledger::open(folder.path(), &DeviceId::new("d")).unwrap();
        let first = begin(&mut ledger, "a", 100, &[]).unwrap();
        ledger.end_operation(first, "failed", "no tmux").unwrap();
        assert!(begin(&mut ledger, "a", 101, &[]).is_some());
    }

    #[test]
    fn a_session_is_held_while_the_process_that_resumed_it_lives() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = Ledger::open(folder.path(), &DeviceId::new("d")).unwrap();
        let agent = Process { pid: 7, start: u64::MAX };
        let first = begin(&mut ledger, "a", 100, &[]).unwrap();
        ledger.note_process(first, agent).unwrap();
        ledger.end_operation(first, "done", "tmux:%1").unwrap();
        let all = ledger.operations(who("a")).unwrap();
        assert_eq!(all.first().and_then(|it| it.process), Some(agent));
        assert_eq!(begin(&mut ledger, "a", 99 + HELD_SECONDS, &[agent]), None);
        // Its agent ended at once, so it may be resumed at once.
        let second = begin(&mut ledger, "a", 101, &[]).unwrap();
        ledger.note_process(second, agent).unwrap();
        assert!(begin(&mut ledger, "a", 101 + HELD_SECONDS, &[agent]).is_some());
    }
}
