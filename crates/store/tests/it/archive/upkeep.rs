//! Moved sources and many small frames.

use crate::archive::bench::{Bench, FRAME, label, noise};
use taffrail_store::archive::{Keeper, Label, Permission};

fn keep(bench: &mut Bench, label: &Label, source: &[u8]) {
    let mut keeper = Keeper::begin(&bench.archive, label.clone(), 0, &mut bench.packer).unwrap();
    keeper.bytes(0, source).unwrap();
    keeper.end(Permission::Keep).unwrap();
}

fn editions(bench: &Bench, label: &Label) -> Vec<Vec<u8>> {
    let editions = bench.archive.editions(label.address()).unwrap().into_iter();
    let whole = |mut volume: taffrail_store::archive::Volume| {
        assert_eq!(volume.label(), label);
        volume.whole().unwrap()
    };
    editions.map(whole).collect()
}

#[test]
fn every_edition_follows_a_moved_source() {
    let mut bench = Bench::new();
    let (from, to) = (label("a"), label("b"));
    keep(&mut bench, &from, b"one");
    keep(&mut bench, &from, b"two");
    bench.archive.relabel(from.address(), &to).unwrap();
    assert_eq!(editions(&bench, &from), [[0; 0]; 0]);
    assert_eq!(editions(&bench, &to), [b"two", b"one"]);
    let packed = std::fs::read(bench.files().into_keys().last().unwrap()).unwrap();
    assert_eq!(zstd::decode_all(packed.as_slice()).unwrap(), b"two");
    // It continues as if it had always been there.
    keep(&mut bench, &to, b"two and more");
    assert_eq!(editions(&bench, &to), [b"two and more".as_slice(), b"one"]);
    bench.archive.relabel(from.address(), &to).unwrap();
    assert_eq!(editions(&bench, &to).len(), 2);
}

#[test]
fn what_was_kept_at_the_new_address_is_newer() {
    let mut bench = Bench::new();
    let (from, to) = (label("a"), label("b"));
    for source in [b"1", b"2", b"3"] {
        keep(&mut bench, &from, source);
    }
    keep(&mut bench, &to, b"4");
    bench.archive.relabel(from.address(), &to).unwrap();
    assert_eq!(editions(&bench, &to), [b"4", b"3", b"2"]);
    assert_eq!(bench.files().len(), 3);
}

#[test]
fn a_label_may_change_in_place() {
    let mut bench = Bench::new();
    keep(&mut bench, &label("a"), b"one");
    let mut renamed = label("a");
    renamed.locator = "toy://elsewhere".into();
    bench.archive.relabel(renamed.address(), &renamed).unwrap();
    assert_eq!(editions(&bench, &renamed), [b"one"]);
    let before = bench.files();
    bench.archive.relabel(renamed.address(), &renamed).unwrap();
    assert_eq!(bench.files(), before);
}

#[test]
fn a_move_that_was_cut_short_is_finished() {
    for occupied in [false, true] {
        let mut bench = Bench::new();
        let (from, to) = (label("a"), label("b"));
        keep(&mut bench, &from, b"one");
        let old_path = bench.file();
        bench.archive.relabel(from.address(), &to).unwrap();
        std::fs::rename(bench.file(), &old_path).unwrap();
        if occupied {
            keep(&mut bench, &to, b"two");
        }
        bench.archive.verify_all(None).unwrap();
        let newer = occupied.then(|| b"two".to_vec()).into_iter();
        let expected: Vec<_> = newer.chain([b"one".to_vec()]).collect();
        assert_eq!(editions(&bench, &to), expected);
    }
}

