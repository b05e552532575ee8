//! However a source grows and whatever a crash leaves, the copy ends up the same.

use crate::archive::bench::{Bench, FRAME, feed, label, noise};
use proptest::prelude::*;
use taffrail_store::archive::{Keeper, Permission};

/// A change to a source or its copy. Positions are fractions of a length.
#[derive(Debug, Clone)]
enum Step {
    /// The source grew.
    Grow(Vec<u8>),
    /// The source changed from here on.
    Rewrite(f64, Vec<u8>),
    /// The source ends here.
    Shrink(f64),
    /// The file was torn here.
    Tear(f64),
    /// A pass stopped here, after its frames were written.
    Stop(f64),
}

fn steps() -> impl Strategy<Value = Vec<(Step, f64)>> {
    let bytes = || prop::collection::vec(any::<u8>(), 1..300);
    let share = || 0.0..=1.0_f64;
    let step = prop_oneof![
        4 => bytes().prop_map(Step::Grow),
        1 => (share(), bytes()).prop_map(|(at, bytes)| Step::Rewrite(at, bytes)),
        1 => share().prop_map(Step::Shrink),
        3 => share().prop_map(Step::Tear),
        1 => share().prop_map(Step::Stop),
    ];
    prop::collection::vec((step, share()), 1..12)
}

fn part(length: usize, share: f64) -> usize {
    ((length as f64) * share) as usize
}

/// Applies the step and returns the length up to which the source is unchanged.
fn make(bench: &mut Bench, source: &mut Vec<u8>, step: &Step) -> usize {
    match step {
        Step::Grow(bytes) => {
            let same = source.len();
            source.extend_from_slice(bytes);
            same
        }
        Step::Rewrite(at, bytes) => {
            source.truncate(part(source.len(), *at));
            let same = source.len();
            source.extend_from_slice(bytes);
            same
        }
        Step::Shrink(at) => {
            source.truncate(part(source.len(), *at).max(1));
            0
        }
        Step::Tear(at) => {
            let edition = bench.volume().edition();
            let file = std::fs::File::options().write(true).open(bench.newest()).unwrap();
            let length = file.metadata().unwrap().len();
            file.set_len(part(length as usize, *at) as u64).unwrap();
            assert!(is_a_beginning(bench, edition, source));
            source.len()
        }
        Step::Stop(at) => {
            let mut keeper = bench.keeper(0);
            feed(&mut keeper, &source[..part(source.len(), *at)], 7);
            keeper.flush(Permission::Keep).unwrap();
            source.len()
        }
    }
}

/// The rest of a torn edition is a prefix of the source.
fn is_a_beginning(bench: &Bench, edition: u32, source: &[u8]) -> bool {
    let editions = bench.archive.editions(label("a").address()).unwrap().into_iter();
    let mut torn = editions.filter(|volume| volume.edition() == edition);
    torn.all(|mut volume| source.starts_with(&volume.whole().unwrap()))
}

proptest! {
    #[test]
    fn the_copy_is_the_source_whatever_happened(
        first in prop::collection::vec(any::<u8>(), 1..300),
        steps in steps(),
        slice in 1_usize..400,
        reads in prop::collection::vec((0_usize..900, 0_usize..400), 20),
    ) {
        let mut bench = Bench::new();
        let mut source = first;
        bench.keep(&source);
        for (step, cursor) in steps {
            let same = make(&mut bench, &mut source, &step);
            bench.pass(part(same, cursor), &source, slice);
            let mut volume = bench.volume();
            prop_assert_eq!(volume.covered_to(), source.len() as u64);
            prop_assert_eq!(&volume.whole().unwrap(), &source);
            for (offset, length) in &reads {
                let expected = source.get(*offset..offset + length);
                let got = volume.range(*offset as u64, *length).ok();
                prop_assert!(*length == 0 || got.as_deref() == expected);
            }
            let packed = std::fs::read(bench.newest()).unwrap();
            prop_assert_eq!(zstd::decode_all(packed.as_slice()).unwrap(), source.as_slice());
            prop_assert!(bench.files().len() <= 3);
        }
    }
}

