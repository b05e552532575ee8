//! The archive reports bytes that were left out as missing.

use crate::archive::bench::{Bench, FRAME, feed, noise};
use taffrail_store::archive::{ArchiveError, PENDING_LIMIT, Permission, RANGE_LIMIT};

fn gap_at<T: std::fmt::Debug>(result: Result<T, ArchiveError>) -> u64 {
    match result.unwrap_err() {
        ArchiveError::Gap(at) => at,
        other => panic!("{other}"),
    }
}

/// A source whose middle did not fit, and the start and end of the gap.
fn with_gap(bench: &mut Bench) -> (Vec<u8>, u64, u64) {
    let source = noise(PENDING_LIMIT + 5 * FRAME, 1);
    let end = source.len() - 100;
    let mut keeper = bench.keeper(0);
    feed(&mut keeper, &source[..end], 60_000);
    keeper.flush(Permission::Keep).unwrap();
    keeper.bytes(end as u64, &source[end..]).unwrap();
    keeper.end(Permission::Keep).unwrap();
    let gap = (bench.volume().covered_to(), end as u64);
    (source, gap.0, gap.1)
}

#[test]
fn a_gap_is_never_read() {
    let mut bench = Bench::new();
    let (source, start, end) = with_gap(&mut bench);
    let length = source.len() as u64;
    assert!((PENDING_LIMIT as u64..PENDING_LIMIT as u64 + 2 * FRAME as u64).contains(&start));
    let mut volume = bench.volume();
    assert_eq!(volume.ranges(), [0..start, end..length]);
    assert!(volume.range(start - 9, 9).unwrap() == source[start as usize - 9..start as usize]);
    assert!(volume.range(end, 100).unwrap() == source[end as usize..]);
    assert_eq!(gap_at(volume.range(start - 9, 10)), start);
    assert_eq!(gap_at(volume.range(end - 1, 2)), end - 1);
    assert_eq!(gap_at(volume.range(length, 1)), length);
    assert_eq!(gap_at(volume.whole()), start);
    let mut read = Vec::new();
    std::io::Read::read_to_end(&mut volume.reader(), &mut read).unwrap();
    assert!(read == source[..start as usize]);
    let too_long = volume.range(0, RANGE_LIMIT + 1);
    assert!(matches!(too_long, Err(ArchiveError::TooLong { .. })));
}

#[test]
fn a_gap_is_asked_for_and_closed() {
    let mut bench = Bench::new();
    let (mut source, start, _) = with_gap(&mut bench);
    let cursor = source.len() as u64;
    source.extend_from_slice(b"more");
    let mut keeper = bench.keeper(cursor);
    assert_eq!(keeper.wants_from(), start);
    feed(&mut keeper, &source, 60_000);
    keeper.end(Permission::Keep).unwrap();
    assert!(bench.editions() == [source]);
}

#[test]
fn what_is_behind_a_gap_stays_where_it_may_be_of_another_source() {
    let mut bench = Bench::new();
    let (mut source, start, end) = with_gap(&mut bench);
    *source.last_mut().unwrap() ^= 1;
    bench.pass(0, &source, 60_000);
    let mut editions = bench.archive.editions(bench.volume().label().address()).unwrap();
    assert!(editions[0].whole().unwrap() == source);
    assert_eq!(editions[1].ranges(), [0..start, end..source.len() as u64]);
    assert!(editions[1].range(end, 100).unwrap() != source[end as usize..]);
}

#[test]
fn what_the_caller_left_out_is_a_gap() {
    let mut bench = Bench::new();
    let mut keeper = bench.keeper(0);
    keeper.bytes(0, b"abc").unwrap();
    keeper.bytes(1, b"bcd").unwrap();
    keeper.bytes(0, b"ab").unwrap();
    keeper.bytes(10, b"klm").unwrap();
    keeper.end(Permission::Keep).unwrap();
    let mut volume = bench.volume();
    assert_eq!(volume.ranges(), [0..4, 10..13]);
    assert_eq!(volume.range(0, 4).unwrap(), b"abcd");
    assert_eq!(volume.range(11, 2).unwrap(), b"lm");
    assert_eq!(bench.keeper(13).wants_from(), 4);
}
