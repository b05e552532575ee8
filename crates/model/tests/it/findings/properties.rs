//! Invariants of findings for any events in any order.

use crate::findings::kit::{Said, Stands, Tale, at};
use proptest::prelude::*;
use taffrail_model::findings::{Fold, NOTES, Thresholds};
use taffrail_model::{Origin, Signal};

fn step(tale: Tale, choice: u8) -> Tale {
    match choice {
        0 => tale.prompt("go on"),
        1 => tale.run("cargo test", 1, "test a ... FAILED"),
        2 => tale.run("cargo test", 0, "ok"),
        3 => tale.edit("a", "x", "y"),
        4 => tale.edit("a", "y", "x"),
        5 => tale.run("./x", 1, "no"),
        6 => tale.run("git merge m", 1, "CONFLICT (content): x"),
        7 => tale.fails("rate_limit", "429", Some(true)),
        8 => tale.fails("server_error", "", None),
        9 => tale.done("done"),
        10 => tale.interrupted(),
        11 => tale.run("x.py", 1, "No module named 'y'"),
        12 => tale.live(Origin::Hook, Signal::TurnOver, ""),
        13 => tale.live(Origin::Process, Signal::Died, ""),
        14 => tale.asks_approval("rm -rf x"),
        _ => tale.folds(100).later(100),
    }
}

fn tales(longest: usize) -> impl Strategy<Value = Tale> {
    let choices = prop::collection::vec(0u8..16, 0..longest);
    choices.prop_map(|all| all.into_iter().fold(Tale::new(), step))
}

fn fold<'a>(said: impl IntoIterator<Item = &'a Said>) -> Fold {
    let mut fold = Fold::default();
    said.into_iter().for_each(|it| fold.take(&it.heard()));
    fold
}

proptest! {
    #[test]
    fn twice_is_once(tale in tales(60)) {
        prop_assert_eq!(fold(tale.said.iter().chain(&tale.said)), fold(&tale.said));
    }

    #[test]
    fn replay_equals_live(tale in tales(60), order in any::<u64>()) {
        let mut said: Vec<&Said> = tale.said.iter().collect();
        said.sort_by_key(|it| it.number.wrapping_mul(order | 1) ^ (order >> 7));
        prop_assert_eq!(fold(said), fold(&tale.said));
    }

    #[test]
    fn any_cut_is_silence(tale in tales(60), cut in 0usize..200, from in 0usize..200) {
        let stands = Stands::running();
        let (from, cut) = (from.min(tale.said.len()), cut.min(tale.said.len()));
        let part = fold(tale.said.iter().skip(from).take(cut));
        for finding in part.findings(&stands.standing(), at(tale.second), &Thresholds::default()) {
            prop_assert!(!finding.says.is_empty());
            prop_assert!(finding.since <= at(tale.second));
        }
    }

    #[test]
    fn what_is_long_past_does_not_count(tale in tales(300), more in tales(20)) {
        let mut later = more.said;
        let first = tale.said.len() as u64;
        for it in &mut later {
            it.number += first;
            it.at = at(it.at.as_second() - at(0).as_second() + tale.second);
        }
        let whole = fold(tale.said.iter().chain(&later));
        let parted = fold(tale.said.iter().rev().take(NOTES).rev().chain(&later));
        prop_assert_eq!(whole, parted);
    }

    #[test]
    fn time_brings_only_what_was_foretold(tale in tales(40), wait in 0i64..2000) {
        let (stands, thresholds) = (Stands::running(), Thresholds::default());
        let (fold, begun) = (fold(&tale.said), at(tale.second));
        let standing = stands.standing();
        let until = fold.until(&standing, begun, &thresholds);
        let then = at(tale.second + wait);
        if until.is_none_or(|it| then < it) {
            let (now, then) = (fold.findings(&standing, begun, &thresholds), fold.findings(&standing, then, &thresholds));
            prop_assert_eq!(now, then);
        }
    }
}
