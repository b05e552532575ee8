//! Repairs by people: sessions that are one, and sessions that are kept for history only.

use super::Ledger;
use crate::db::StoreError;
use crate::db::codec::{blob, micros};
use rusqlite::{Connection, Row, TransactionBehavior, params};
use std::collections::{HashMap, HashSet};
use taffrail_model::binding::Mark;
use taffrail_model::{SessionId, Timestamp};

/// All repairs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Repairs {
    /// The session that replaced each session.
    by: HashMap<SessionId, SessionId>,
    archived: HashSet<SessionId>,
    /// Chains continue past these.
    forgotten: HashSet<SessionId>,
}

/// The result of joining two sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joined {
    /// They are joined now.
    Now,
    /// They were joined before.
    Before,
    /// They are joined the other way round.
    Circle,
    /// The session is joined to this other one.
    Elsewhere(SessionId),
}

impl Repairs {
    /// The session that stands for this one: the last of its chain that is not forgotten.
    #[must_use]
    pub fn head(&self, session: SessionId) -> SessionId {
        let kept = |it: &SessionId| !self.forgotten.contains(it);
        self.above(session).into_iter().rfind(kept).unwrap_or(session)
    }

    /// The sessions that this one replaced, directly or not, by their ids.
    #[must_use]
    pub fn below(&self, session: SessionId) -> Vec<SessionId> {
        let leads_here = |it: &&SessionId| self.above(**it).contains(&session);
        let kept = |it: &&SessionId| !self.forgotten.contains(it);
        let mut out: Vec<_> = self.by.keys().filter(kept).filter(leads_here).copied().collect();
        out.sort();
        out
    }

    /// A person's mark on a session.
    #[must_use]
    pub fn mark(&self, session: SessionId) -> Option<Mark> {
        let head = self.head(session);
        if head != session {
            return Some(Mark::Superseded(head));
        }
        self.archived.contains(&session).then_some(Mark::Archived)
    }

    /// Sessions that another replaced.
    pub(crate) fn superseded(&self) -> impl Iterator<Item = SessionId> {
        self.by.keys().copied().filter(|it| self.head(*it) != *it)
    }

    /// The chain above a session, the nearest first. A ledger edited by hand may hold a cycle.
    fn above(&self, session: SessionId) -> Vec<SessionId> {
        let mut out = Vec::new();
        let mut next = self.by.get(&session);
        while let Some(it) = next.filter(|it| **it != session && !out.contains(*it)) {
            out.push(*it);
            next = self.by.get(it);
        }
        out
    }

    fn read(connection: &Connection) -> Result<Self, StoreError> {
        let mut out = Self::default();
        let mut statement =
            connection.prepare_cached("SELECT session_id, by_session_id FROM superseded")?;
        let pairs = statement.query_map([], |row| Ok((id(row, 0)?, id(row, 1)?)))?;
        out.by = pairs.collect::<Result<_, _>>()?;
        let ids = |query: &str| -> Result<HashSet<SessionId>, StoreError> {
            let mut statement = connection.prepare_cached(query)?;
            let rows = statement.query_map([], |row| id(row, 0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        };
        out.archived = ids("SELECT session_id FROM archived")?;
        if !out.by.is_empty() {
            out.forgotten = ids("SELECT session_id FROM tombstones")?;
        }
        Ok(out)
    }
}

fn id(row: &Row<'_>, column: usize) -> rusqlite::Result<SessionId> {
    Ok(SessionId::from_bytes(blob(row, column)?))
}

impl Ledger {
    /// The repairs by people.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn repairs(&self) -> Result<Repairs, StoreError> {
        Repairs::read(&self.connection)
    }

    /// Has one session replace another, unless that makes a cycle.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn supersede(
        &mut self,
        old: SessionId,
        new: SessionId,
        now: Timestamp,
    ) -> Result<Joined, StoreError> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let known = Repairs::read(&transaction)?;
        if old == new || known.above(new).contains(&old) {
            return Ok(Joined::Circle);
        }
        match known.by.get(&old) {
            Some(before) if *before == new => return Ok(Joined::Before),
            Some(before) => return Ok(Joined::Elsewhere(*before)),
            None => {}
        }
        transaction.execute(
            "INSERT INTO superseded (session_id, by_session_id, since) VALUES (?1, ?2, ?3)",
            params![old.as_bytes(), new.as_bytes(), micros(now)],
        )?;
        transaction.commit()?;
        Ok(Joined::Now)
    }

    /// Undoes the join of a session; if it is joined to none, undoes the joins of others to it.
    /// Returns the sessions that are separate again.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn split(&mut self, session: SessionId) -> Result<Vec<SessionId>, StoreError> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut split = removed(&transaction, "session_id", session)?;
        if split.is_empty() {
            split = removed(&transaction, "by_session_id", session)?;
        }
        transaction.commit()?;
        Ok(split)
    }

    /// Sets or clears that a session is kept for history only; `false` if nothing changed.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn archive(
        &mut self,
        session: SessionId,
        since: Option<Timestamp>,
    ) -> Result<bool, StoreError> {
        let id = session.as_bytes();
        let changed = match since {
            Some(now) => self.connection.execute(
                "INSERT OR IGNORE INTO archived (session_id, since) VALUES (?1, ?2)",
                params![id, micros(now)],
            )?,
            None => self.connection.execute("DELETE FROM archived WHERE session_id = ?1", [id])?,
        };
        Ok(changed > 0)
    }
}

