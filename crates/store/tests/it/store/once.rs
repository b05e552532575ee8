//! Several sources of one session, read in any order and in any pieces, yield each event once.

use crate::store::builder::{Desk, Piece, Said, View, all_said, piece, said, who};
use proptest::prelude::*;

/// The most passes in a row that a run makes because a source lost events.
const ROUNDS: usize = 3;

/// A source and its content over time.
#[derive(Debug, Clone)]
struct Replica {
    rank: u8,
    /// Its content after each rewrite.
    versions: Vec<Vec<Said>>,
    /// It is gone in the end.
    vanishes: bool,
}

#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "a handful of steps in a test")]
enum Step {
    Read(Piece),
    Vanish(String),
}

fn path(index: usize) -> String {
    format!("replica{index}")
}

impl Replica {
    fn pass(&self, index: usize, version: usize, size: usize) -> Vec<Piece> {
        let records = &self.versions[version];
        let begin = |offset: usize| {
            let piece = piece(&path(index), &who("s")).ranked(self.rank);
            let piece = if version > 0 { piece.again() } else { piece };
            piece.from(offset as u64 * 100)
        };
        let mut out: Vec<_> = records
            .chunks(size)
            .enumerate()
            .map(|(nth, part)| begin(nth * size).saying(part).unfinished())
            .collect();
        out.push(begin(records.len()));
        out
    }

    /// All changes to it, in order.
    fn steps(&self, index: usize, size: usize) -> Vec<Step> {
        let versions = 0..self.versions.len();
        let read = versions.flat_map(|version| self.pass(index, version, size)).map(Step::Read);
        let vanish = self.vanishes.then(|| Step::Vanish(path(index)));
        read.chain(vanish).collect()
    }

    /// Its final content, read from its start.
    fn last(&self, index: usize) -> Piece {
        let records = self.versions.last().unwrap();
        piece(&path(index), &who("s")).ranked(self.rank).again().saying(records)
    }
}

fn take(desk: &mut Desk, step: &Step) {
    match step {
        Step::Read(piece) => {
            desk.write(std::slice::from_ref(piece));
        }
        Step::Vanish(path) => {
            let id = desk.source(path).id;
            desk.settle(|writer| writer.vanish(&[id]).unwrap());
        }
    }
}

/// Reads the sources again that the writer asks for, as a run does.
fn converge(desk: &mut Desk, replicas: &[Replica]) {
    for _ in 0..ROUNDS {
        for (index, replica) in replicas.iter().enumerate() {
            let source = desk.source(&path(index));
            if source.present && source.half_read {
                desk.write(&[replica.last(index)]);
            }
        }
    }
}

/// An index that was built from the final state only.
fn clean(replicas: &[Replica]) -> Desk {
    let mut desk = Desk::new();
    for (index, replica) in replicas.iter().enumerate().filter(|(_, it)| !it.vanishes) {
        desk.write(&[replica.last(index)]);
    }
    desk
}

fn merged(mut lists: Vec<Vec<Step>>, choices: &[usize]) -> Vec<Step> {
    lists.iter_mut().for_each(|list| list.reverse());
    let mut out = Vec::new();
    for choice in choices.iter().cycle() {
        lists.retain(|list| !list.is_empty());
        if lists.is_empty() {
            return out;
        }
        let count = lists.len();
        out.extend(lists[choice % count].pop());
    }
    out
}

fn check(replicas: &[Replica], size: usize, choices: &[usize]) -> Result<(), TestCaseError> {
    let lists = replicas.iter().enumerate().map(|(index, it)| it.steps(index, size)).collect();
    let mut desk = Desk::new();
    for step in merged(lists, choices) {
        take(&mut desk, &step);
    }
    converge(&mut desk, replicas);
    let expected = clean(replicas);
    let is_there = replicas.iter().any(|it| !it.vanishes);
    let wanted: Vec<View> = if is_there { expected.view(&who("s")) } else { Vec::new() };
    prop_assert_eq!(desk.view(&who("s")), wanted);
    if replicas.iter().all(|it| !it.vanishes) {
        let counts = |desk: &Desk| {
            let row = desk.session(&who("s"));
            (row.turns, row.prompts, row.tool_calls, row.started_at, row.last_event_at)
        };
        prop_assert_eq!(counts(&desk), counts(&expected));
    }
    Ok(())
}

