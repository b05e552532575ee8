//! Sessions that begin as copies of one another, and which session owns the shared records.
//!
//! Some agents fork by copying every record into a new file. The copies are events of the fork, but
//! their cost was spent once. Ownership is a pure function of the sessions' records and does not
//! depend on the order in which files were read.

use crate::hash::Digest16;
use crate::{SessionId, Timestamp};
use std::collections::{HashMap, HashSet};

/// A session in a family of copies, with its records.
#[derive(Debug, Clone)]
pub struct Member {
    /// The session.
    pub session: SessionId,
    /// The session that the agent names as the origin of the fork.
    pub origin: Option<SessionId>,
    /// Every record that another session could have a copy of, with its time.
    pub records: Vec<(Digest16, Timestamp)>,
}

/// The order of a family and the origins in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settlement {
    /// Members from the oldest to the youngest: the oldest holder owns a shared record.
    pub order: Vec<SessionId>,
    /// For each member but the oldest, the older member it shares the most records with.
    pub origins: Vec<(SessionId, SessionId)>,
    /// The time of each member's earliest unshared record; `None` if it has none.
    pub own_since: Vec<(SessionId, Option<Timestamp>)>,
}

impl Settlement {
    /// The owner of a record among the sessions that hold it.
    #[must_use]
    pub fn owner(&self, holders: &[SessionId]) -> Option<SessionId> {
        self.order.iter().copied().find(|session| holders.contains(session))
    }
}

/// Orders a family: the session whose earliest record not shared with another is oldest comes
/// first, ties by session id. A session without a record of its own was over when the others went
/// on, so its last record counts instead. One whose agent names its origin comes after that origin.
#[must_use]
pub fn settle(members: &[Member]) -> Settlement {
    let mut holders: HashMap<Digest16, usize> = HashMap::new();
    for member in members {
        let distinct: HashSet<_> = member.records.iter().map(|(record, _)| *record).collect();
        for record in distinct {
            *holders.entry(record).or_default() += 1;
        }
    }
    let mut ages: Vec<_> = members.iter().map(|it| (own_since(it, &holders), it)).collect();
    ages.sort_by_key(|(since, member)| {
        let age = since.or(last(member)).unwrap_or(Timestamp::MAX);
        (depth(member, members), age, since.is_some(), member.session)
    });
    let own_since = ages.iter().map(|(since, member)| (member.session, *since)).collect();
    let members: Vec<_> = ages.into_iter().map(|(_, member)| member).collect();
    let origins = members.iter().enumerate().skip(1);
    let origins = origins.filter_map(|(index, member)| origin(member, members.get(..index)?));
    Settlement {
        order: members.iter().map(|member| member.session).collect(),
        origins: origins.collect(),
        own_since,
    }
}

fn own_since(member: &Member, holders: &HashMap<Digest16, usize>) -> Option<Timestamp> {
    let own = member.records.iter().filter(|(record, _)| holders.get(record) == Some(&1));
    own.map(|(_, at)| *at).min()
}

fn last(member: &Member) -> Option<Timestamp> {
    member.records.iter().map(|(_, at)| *at).max()
}

/// How many named origins a member has above it; a cycle ends where it began.
fn depth(member: &Member, members: &[Member]) -> usize {
    let mut at = member;
    for depth in 0..members.len() {
        let above = members.iter().find(|it| Some(it.session) == at.origin);
        let Some(above) = above.filter(|it| it.session != member.session) else { return depth };
        at = above;
    }
    members.len()
}

fn origin(member: &Member, older: &[&Member]) -> Option<(SessionId, SessionId)> {
    let mine: HashSet<_> = member.records.iter().map(|(record, _)| record).collect();
    let shared = |other: &Member| {
        let theirs: HashSet<_> = other.records.iter().map(|(record, _)| record).collect();
        theirs.intersection(&mine).count()
    };
    // `max_by_key` keeps the last of equals, so the oldest comes last.
    let nearest = older.iter().rev().max_by_key(|other| shared(other))?;
    (shared(nearest) > 0).then_some((member.session, nearest.session))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AgentId, RuntimeIdentity, hash};
    use proptest::prelude::*;

    fn session(name: &str) -> SessionId {
        RuntimeIdentity::new(AgentId::new("a"), "", name).session()
    }

    fn member(name: &str, records: &[(&str, i64)]) -> Member {
        let of = |(key, second): &(&str, i64)| {
            (hash::of_bytes(key.as_bytes()), Timestamp::from_second(*second).unwrap())
        };
        Member { session: session(name), origin: None, records: records.iter().map(of).collect() }
    }

    #[test]
    fn a_parent_owns_what_its_forks_replay() {
        let parent = member("p", &[("u1", 1), ("a1", 2), ("u2", 3)]);
        let fork = member("f", &[("u1", 1), ("a1", 2), ("u3", 4), ("a3", 5)]);
        let second = member("g", &[("u1", 1), ("a1", 2), ("u3", 4), ("a3", 5), ("u4", 9)]);
        let settled = settle(&[second, fork, parent]);
        assert_eq!(settled.order, [session("p"), session("f"), session("g")].to_vec());
        assert_eq!(settled.owner(&[session("f"), session("p")]), Some(session("p")));
        assert_eq!(settled.owner(&[]), None);
    }

    #[test]
    fn a_parent_that_stops_where_its_fork_begins_keeps_its_tokens() {
        let parent = member("p", &[("u1", 1), ("a1", 2)]);
        for (name, later) in [("f", 2), ("g", 9)] {
            let fork = member(name, &[("u1", 1), ("a1", 2), ("u2", later)]);
            let settled = settle(&[fork, parent.clone()]);
            assert_eq!(settled.order, [session("p"), session(name)].to_vec());
            assert_eq!(settled.origins, [(session(name), session("p"))].to_vec());
        }
    }

    #[test]
    fn a_session_alone_owns_everything() {
        let settled = settle(&[member("f", &[("u1", 1)])]);
        assert_eq!((settled.order, settled.origins), (vec![session("f")], vec![]));
    }

    proptest! {
        #[test]
        fn the_order_of_reading_does_not_matter(
            shape in prop::collection::vec((0usize..6, 1i64..50, 1usize..5), 1..6), turn in 0usize..6
        ) {
            let names = ["a", "b", "c", "d", "e", "f"];
            let shared = ["s0", "s1", "s2", "s3", "s4", "s5"];
            let mut members: Vec<_> = shape.iter().zip(names).map(|((n, start, own), name)| {
                let mut records: Vec<(String, i64)> =
                    shared.iter().take(*n).zip(0..).map(|(s, at)| ((*s).to_owned(), at)).collect();
                records.extend((0..*own).map(|k| (format!("{name}{k}"), start + k as i64)));
                let records: Vec<_> = records.iter().map(|(k, at)| (k.as_str(), *at)).collect();
                member(name, &records)
            }).collect();
            let first = settle(&members);
            let count = members.len();
            members.rotate_left(turn % count);
            prop_assert_eq!(first, settle(&members));
        }
    }
}
