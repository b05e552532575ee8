//! Whatever the order and number of deliveries: the same bytes, the same view.

use super::all;
use super::machine::{Machine, recordings};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use taffrail_devices::replication::Item;
use taffrail_model::replication::FOLDER;
use taffrail_testkit::{Chance, check_same};

/// The received files.
fn kept(machine: &Machine) -> BTreeMap<String, Vec<u8>> {
    let folder = machine.path(FOLDER).join("laptop");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|it| {
            (it.file_name().to_string_lossy().into_owned(), std::fs::read(it.path()).unwrap())
        })
        .collect()
}

/// Everything one device published while its sessions grew, and one was withdrawn and published
/// again.
fn told() -> Vec<Item> {
    let here = Machine::new("laptop");
    here.say("s1", &["one", "two", "three"]);
    here.say("s2", &["four"]);
    here.index();
    let mut items = here.tell_all(&all(true));
    here.say("s1", &["five", "six"]);
    here.index();
    items.extend(here.tell_all(&all(true)));
    // Texts are withdrawn: both sessions go, and are published again without them.
    items.extend(here.tell_all(&all(false)));
    here.say("s2", &["seven"]);
    here.index();
    items.extend(here.tell_all(&all(false)));
    items
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_order_and_any_repetition_come_to_the_same(
        seed in any::<u64>(), size in 1usize..9, twice in 0usize..30
    ) {
        let items = told();
        let there = Machine::new("tower");
        there.apply("laptop", &items);
        let wanted = kept(&there);
        prop_assert_eq!(wanted.len(), 4, "two sessions, each taken back once");
        let mut mixed = items.clone();
        mixed.extend(items.iter().cycle().take(twice).cloned());
        let mut chance = Chance::new(seed);
        for at in (1..mixed.len()).rev() {
            mixed.swap(at, chance.below(at + 1));
        }
        let other = Machine::new("tower");
        for piece in mixed.chunks(size) {
            other.apply("laptop", piece);
        }
        prop_assert_eq!(kept(&other), wanted);
    }
}

#[test]
fn hearing_piece_by_piece_shows_the_same() {
    for recording in recordings() {
        let [here, there] = ["laptop", "tower"].map(Machine::new);
        here.lay(&recording);
        here.index();
        let items = here.tell_all(&all(true));
        for piece in items.chunks(7) {
            assert_eq!(there.apply("laptop", piece).lines, piece.len() as u64);
            there.index();
        }
        check_same(&format!("{recording:?}"), &there.view(true), &here.view(true));
        assert_eq!(there.apply("laptop", &items).lines, 0, "twice is once");
    }
}

/// As after a checkpoint: the last facts and the last event of each session come first, and then the
/// history from its end to its beginning.
#[test]
fn what_comes_backwards_behind_the_latest_lines_shows_the_same() {
    for recording in recordings() {
        let [here, there] = ["laptop", "tower"].map(Machine::new);
        here.lay(&recording);
        here.index();
        let items = here.tell_all(&all(true));
        let mut latest = BTreeMap::new();
        for (number, item) in (1..).zip(&items) {
            let Item::Line { session, line } = item else { continue };
            let is_facts = line.contains("\"facts\":");
            if is_facts || line.contains("\"event\":") {
                latest.insert((*session, is_facts), (number, item.clone()));
            }
        }
        for (number, item) in latest.values() {
            there.apply_from(("laptop", 1, *number), std::slice::from_ref(item));
        }
        there.index();
        let ids = |it: &Machine| it.sessions().iter().map(|it| it.id).collect::<BTreeSet<_>>();
        assert_eq!(ids(&there), ids(&here), "{recording:?}: every session is listed");
        for (part, piece) in items.chunks(7).enumerate().rev() {
            there.apply_from(("laptop", 1, part as u64 * 7 + 1), piece);
            there.index();
        }
        check_same(&format!("{recording:?}"), &there.view(true), &here.view(true));
    }
}

#[test]
fn a_line_torn_by_a_crash_is_heard_again() {
    let [here, there] = ["laptop", "tower"].map(Machine::new);
    here.say("s1", &["one", "two", "three"]);
    here.index();
    let items = here.tell_all(&all(true));
    there.apply("laptop", &items);
    let wanted = kept(&there);
    let (name, bytes) = wanted.iter().next().unwrap();
    let path = there.path(FOLDER).join("laptop").join(name);
    for end in [bytes.len() - 1, bytes.len() - 40, 1, 0] {
        std::fs::write(&path, &bytes[..end]).unwrap();
        there.apply("laptop", &items);
        assert_eq!(kept(&there), wanted, "cut at {end}");
    }
}