#[test]
fn many_small_frames_become_few() {
    let mut bench = Bench::new();
    let lines: Vec<u8> = (0..60_000).flat_map(|n| format!("line {n}\n").into_bytes()).collect();
    let source = [lines, noise(FRAME, 1)].concat();
    let step = source.len().div_ceil(100);
    for end in (step..source.len()).step_by(step).chain([source.len()]) {
        let cursor = bench.archive.find(label("a").address()).unwrap();
        let cursor = cursor.map_or(0, |volume| volume.covered_to());
        bench.pass(cursor as usize, &source[..end], step);
    }
    let size = |bench: &Bench| std::fs::metadata(bench.file()).unwrap().len();
    let before = size(&bench);
    assert!(bench.archive.repack(label("a").address(), &mut bench.packer).unwrap());
    assert!(size(&bench) < before, "{before}, {}", size(&bench));
    assert!(bench.editions() == [source.as_slice()]);
    let packed = std::fs::read(bench.file()).unwrap();
    assert!(zstd::decode_all(packed.as_slice()).unwrap() == source);
    assert!(!bench.archive.repack(label("a").address(), &mut bench.packer).unwrap());
    // Further bytes are compared and appended as before.
    bench.pass(0, &[source.as_slice(), b"more"].concat(), step);
    assert!(bench.editions() == [[source.as_slice(), b"more"].concat()]);
}

#[test]
fn gaps_stay_when_frames_are_joined() {
    let mut bench = Bench::new();
    let source = noise(300, 2);
    for end in (10..=300).step_by(10) {
        bench.pass(end - 10, &source[..end], 10);
    }
    let mut keeper = bench.keeper(300);
    for at in (1000..2000).step_by(20) {
        keeper.bytes(at, &[7; 10]).unwrap();
    }
    keeper.end(Permission::Keep).unwrap();
    let before = bench.volume().ranges();
    assert_eq!((before.len(), &before[0]), (51, &(0..300)));
    // Parts between gaps cannot be joined, so they do not count as too many.
    assert!(!bench.archive.repack(label("a").address(), &mut bench.packer).unwrap());
    let mut keeper = bench.keeper(300);
    keeper.bytes(1000, &[7; 10]).unwrap();
    keeper.end(Permission::Keep).unwrap();
    let size = |bench: &Bench| std::fs::metadata(bench.newest()).unwrap().len();
    let before = size(&bench);
    assert!(bench.archive.repack(label("a").address(), &mut bench.packer).unwrap());
    assert!(size(&bench) < before);
    let mut volume = bench.volume();
    assert_eq!(volume.ranges(), [0..300, 1000..1010]);
    assert_eq!(volume.range(0, 300).unwrap(), source);
    assert_eq!(volume.range(1000, 10).unwrap(), [7; 10]);
}

#[test]
fn blanked_lines_are_spaces_in_every_edition_and_others_keep_their_places() {
    let mut bench = Bench::new();
    let label = label("a");
    let far = [noise(FRAME + 7, 3).as_slice(), b"\nkeep\ndrop\n"].concat();
    keep(&mut bench, &label, b"keep\ndrop\nkeep");
    keep(&mut bench, &label, &far);
    let may_stay = |line: &[u8]| line != b"drop";
    bench.archive.blank_lines(label.address(), &mut bench.packer, &may_stay).unwrap();
    let expected = [far[..far.len() - 5].to_vec(), b"keep\n    \nkeep".to_vec()];
    let expected = [[expected[0].as_slice(), b"    \n"].concat(), expected[1].clone()];
    assert_eq!(editions(&bench, &label), expected);
    for (path, bytes) in bench.files() {
        let whole = zstd::decode_all(bytes.as_slice()).unwrap();
        assert!(!whole.windows(4).any(|it| it == b"drop"), "{}", path.display());
    }
}

#[test]
fn an_edition_that_cannot_be_read_whole_is_removed_when_lines_are_blanked() {
    let mut bench = Bench::new();
    let label = label("a");
    keep(&mut bench, &label, b"drop\n");
    let path = bench.files().into_keys().next().unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    bench.archive.blank_lines(label.address(), &mut bench.packer, &|_| false).unwrap();
    assert_eq!(bench.files().len(), 0);
}
