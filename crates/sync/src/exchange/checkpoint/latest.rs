//! What a checkpoint holds of each session: pure.

use super::super::item::{Item, join};
use std::collections::BTreeMap;
use taffrail_model::replication::{Relayed, Says};
use taffrail_model::{EventId, SessionId, Timestamp};

/// The most bytes of a part, unless it holds one item.
const PART_BYTES: usize = 4 * 1024 * 1024;

/// An item with its number in the stream.
pub(super) type Numbered = (u64, Item);

/// What counts of the sessions of a stream.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct LatestItems {
    sessions: BTreeMap<SessionId, SessionItems>,
}

#[derive(Debug, Clone, PartialEq, Default)]
struct SessionItems {
    facts: Option<Numbered>,
    last: Option<LastEvent>,
    status: Option<Numbered>,
}

/// The latest event of a session.
#[derive(Debug, Clone, PartialEq)]
struct LastEvent {
    at: Timestamp,
    id: EventId,
    line: Numbered,
}

impl LatestItems {
    /// Takes up the next item of the stream.
    pub(super) fn take(&mut self, number: u64, item: &Item) {
        match item {
            Item::Line { session, line } => self.take_line(*session, line, (number, item)),
            Item::Status { session, .. } => {
                self.sessions.entry(*session).or_default().status = Some((number, item.clone()));
            }
            Item::Gone { .. }
            | Item::Request { .. }
            | Item::Settled { .. }
            | Item::Answer(_)
            | Item::Prompt { .. }
            | Item::Receipt { .. }
            | Item::Unknown(_) => {}
        }
    }

    fn take_line(&mut self, session: SessionId, line: &str, (number, item): (u64, &Item)) {
        let Some(relayed) = Relayed::read(line.as_bytes()) else { return };
        let numbered = || (number, item.clone());
        match relayed.says {
            Says::Facts(..) => {
                self.sessions.entry(session).or_default().facts = Some(numbered());
            }
            Says::Event(_, event) => {
                let known = self.sessions.entry(session).or_default();
                let is_last =
                    known.last.as_ref().is_none_or(|it| it.id == event.id || it.at <= event.at);
                if is_last {
                    known.last = Some(LastEvent { at: event.at, id: event.id, line: numbered() });
                }
            }
            Says::Removed(_, id) => {
                let known = self.sessions.entry(session).or_default();
                known.last.take_if(|it| it.id == id);
            }
            Says::Usage(..) => {}
            Says::Gone => drop(self.sessions.remove(&session)),
        }
    }

    /// The items that remain, in the order of the stream.
    pub(super) fn items(&self) -> Vec<Numbered> {
        let of = |it: &SessionItems| {
            let last = it.last.as_ref().map(|it| it.line.clone());
            [it.facts.clone(), last, it.status.clone()]
        };
        let mut all: Vec<_> = self.sessions.values().flat_map(of).flatten().collect();
        all.sort_by_key(|(number, _)| *number);
        all
    }
}

/// The contents of the parts of a checkpoint.
pub(super) fn parts(items: &[Numbered]) -> Vec<Vec<u8>> {
    let mut parts: Vec<Vec<Vec<u8>>> = Vec::new();
    let mut size = 0;
    for (number, item) in items {
        let mut line = format!("{number} ").into_bytes();
        line.extend_from_slice(&item.to_bytes());
        size += line.len() + 1;
        match parts.last_mut().filter(|_| size <= PART_BYTES) {
            Some(part) => part.push(line),
            None => {
                size = line.len() + 1;
                parts.push(vec![line]);
            }
        }
    }
    parts.iter().map(|part| join(part.iter().map(Vec::as_slice))).collect()
}

