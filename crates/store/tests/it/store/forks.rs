//! Shared records are counted once, and have the same owner in any order of reading.

use crate::store::builder::{Desk, Piece, Said, copying, key_of, piece, said, who};
use proptest::prelude::*;
use taffrail_model::{Facts, Lineage, LineageKind, SessionId, Tokens};

const NAMES: [&str; 4] = ["p", "f", "g", "h"];

/// The result for one session of the family.
type Settled = (u64, Option<Lineage>, Inherited);

/// The records of a session, each with the session it was copied from.
type Inherited = Vec<(u32, Option<SessionId>)>;

fn settled(desk: &Desk, name: &str) -> Settled {
    let row = desk.session(&who(name));
    let events = desk.events(&who(name));
    let inherited = events.iter().map(|it| (key_of(it), it.inherited_from)).collect();
    (row.tokens.output, row.lineage, inherited)
}

/// A session that copies `shared` records and continues with its own, each costing its second.
fn member(name: &str, shared: std::ops::Range<u32>, own: &[Said]) -> Vec<Piece> {
    let records: Vec<Said> = shared.map(said).chain(own.iter().copied()).collect();
    let one = |(nth, record): (usize, &Said)| {
        piece(name, &who(name))
            .knowing(copying("family"))
            .from(nth as u64 * 100)
            .saying(&[*record])
            .spending(&format!("u{}", record.key), record.second, 100 + u64::from(record.key))
    };
    records.iter().enumerate().map(one).collect()
}

fn fork_of(origin: &str) -> Facts {
    Facts { forked_from: Some(who(origin)), ..copying("family") }
}

fn total(desk: &Desk, names: &[&str]) -> u64 {
    names.iter().map(|name| desk.session(&who(name)).tokens.output).sum()
}

#[test]
fn the_larger_snapshot_of_an_answer_wins_in_any_order() {
    let check = |order: [u64; 3]| {
        let mut desk = Desk::new();
        for output in order {
            desk.write(&[piece("a", &who("s")).spending("u", 5, output).spending("v", 6, 1)]);
        }
        let tokens = desk.session(&who("s")).tokens;
        assert_eq!(tokens, Tokens { output: 31, input: 2, ..Tokens::default() }, "{order:?}");
    };
    check([10, 20, 30]);
    check([30, 20, 10]);
    check([20, 30, 10]);
    check([30, 30, 30]);
}

#[test]
fn a_session_alone_owns_everything() {
    let mut desk = Desk::new();
    desk.write(&member("f", 0..3, &[said(20)]));
    let (output, lineage, inherited) = settled(&desk, "f");
    assert_eq!((output, lineage), (100 + 101 + 102 + 120, None));
    assert!(inherited.iter().all(|(_, from)| from.is_none()));
}

#[test]
fn what_a_fork_copied_belongs_to_its_parent() {
    let parent = member("p", 0..4, &[said(10)]);
    let fork = member("f", 0..4, &[said(20)]);
    let check = |batches: Vec<Vec<Piece>>| {
        let mut desk = Desk::new();
        for batch in &batches {
            desk.write(batch);
        }
        let from = Some(who("p").session());
        let lineage = Lineage { kind: LineageKind::Fork, session_id: who("p").session() };
        let inherited = vec![(0, from), (1, from), (2, from), (3, from), (20, None)];
        assert_eq!(settled(&desk, "f"), (120, Some(lineage), inherited));
        assert_eq!(settled(&desk, "p").0, 100 + 101 + 102 + 103 + 110);
        assert_eq!(settled(&desk, "p").1, None);
        assert_eq!(total(&desk, &["p", "f"]), 100 + 101 + 102 + 103 + 110 + 120);
    };
    let one_by_one = |pieces: &[Piece]| pieces.iter().map(|it| vec![it.clone()]).collect();
    check(vec![parent.clone(), fork.clone()]);
    check(vec![fork.clone(), parent.clone()]);
    check(vec![[fork.clone(), parent.clone()].concat()]);
    check(one_by_one(&[parent.clone(), fork.clone()].concat()));
    check(one_by_one(&[fork, parent].concat()));
}