fn removed(
    connection: &Connection,
    column: &str,
    session: SessionId,
) -> Result<Vec<SessionId>, StoreError> {
    let query = format!("DELETE FROM superseded WHERE {column} = ?1 RETURNING session_id");
    let mut statement = connection.prepare(&query)?;
    let rows = statement.query_map([session.as_bytes()], |row| id(row, 0))?;
    let mut out: Vec<_> = rows.collect::<Result<_, _>>()?;
    out.sort();
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use taffrail_model::DeviceId;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn session(number: u8) -> SessionId {
        SessionId::from_bytes([number; 16])
    }

    fn ledger(folder: &tempfile::TempDir) -> Ledger {
        Ledger::open(folder.path(), &DeviceId::new("d")).unwrap()
    }

    #[test]
    fn joins_make_chains_and_never_circles() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = ledger(&folder);
        let mut check = |old, new, expected| {
            let got = ledger.supersede(session(old), session(new), at(1)).unwrap();
            assert_eq!(got, expected, "{old} {new}");
        };
        check(1, 1, Joined::Circle);
        check(1, 2, Joined::Now);
        check(1, 2, Joined::Before);
        check(2, 1, Joined::Circle);
        check(2, 3, Joined::Now);
        check(3, 1, Joined::Circle);
        check(1, 3, Joined::Elsewhere(session(2)));
        check(4, 3, Joined::Now);
        let known = ledger.repairs().unwrap();
        let head = |it| known.head(session(it));
        assert_eq!([1, 2, 3, 4, 5].map(head), [3, 3, 3, 3, 5].map(session));
        assert_eq!(known.below(session(3)), [1, 2, 4].map(session));
        assert_eq!(known.below(session(2)), [session(1)]);
        assert_eq!(known.mark(session(1)), Some(Mark::Superseded(session(3))));
        assert_eq!(known.mark(session(3)), None);
    }

    #[test]
    fn a_chain_is_followed_past_what_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = ledger(&folder);
        ledger.supersede(session(1), session(2), at(1)).unwrap();
        ledger.supersede(session(2), session(3), at(1)).unwrap();
        ledger.archive(session(4), Some(at(1))).unwrap();
        ledger.bury(&[session(2)], at(2)).unwrap();
        let known = ledger.repairs().unwrap();
        assert_eq!(known.head(session(1)), session(3));
        assert_eq!(known.below(session(3)), [session(1)]);
        assert_eq!(known.mark(session(4)), Some(Mark::Archived));
        ledger.bury(&[session(3)], at(3)).unwrap();
        assert_eq!(ledger.repairs().unwrap().mark(session(1)), None);
    }

    #[test]
    fn a_split_undoes_a_join_and_twice_is_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = ledger(&folder);
        for old in [1, 2] {
            ledger.supersede(session(old), session(3), at(1)).unwrap();
        }
        assert_eq!(ledger.split(session(1)).unwrap(), [session(1)]);
        assert_eq!(ledger.split(session(1)).unwrap(), []);
        assert_eq!(ledger.split(session(3)).unwrap(), [session(2)]);
        assert_eq!(ledger.repairs().unwrap(), Repairs::default());
    }

    #[test]
    fn what_is_archived_is_so_until_that_is_undone() {
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = ledger(&folder);
        let mut check = |since: Option<i64>, changed, mark| {
            assert_eq!(ledger.archive(session(1), since.map(at)).unwrap(), changed);
            assert_eq!(ledger.repairs().unwrap().mark(session(1)), mark);
        };
        check(None, false, None);
        check(Some(1), true, Some(Mark::Archived));
        check(Some(2), false, Some(Mark::Archived));
        check(None, true, None);
    }

    proptest! {
        /// However sessions are joined, every chain ends, and all joined sessions have the same
        /// head.
        #[test]
        fn every_chain_ends(pairs in prop::collection::vec((0u8..6, 0u8..6), 0..20)) {
            let folder = tempfile::tempdir().unwrap();
            let mut ledger = ledger(&folder);
            for (old, new) in pairs {
                let joined = ledger.supersede(session(old), session(new), at(1)).unwrap();
                let known = ledger.repairs().unwrap();
                if matches!(joined, Joined::Now | Joined::Before) {
                    prop_assert_eq!(known.head(session(old)), known.head(session(new)));
                }
                for it in 0..6 {
                    let head = known.head(session(it));
                    prop_assert_eq!(known.head(head), head);
                    prop_assert_eq!(known.below(head).contains(&session(it)), head != session(it));
                }
            }
        }
    }
}