/// The items of a part; `None` if it is of another form.
pub(super) fn parse(part: &[u8]) -> Option<Vec<Numbered>> {
    let lines = part.split(|byte| *byte == b'\n');
    lines
        .map(|line| {
            let space = line.iter().position(|byte| *byte == b' ')?;
            let (number, item) = line.split_at_checked(space)?;
            let number = std::str::from_utf8(number).ok()?.parse().ok()?;
            Some((number, Item::parse(item.get(1..)?)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_model::replication::{RelayedEvent, RelayedFacts, RelayedStatus};
    use taffrail_model::status::Status;
    use taffrail_model::{AgentId, Confidence, Kind, Origin, RuntimeIdentity};

    fn who(id: &str) -> RuntimeIdentity {
        RuntimeIdentity::new(AgentId::new("toy"), "", id)
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn event(id: u8, second: i64) -> RelayedEvent {
        RelayedEvent {
            id: EventId::from_bytes([id; 16]),
            kind: Kind::from("user.prompt"),
            part: 0,
            at: at(second),
            turn: None,
            opens: false,
            ends: false,
            failed: false,
            parent: None,
            label: None,
            signal: None,
            confidence: Confidence::High,
            origin: Origin::from("transcript"),
            source_event_id: None,
            detail: serde_json::Map::new(),
            text: None,
            kept: false,
        }
    }

    fn line(id: &str, says: Says) -> Item {
        Item::Line { session: who(id).session(), line: Relayed { number: 1, says }.write() }
    }

    fn facts(id: &str, branch: &str) -> Item {
        let facts = RelayedFacts { branch: Some(branch.to_owned()), ..RelayedFacts::default() };
        line(id, Says::Facts(who(id), Box::new(facts)))
    }

    fn said(id: &str, event: RelayedEvent) -> Item {
        line(id, Says::Event(who(id), Box::new(event)))
    }

    fn status(id: &str, second: i64) -> Item {
        let status = RelayedStatus {
            status: Status::Running,
            since: at(second),
            at: at(second),
            confidence: Confidence::High,
            waiting_for: None,
            failure: None,
        };
        Item::Status { session: who(id).session(), status }
    }

    #[test]
    fn the_last_word_about_each_session_remains() {
        let check = |items: &[Item], expected: &[usize]| {
            let mut latest = LatestItems::default();
            (1..).zip(items).for_each(|(number, item)| latest.take(number, item));
            let expected: Vec<Numbered> =
                expected.iter().map(|at| (*at as u64 + 1, items[*at].clone())).collect();
            assert_eq!(latest.items(), expected);
            let parsed: Vec<Numbered> =
                parts(&expected).iter().flat_map(|it| parse(it).unwrap()).collect();
            assert_eq!(parsed, expected, "read as written");
        };
        let gone = line("a", Says::Gone);
        let removed = line("a", Says::Removed(who("a"), EventId::from_bytes([2; 16])));
        check(&[], &[]);
        check(&[facts("a", "1"), said("a", event(1, 5)), facts("a", "2")], &[1, 2]);
        check(&[said("a", event(1, 5)), said("a", event(2, 4))], &[0]);
        check(&[said("a", event(1, 5)), said("a", event(1, 4))], &[1]);
        check(&[facts("a", "1"), said("a", event(2, 5)), removed], &[0]);
        check(&[status("a", 1), facts("b", "1"), status("a", 2), status("b", 1)], &[1, 2, 3]);
        check(&[facts("a", "1"), status("a", 1), gone, facts("b", "1")], &[3]);
        check(&[Item::Unknown("x".to_owned()), Item::Gone { session: who("a").session() }], &[]);
    }

    #[test]
    fn a_part_of_another_form_is_not_read() {
        for bad in [&b""[..], b"12", b"x {}", b"1 {}\n", b"-1 {}"] {
            assert_eq!(parse(bad), None, "{bad:?}");
        }
        assert_eq!(parts(&[]), Vec::<Vec<u8>>::new());
    }

    #[test]
    fn what_is_much_has_several_parts() {
        let items: Vec<Numbered> =
            (1..12).map(|n| (n, Item::Unknown("x".repeat(1024 * 1024)))).collect();
        let parts = parts(&items);
        assert_eq!(parts.len(), 4);
        assert!(parts.iter().all(|it| it.len() <= PART_BYTES));
        let parsed: Vec<Numbered> = parts.iter().flat_map(|it| parse(it).unwrap()).collect();
        assert_eq!(parsed, items);
    }
}
