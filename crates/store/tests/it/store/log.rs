//! The write-ahead log is short once the writer has ended.

use crate::store::builder::boot;
use rusqlite::{Connection, OpenFlags};
use taffrail_store::Writer;

/// `taffrail index` left 16 MB of log, which each process that opened the index while no other had it open read.
#[test]
fn a_reader_that_outlived_the_writer_left_a_long_log() {
    let folder = tempfile::tempdir().unwrap();
    let writer = Writer::open(folder.path(), boot()).unwrap();
    for name in ["index", "ledger"] {
        let file = folder.path().join(format!("{name}.db"));
        let log = folder.path().join(format!("{name}.db-wal"));
        let other = Connection::open(&file).unwrap();
        other
            .execute_batch("CREATE TABLE fill (it); INSERT INTO fill VALUES (zeroblob(2000000))")
            .unwrap();
        assert!(log.metadata().unwrap().len() > 2_000_000, "{name}");
    }
    let readers = ["index", "ledger"].map(|name| {
        let file = folder.path().join(format!("{name}.db"));
        let reader = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
        let count = reader.query_row("SELECT count(*) FROM fill", [], |row| row.get::<_, i64>(0));
        assert_eq!(count.unwrap(), 1);
        (name, reader)
    });
    drop(writer);
    for (name, _reader) in &readers {
        let log = folder.path().join(format!("{name}.db-wal"));
        assert_eq!(log.metadata().unwrap().len(), 0, "{name}");
    }
}