/// A restored device reuses numbers, and publishes in another life of its stream: no line of either
/// life is lost, whatever the order of arrival.
#[test]
fn lines_are_lost_when_a_device_is_restored_twice() {
    let [here, there, late] = ["laptop", "tower", "tower"].map(Machine::new);
    here.say("s1", &["one", "two", "three"]);
    here.index();
    let mut lives = vec![(1, 1, here.tell_all(&all(true)))];
    let backup = here.backup();
    here.say("s1", &["four", "five"]);
    here.index();
    let next = lives[0].2.len() as u64 + 1;
    lives.push((1, next, here.tell_all(&all(true))));
    for (life, text) in [(2, "six"), (3, "seven")] {
        here.restore(&backup);
        here.tell_anew();
        here.say("s1", &[text, &format!("{text} again")]);
        here.index();
        lives.push((life, 1, here.tell_all(&all(true))));
    }
    let wanted = here.view(true);
    for (life, first, items) in &lives {
        there.apply_from(("laptop", *life, *first), items);
        there.index();
    }
    check_same("in order", &there.view(true), &wanted);
    for (life, first, items) in lives.iter().rev().chain(&lives) {
        late.apply_from(("laptop", *life, *first), items);
        late.index();
    }
    check_same("in any order, and twice", &late.view(true), &wanted);
    assert_eq!(kept(&late), kept(&there));
}

/// A device that runs twice writes two lives of its stream at once.
#[test]
fn an_event_of_each_session_is_lost_while_a_device_runs_twice() {
    let [one, there] = ["laptop", "tower"].map(Machine::new);
    one.say("s1", &["one"]);
    one.index();
    there.apply_from(("laptop", 1, 1), &one.tell_all(&all(true)));
    let backup = one.backup();
    let other = Machine::new("laptop");
    other.restore(&backup);
    other.say("s1", &["one"]);
    other.tell_anew();
    let (mut at_one, mut at_other) = (100, 1);
    for round in 0..3 {
        one.say("s1", &[&format!("here {round}")]);
        other.say("s2", &[&format!("elsewhere {round}")]);
        one.index();
        other.index();
        let (first, second) = (one.tell_all(&all(true)), other.tell_all(&all(true)));
        there.apply_from(("laptop", 1, at_one), &first);
        there.apply_from(("laptop", 2, at_other), &second);
        (at_one, at_other) = (at_one + first.len() as u64, at_other + second.len() as u64);
    }
    there.index();
    let view = there.view(true).join("\n");
    for text in ["here 0", "here 1", "here 2", "elsewhere 0", "elsewhere 1", "elsewhere 2"] {
        assert!(view.contains(text), "{text}");
    }
}

/// Files from before lives were known are read as before, and can be extended.
#[test]
fn lines_that_were_kept_without_their_life_still_stand() {
    let [here, there] = ["laptop", "tower"].map(Machine::new);
    here.say("s1", &["one", "two"]);
    here.index();
    let first = here.tell_all(&all(true));
    there.apply("laptop", &first);
    here.say("s1", &["three"]);
    here.index();
    let second = here.tell_all(&all(true));
    there.apply_from(("laptop", 1, first.len() as u64 + 1), &second);
    there.index();
    check_same("an older file", &there.view(true), &here.view(true));
    // A withdrawal removes both.
    here.forget(&here.sessions()[0]);
    there.apply_from(("laptop", 1, 100), &here.tell_all(&all(true)));
    assert_eq!(there.apply("laptop", &first).lines, 0, "it was taken back");
}

/// A publish that was in progress when everything had to be published again is not recorded.
#[test]
fn what_is_told_while_a_new_life_begins_hides_the_rest_of_it() {
    let here = Machine::new("laptop");
    here.say("s1", &["one", "two"]);
    here.say("s2", &["three"]);
    here.index();
    here.tell_all(&all(true));
    here.say("s2", &["four"]);
    here.index();
    let settings = taffrail_context::Settings { sync: all(true), ..here.settings() };
    let told = taffrail_devices::replication::outgoing(&settings, 1000).unwrap();
    here.tell_anew();
    assert!(!taffrail_devices::replication::note_published(&settings, &told).unwrap());
    let again = here.tell_all(&all(true));
    let text = format!("{again:?}");
    for word in ["one", "two", "three", "four"] {
        assert!(text.contains(word), "{word} is published again");
    }
}