#[test]
fn an_origin_the_agent_names_comes_first_even_if_it_is_younger() {
    // By age alone `f` would own the shared records.
    let origin = member("p", 0..2, &[said(90)]);
    let fork: Vec<_> = member("f", 0..2, &[said(20)])
        .into_iter()
        .map(|piece| piece.knowing(fork_of("p")))
        .collect();
    let check = |batches: [&[Piece]; 2]| {
        let mut desk = Desk::new();
        for batch in batches {
            desk.write(batch);
        }
        assert_eq!(settled(&desk, "f").0, 120);
        assert_eq!(settled(&desk, "p").0, 100 + 101 + 190);
        let lineage = Lineage { kind: LineageKind::Fork, session_id: who("p").session() };
        assert_eq!((settled(&desk, "f").1, settled(&desk, "p").1), (Some(lineage), None));
    };
    check([&origin, &fork]);
    check([&fork, &origin]);
}

#[test]
fn the_oldest_of_a_family_is_no_ones_fork() {
    let of = |name: &str, keys: &[u32]| {
        let records: Vec<_> = keys.iter().map(|key| said(*key)).collect();
        piece(name, &who(name)).knowing(copying("family")).saying(&records)
    };
    // `f` looks older until `g`, which holds the same early record, is read.
    let mut desk = Desk::new();
    desk.write(&[of("p", &[1, 10])]);
    desk.write(&[of("f", &[1, 5, 20])]);
    assert!(desk.session(&who("p")).lineage.is_some());
    desk.write(&[of("g", &[1, 5, 30])]);
    assert_eq!(desk.session(&who("p")).lineage, None);
}

/// How much of a common history each session copied, and when it continued by itself.
fn families() -> impl Strategy<Value = Vec<Vec<Piece>>> {
    let one = (0u32..5, prop::collection::vec(0i64..60, 1..4));
    prop::collection::vec(one, 2..5).prop_map(|members| {
        let made = members.into_iter().zip(NAMES).zip(1u32..).map(|((member_of, name), nth)| {
            let (shared, seconds) = member_of;
            let own = |(second, key)| Said { second: 100 + second, ..said(key) };
            let own: Vec<_> = seconds.into_iter().zip(nth * 100..).map(own).collect();
            member(name, 0..shared, &own)
        });
        made.collect()
    })
}

fn everything(desk: &Desk, count: usize) -> Vec<Settled> {
    NAMES.iter().take(count).map(|name| settled(desk, name)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn whole_sessions_read_in_any_order_settle_alike(
        family in families(), order in Just(vec![0usize, 1, 2, 3]).prop_shuffle(), together in any::<bool>()
    ) {
        let mut first = Desk::new();
        first.write(&family.concat());
        let mut second = Desk::new();
        let shuffled: Vec<_> = order.iter().filter_map(|index| family.get(*index)).collect();
        if together {
            second.write(&shuffled.into_iter().flatten().cloned().collect::<Vec<_>>());
        } else {
            shuffled.into_iter().for_each(|pieces| { second.write(pieces); });
        }
        prop_assert_eq!(everything(&first, family.len()), everything(&second, family.len()));
    }

    #[test]
    fn sessions_read_in_pieces_settle_alike(
        family in families(), choices in prop::collection::vec(0usize..4, 1..16)
    ) {
        let mut first = Desk::new();
        first.write(&family.concat());
        let mut second = Desk::new();
        let mut left: Vec<Vec<Piece>> = family.clone();
        left.iter_mut().for_each(|pieces| pieces.reverse());
        for choice in choices.iter().cycle() {
            left.retain(|pieces| !pieces.is_empty());
            let count = left.len();
            let Some(pieces) = left.get_mut(choice.checked_rem(count).unwrap_or(0)) else { break };
            let piece = pieces.pop();
            second.write(piece.as_slice());
        }
        prop_assert_eq!(everything(&first, family.len()), everything(&second, family.len()));
    }

    #[test]
    fn what_a_family_spent_is_counted_once(family in families()) {
        let mut desk = Desk::new();
        let mut spent = std::collections::BTreeMap::new();
        for pieces in &family {
            desk.write(pieces);
            for (_, usage) in pieces.iter().flat_map(|it| it.clone().made().usage) {
                spent.insert(usage.key, usage.tokens.output);
            }
        }
        let names: Vec<_> = NAMES.iter().take(family.len()).copied().collect();
        prop_assert_eq!(total(&desk, &names), spent.values().sum::<u64>());
    }
}