#[test]
fn reading_the_same_again_writes_nothing() {
    let mut bench = Bench::new();
    let source = noise(2 * FRAME + 100, 1);
    bench.pass(0, &source[..FRAME + 7], 5000);
    bench.pass(FRAME + 7, &source, 5000);
    let before = bench.files();
    for (cursor, slice) in [(0, 999), (5, FRAME), (FRAME, 1 << 22), (source.len(), 1)] {
        bench.pass(cursor, &source, slice);
        assert!(bench.files() == before, "{cursor}");
    }
}

#[test]
fn frames_are_full_where_the_source_is_long() {
    let mut bench = Bench::new();
    let source = noise(3 * FRAME + 1, 2);
    bench.pass(0, &source, 3000);
    let mut volume = bench.volume();
    assert!(volume.whole().unwrap() == source);
    assert!(volume.range(FRAME as u64 - 3, FRAME + 6).unwrap() == source[FRAME - 3..][..FRAME + 6]);
    let mut read = Vec::new();
    std::io::Read::read_to_end(&mut volume.reader(), &mut read).unwrap();
    assert!(read == source);
    // A frame header has 48 bytes, and noise compresses to itself plus a few bytes.
    let overhead = std::fs::metadata(bench.file()).unwrap().len() as usize - source.len();
    assert!(overhead < 1000, "{overhead}");
}

#[test]
fn what_is_kept_already_is_not_asked_for() {
    let mut bench = Bench::new();
    let check = |bench: &mut Bench, cursor: u64, wants: u64| {
        assert_eq!(bench.keeper(cursor).wants_from(), wants, "{cursor}");
    };
    check(&mut bench, 70, 0);
    bench.pass(0, &[1; 40], 7);
    bench.pass(40, &[1; 100], 7);
    for (cursor, wants) in [(0, 0), (39, 0), (40, 40), (99, 40), (100, 100), (170, 100)] {
        check(&mut bench, cursor, wants);
    }
}

#[test]
fn nothing_is_written_before_it_is_allowed() {
    let mut bench = Bench::new();
    let source = noise(FRAME + 9, 3);
    let mut keeper = bench.keeper(0);
    feed(&mut keeper, &source, 4000);
    drop(keeper);
    assert!(bench.files().is_empty());
    let mut keeper = bench.keeper(0);
    feed(&mut keeper, &source, 4000);
    keeper.flush(Permission::Keep).unwrap();
    assert_eq!(bench.volume().covered_to(), FRAME as u64);
}

#[test]
fn what_is_refused_goes_whole_and_stays_away() {
    let mut bench = Bench::new();
    bench.keep(b"one");
    bench.keep(b"two");
    let mut other = Keeper::begin(&bench.archive, label("b"), 0, &mut bench.packer).unwrap();
    other.bytes(0, b"of another source").unwrap();
    other.end(Permission::Keep).unwrap();
    let mut keeper = bench.keeper(0);
    keeper.bytes(0, b"two and more").unwrap();
    keeper.flush(Permission::Refuse).unwrap();
    keeper.bytes(12, b"and even more").unwrap();
    keeper.flush(Permission::Keep).unwrap();
    keeper.end(Permission::Keep).unwrap();
    assert_eq!(bench.editions(), [[0; 0]; 0]);
    let listing = bench.archive.all().unwrap();
    assert_eq!(listing.entries.into_iter().map(|it| it.label.path).collect::<Vec<_>>(), ["b"]);
    bench.keep(b"two");
    let keeper = bench.keeper(3);
    keeper.end(Permission::Refuse).unwrap();
    assert_eq!(bench.editions(), [[0; 0]; 0]);
}