/// The content of one source: each record once, with its own text.
fn version(length: usize) -> impl Strategy<Value = Vec<Said>> {
    prop::collection::btree_map(0u32..8, 0u32..3, 0..length).prop_map(|records| {
        let one = |(key, text)| Said { text, ..said(key) };
        records.into_iter().map(one).collect()
    })
}

fn replicas(rewrites: usize) -> impl Strategy<Value = Vec<Replica>> {
    let versions = prop::collection::vec(version(8), 1..rewrites + 2);
    let one = (0u8..2, versions, prop::bool::weighted(0.2))
        .prop_map(|(rank, versions, vanishes)| Replica { rank, versions, vanishes });
    prop::collection::vec(one, 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn replicas_read_in_any_order_give_one_view(
        replicas in replicas(0), size in 1usize..5, choices in prop::collection::vec(0usize..6, 1..12)
    ) {
        check(&replicas, size, &choices)?;
    }

    #[test]
    fn rewritten_replicas_read_in_any_order_give_one_view(
        replicas in replicas(2), size in 1usize..5, choices in prop::collection::vec(0usize..6, 1..12)
    ) {
        check(&replicas, size, &choices)?;
    }

    #[test]
    fn half_a_pass_and_a_new_one_is_one_pass(
        before in version(8), after in version(8), read in 0usize..8, end in 0usize..3
    ) {
        let mut desk = Desk::new();
        desk.write(&[piece("a", &who("s")).saying(&before)]);
        let half = after.get(..read.min(after.len())).unwrap_or_default();
        let half = piece("a", &who("s")).again().saying(half).unfinished();
        match end {
            // The batch was never closed.
            0 => {
                desk.writer.begin().unwrap();
                desk.append(&half);
            }
            // The batch was closed and the pass was not.
            _ => {
                desk.write(&[half]);
                prop_assert!(desk.source("a").half_read);
            }
        }
        desk = desk.reopened();
        desk.write(&[piece("a", &who("s")).again().saying(&after)]);
        prop_assert!(!desk.source("a").half_read);
        let mut clean = Desk::new();
        clean.write(&[piece("a", &who("s")).saying(&after)]);
        prop_assert_eq!(desk.view(&who("s")), clean.view(&who("s")));
    }
}

#[test]
fn what_a_pass_from_the_start_does_not_meet_leaves_a_tombstone() {
    let mut desk = Desk::new();
    desk.write(&[piece("a", &who("s")).saying(&all_said(0..5))]);
    let changes = desk.write(&[
        piece("a", &who("s")).again().saying(&all_said(0..2)).unfinished(),
        piece("a", &who("s")).again().from(200).saying(&[said(4)]),
    ]);
    assert_eq!(changes, 2);
    assert_eq!(desk.live(&who("s")), [0, 1, 4]);
    assert_eq!(desk.session(&who("s")).sequence, 7);
}

#[test]
fn what_is_met_at_another_place_only_moves() {
    let mut desk = Desk::new();
    desk.write(&[piece("a", &who("s")).saying(&all_said(0..3))]);
    let changes = desk.write(&[piece("a", &who("s")).again().from(700).saying(&all_said(0..3))]);
    assert_eq!((changes, desk.session(&who("s")).sequence), (0, 3));
    let cursor = taffrail_model::Cursor::Bytes { byte_offset: 700, length: 99 };
    assert_eq!(desk.view(&who("s"))[0].cursor, cursor);
}
