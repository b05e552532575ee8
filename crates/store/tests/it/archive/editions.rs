//! A rewritten source leaves an edition behind.

use crate::archive::bench::{Bench, FRAME, label, noise};
use taffrail_store::archive::{EDITIONS, Keeper, Permission, Volume};

#[test]
fn other_bytes_make_another_edition() {
    let check = |before: &[u8], after: &[u8]| {
        let mut bench = Bench::new();
        bench.keep(before);
        bench.keep(after);
        assert!(bench.editions() == [after, before]);
        let numbers = bench.archive.editions(label("a").address()).unwrap();
        assert_eq!(numbers.iter().map(Volume::edition).collect::<Vec<_>>(), [2, 1]);
    };
    check(b"abc", b"abd");
    check(b"abc", b"ab");
    check(b"abc", b"xbcdef");
    let long = noise(3 * FRAME, 1);
    check(&long, &long[..2 * FRAME]);
    check(&long, &long[..2 * FRAME - 1]);
    let mut other = long.clone();
    other[FRAME + 5] ^= 1;
    check(&long, &other);
    other.extend_from_slice(b"and more");
    check(&long, &other);
}

#[test]
fn a_source_that_grew_stays_in_its_edition() {
    let mut bench = Bench::new();
    let source = noise(2 * FRAME + 50, 2);
    for end in [1, 30, FRAME, FRAME + 1, source.len()] {
        bench.keep(&source[..end]);
        assert!(bench.editions() == [&source[..end]]);
    }
}

#[test]
fn equal_frames_are_taken_over_as_they_stand() {
    let mut bench = Bench::new();
    let mut source = noise(2 * FRAME + 50, 3);
    bench.keep(&source);
    let first = std::fs::read(bench.newest()).unwrap();
    source[2 * FRAME] ^= 1;
    bench.keep(&source);
    let second = std::fs::read(bench.newest()).unwrap();
    assert!(first[..2 * FRAME] == second[..2 * FRAME]);
}

#[test]
fn the_newest_editions_stay() {
    let mut bench = Bench::new();
    let sources: Vec<_> = (0..6_u8).map(|number| vec![number; 10]).collect();
    for source in &sources {
        bench.keep(source);
    }
    let newest: Vec<_> = sources.iter().rev().take(EDITIONS).cloned().collect();
    assert_eq!(bench.editions(), newest);
    assert_eq!(bench.volume().edition(), 6);
}

#[test]
fn a_pass_that_stops_early_takes_nothing_away() {
    let mut bench = Bench::new();
    bench.pass(0, b"abc", 1);
    bench.pass(3, b"abcdef", 1);
    let mut keeper = bench.keeper(0);
    keeper.bytes(0, b"abc").unwrap();
    keeper.flush(Permission::Keep).unwrap();
    drop(keeper);
    // The next pass continues there, in what turns out to be another source.
    let mut keeper = bench.keeper(3);
    keeper.bytes(3, b"xyz").unwrap();
    keeper.end(Permission::Keep).unwrap();
    assert_eq!(bench.editions(), [b"abcxyz", b"abcdef"]);
}

#[test]
fn a_source_of_which_nothing_came_changes_nothing() {
    let mut bench = Bench::new();
    bench.keeper(0).end(Permission::Keep).unwrap();
    assert!(bench.files().is_empty());
    bench.keep(b"abc");
    let before = bench.files();
    for cursor in [0, 2, 3, 9] {
        let mut keeper = bench.keeper(cursor);
        keeper.bytes(keeper.wants_from(), b"").unwrap();
        keeper.end(Permission::Keep).unwrap();
        assert_eq!(bench.files(), before);
    }
}

#[test]
fn a_new_locator_is_written_with_the_next_bytes() {
    let mut bench = Bench::new();
    bench.keep(b"abc");
    let mut renamed = label("a");
    renamed.locator = "toy://elsewhere".into();
    let mut keeper = Keeper::begin(&bench.archive, renamed.clone(), 3, &mut bench.packer).unwrap();
    keeper.bytes(3, b"def").unwrap();
    keeper.end(Permission::Keep).unwrap();
    assert_eq!(*bench.volume().label(), renamed);
    assert_eq!(bench.editions(), [b"abcdef"]);
}
