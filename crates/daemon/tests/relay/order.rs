//! Whatever the order of hearing, and however often: the same bytes, the same view.

use super::all;
use super::machine::{Machine, recordings};
use proptest::prelude::*;
use std::collections::BTreeMap;
use taffrail_model::relay::{FOLDER, Item};
use taffrail_testkit::{Chance, check_same};

/// What was heard, file by file.
fn kept(machine: &Machine) -> BTreeMap<String, Vec<u8>> {
    let folder = machine.path(FOLDER).join("laptop");
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .map(|it| {
            (it.file_name().to_string_lossy().into_owned(), std::fs::read(it.path()).unwrap())
        })
        .collect()
}

/// Everything one device told while its sessions grew, one was taken back and told again.
fn told() -> Vec<Item> {
    let here = Machine::new("laptop");
    here.say("s1", &["one", "two", "three"]);
    here.say("s2", &["four"]);
    here.index();
    let mut items = here.tell_all(&all(true));
    here.say("s1", &["five", "six"]);
    here.index();
    items.extend(here.tell_all(&all(true)));
    // Texts are taken back: both sessions go, and are told anew without them.
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
        there.hear("laptop", &items);
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
            other.hear("laptop", piece);
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
            assert_eq!(there.hear("laptop", piece).lines, piece.len() as u64);
            there.index();
        }
        check_same(&format!("{recording:?}"), &there.view(true), &here.view(true));
        assert_eq!(there.hear("laptop", &items).lines, 0, "twice is once");
    }
}

#[test]
fn a_line_torn_by_a_crash_is_heard_again() {
    let [here, there] = ["laptop", "tower"].map(Machine::new);
    here.say("s1", &["one", "two", "three"]);
    here.index();
    let items = here.tell_all(&all(true));
    there.hear("laptop", &items);
    let wanted = kept(&there);
    let (name, bytes) = wanted.iter().next().unwrap();
    let path = there.path(FOLDER).join("laptop").join(name);
    for end in [bytes.len() - 1, bytes.len() - 40, 1, 0] {
        std::fs::write(&path, &bytes[..end]).unwrap();
        there.hear("laptop", &items);
        assert_eq!(kept(&there), wanted, "cut at {end}");
    }
}
