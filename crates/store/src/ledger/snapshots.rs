//! Snapshots: the latest of each session, and every distinct body once.

use super::Ledger;
use crate::db::codec::micros;
use crate::db::{Columns, StoreError};
use rusqlite::{OptionalExtension, Row, params};
use taffrail_model::Timestamp;

/// The most bodies kept of a session; new ones displace the oldest.
pub const HISTORY_LIMIT: u32 = 500;

/// A stored snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// The adapter that made it.
    pub adapter: String,
    /// The adapter's id for the session.
    pub session: String,
    /// Equal for equal bodies.
    pub mark: String,
    /// The snapshot, as JSON.
    pub body: String,
    /// When it was taken; in a history, when its body was first taken.
    pub at: Timestamp,
}

impl Ledger {
    /// Records a snapshot: it replaces the latest, and joins the history if its body is new.
    ///
    /// # Errors
    /// When the ledger cannot be written; then nothing is recorded.
    pub fn record(&mut self, taken: &Taken) -> Result<(), StoreError> {
        let Taken { adapter, session, mark, body, at } = taken;
        let transaction = self.connection.transaction()?;
        transaction.execute(
            "INSERT INTO snapshots (adapter, session, mark, body, taken_at) \
             VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (adapter, session) DO UPDATE SET \
             mark = excluded.mark, body = excluded.body, taken_at = excluded.taken_at",
            params![adapter, session, mark, body, micros(*at)],
        )?;
        transaction.execute(
            "INSERT OR IGNORE INTO snapshot_history (adapter, session, mark, body, taken_at) \
             VALUES (?1, ?2, ?3, ?4, ?5)",
            params![adapter, session, mark, body, micros(*at)],
        )?;
        transaction.execute(
            "DELETE FROM snapshot_history WHERE adapter = ?1 AND session = ?2 AND mark NOT IN \
             (SELECT mark FROM snapshot_history WHERE adapter = ?1 AND session = ?2 \
              ORDER BY taken_at DESC, mark LIMIT ?3)",
            params![adapter, session, HISTORY_LIMIT],
        )?;
        transaction.commit()?;
        Ok(())
    }

    /// The latest snapshot of a session.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn latest(&self, adapter: &str, session: &str) -> Result<Option<Taken>, StoreError> {
        let query = "SELECT adapter, session, mark, body, taken_at FROM snapshots \
                     WHERE adapter = ?1 AND session = ?2";
        Ok(self.connection.query_row(query, [adapter, session], read).optional()?)
    }

    /// The latest snapshot of every session, the newest first.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn snapshots(&self) -> Result<Vec<Taken>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT adapter, session, mark, body, taken_at FROM snapshots \
             ORDER BY taken_at DESC, adapter, session",
        )?;
        let rows = statement.query_map([], read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Every distinct snapshot of a session, the oldest first.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn history(&self, adapter: &str, session: &str) -> Result<Vec<Taken>, StoreError> {
        let mut statement = self.connection.prepare_cached(
            "SELECT adapter, session, mark, body, taken_at FROM snapshot_history \
             WHERE adapter = ?1 AND session = ?2 ORDER BY taken_at, mark",
        )?;
        let rows = statement.query_map([adapter, session], read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<Taken> {
    let row = Columns::of(row);
    Ok(Taken {
        adapter: row.get("adapter")?,
        session: row.get("session")?,
        mark: row.get("mark")?,
        body: row.get("body")?,
        at: row.time("taken_at")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_model::DeviceId;

    fn taken(second: i64, mark: &str) -> Taken {
        let at = Timestamp::from_second(second).unwrap();
        let (adapter, session) = ("a".to_owned(), "s".to_owned());
        Taken { adapter, session, mark: mark.to_owned(), body: format!("{{{mark}}}"), at }
    }

    #[test]
    fn the_latest_is_replaced_and_a_body_is_remembered_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = Ledger::open(folder.path(), &DeviceId::new("d")).unwrap();
        let mut check = |new: Taken, expected: &[(i64, &str)]| {
            ledger.record(&new).unwrap();
            assert_eq!(ledger.latest("a", "s").unwrap(), Some(new));
            let expected: Vec<_> = expected.iter().map(|(at, mark)| taken(*at, mark)).collect();
            assert_eq!(ledger.history("a", "s").unwrap(), expected);
        };
        check(taken(1, "x"), &[(1, "x")]);
        check(taken(2, "x"), &[(1, "x")]);
        check(taken(3, "y"), &[(1, "x"), (3, "y")]);
        check(taken(4, "x"), &[(1, "x"), (3, "y")]);
        assert_eq!(ledger.history("b", "s").unwrap(), []);
        let other = Taken { adapter: "b".to_owned(), ..taken(9, "z") };
        ledger.record(&other).unwrap();
        assert_eq!(ledger.snapshots().unwrap(), [other, taken(4, "x")]);
        for second in 10..10 + i64::from(HISTORY_LIMIT) {
            ledger.record(&taken(second, &second.to_string())).unwrap();
        }
        let history = ledger.history("a", "s").unwrap();
        assert_eq!(
            (history.len(), history.first()),
            (HISTORY_LIMIT as usize, Some(&taken(10, "10")))
        );
    }
}
