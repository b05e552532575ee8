//! A damaged file yields fewer bytes, and never wrong ones.

use crate::archive::bench::{Bench, label, noise};
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::{Duration, SystemTime};
use taffrail_store::archive::{Shape, Verdict, Volume, keep_whole};

/// A source in three frames.
fn kept() -> (Bench, Vec<u8>) {
    let mut bench = Bench::new();
    let source = [noise(40, 1), vec![7; 60], noise(50, 2)].concat();
    for (cursor, end) in [(0, 40), (40, 100), (100, 150)] {
        bench.pass(cursor, &source[..end], 11);
    }
    (bench, source)
}

fn for_every_flip(path: &Path, check: &mut dyn FnMut(usize)) {
    let whole = std::fs::read(path).unwrap();
    let file = std::fs::File::options().write(true).open(path).unwrap();
    for (at, byte) in (0..).zip(&whole) {
        for bit in 0..8 {
            file.write_all_at(&[byte ^ (1 << bit)], at).unwrap();
            check(at as usize * 8 + bit);
        }
        file.write_all_at(&[*byte], at).unwrap();
    }
    assert_eq!(std::fs::read(path).unwrap(), whole);
}

fn streamed(volume: &mut Volume) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    volume.reader().read_to_end(&mut out).ok().map(|_| out)
}

#[test]
fn no_flipped_bit_gives_other_bytes() {
    let (bench, source) = kept();
    let mut noticed = 0;
    for_every_flip(&bench.file(), &mut |bit| {
        let Some(mut volume) = bench.archive.find(label("a").address()).unwrap() else {
            noticed += 1;
            return;
        };
        for (offset, length) in [(0, 40), (40, 60), (100, 50), (30, 90), (0, 150)] {
            if let Ok(bytes) = volume.range(offset as u64, length) {
                assert_eq!(bytes, source[offset..][..length], "{bit}");
            }
        }
        for bytes in [volume.whole().ok(), streamed(&mut volume)].into_iter().flatten() {
            assert!(source.starts_with(&bytes), "{bit}");
        }
        noticed += usize::from(volume.range(0, 150).is_err());
    });
    // The very few flips that go unnoticed are in bits that zstd does not use.
    let bits = std::fs::read(bench.file()).unwrap().len() * 8;
    assert!(noticed > bits - 50, "{noticed} of {bits}");
}

#[test]
fn a_damaged_document_is_whole_or_an_error() {
    let mut bench = Bench::new();
    let document = noise(100, 4);
    let mut label = label("a");
    label.shape = Shape::Document;
    keep_whole(&bench.archive, label.clone(), &document, &mut bench.packer).unwrap();
    let path = bench.file();
    let check = |at: usize| {
        let Some(mut volume) = bench.archive.find(label.address()).unwrap() else { return };
        for bytes in [volume.whole().ok(), streamed(&mut volume)].into_iter().flatten() {
            assert_eq!(bytes, document, "{at}");
        }
    };
    for_every_flip(&path, &mut |bit| check(bit));
    let whole = std::fs::read(&path).unwrap();
    for length in 0..whole.len() {
        std::fs::write(&path, &whole[..length]).unwrap();
        check(length);
    }
}

#[test]
fn a_bad_frame_is_found_and_cut() {
    let (bench, source) = kept();
    let path = bench.file();
    let all = |bench: &Bench| bench.archive.verify_all(None).unwrap();
    assert_eq!(all(&bench), Verdict { checked: 1, cut: 0 });
    let mut bytes = std::fs::read(&path).unwrap();
    let place = bytes.len() - 20;
    bytes[place] ^= 4;
    bytes.extend_from_slice(b"torn");
    std::fs::write(&path, bytes).unwrap();
    assert_eq!(bench.volume().covered_to(), 150);
    assert_eq!(all(&bench), Verdict { checked: 1, cut: 1 });
    assert_eq!(bench.volume().whole().unwrap(), source[..100]);
    assert_eq!(all(&bench), Verdict { checked: 1, cut: 0 });
}

#[test]
fn a_torn_end_is_cut() {
    let (bench, source) = kept();
    let path = bench.file();
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, [whole.as_slice(), &whole[..30]].concat()).unwrap();
    assert_eq!(bench.volume().whole().unwrap(), source);
    let address = label("a");
    let verdict = bench.archive.verify(address.address(), None).unwrap();
    assert_eq!(verdict, Verdict { checked: 1, cut: 1 });
    assert_eq!(std::fs::read(&path).unwrap(), whole);
}

#[test]
fn only_what_changed_since_is_looked_at() {
    let (bench, _) = kept();
    let at = |seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    let file = std::fs::File::options().write(true).open(bench.file()).unwrap();
    file.set_modified(at(50)).unwrap();
    for (newer_than, checked) in [(49, 1), (50, 1), (51, 0)] {
        let verdict = bench.archive.verify_all(Some(at(newer_than))).unwrap();
        assert_eq!(verdict, Verdict { checked, cut: 0 }, "{newer_than}");
    }
}

#[test]
fn a_later_label_survives_a_cut_before_it() {
    let (bench, source) = kept();
    let moved = label("moved");
    bench.archive.relabel(label("a").address(), &moved).unwrap();
    let path = bench.file();
    let mut bytes = std::fs::read(&path).unwrap();
    let last_frame = bytes.windows(4).rposition(|it| it == [0x51, 0x2A, 0x4D, 0x18]).unwrap();
    bytes[last_frame + 60] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    assert_eq!(bench.archive.verify_all(None).unwrap(), Verdict { checked: 1, cut: 1 });
    let mut volume = bench.archive.find(moved.address()).unwrap().unwrap();
    assert_eq!((volume.label(), volume.covered_to()), (&moved, 100));
    assert_eq!(volume.whole().unwrap(), source[..100]);
}
