//! One more event costs the same in a large index as in a small one.

use crate::store::builder::{Desk, all_said, piece, said, who};
use rusqlite::Connection;

/// The size of a frame in the write-ahead log: a page and its header.
const FRAME: u64 = 4096 + 24;
/// The most pages one event may write: a leaf of each table and index it touches, the sessions row
/// and its indexes, the cursor, and a little for splits.
const PAGES: u64 = 24;

/// The pages that a commit writes, measured by the log it leaves.
fn pages_written(desk: &mut Desk, write: impl FnOnce(&mut Desk)) -> u64 {
    let index = Connection::open(desk.folder.path().join("index.db")).unwrap();
    index.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    drop(index);
    write(desk);
    let log = desk.folder.path().join("index.db-wal").metadata().unwrap().len();
    log / FRAME
}

#[test]
fn one_more_event_writes_a_bounded_number_of_pages() {
    let mut desk = Desk::new();
    let mut pieces = vec![piece("long", &who("long")).saying(&all_said(0..10_000))];
    for number in 0..2_000 {
        let name = format!("s{number}");
        pieces.push(piece(&name, &who(&name)).saying(&all_said(0..3)).spending("u", 1, 5));
    }
    desk.write(&pieces);
    let pages = pages_written(&mut desk, |desk| {
        let more = piece("long", &who("long")).from(1_000_000).saying(&[said(10_000)]);
        assert_eq!(desk.write(&[more.spending("u", 2, 7)]), 1);
    });
    assert!(pages <= PAGES, "{pages} pages");
}
