//! Documents and rows, which are archived in one piece.

use crate::archive::bench::{Bench, FRAME, label, noise};
use taffrail_store::archive::{
    ArchiveError, EDITIONS, Keeper, Label, Permission, RowLines, Shape, keep_whole,
};

fn document() -> Label {
    Label { shape: Shape::Document, ..label("a") }
}

impl Bench {
    fn whole(&mut self, bytes: &[u8]) -> bool {
        keep_whole(&self.archive, document(), bytes, &mut self.packer).unwrap()
    }
}

#[test]
fn a_document_is_kept_when_it_is_another() {
    let mut bench = Bench::new();
    let long = noise(2 * FRAME + 3, 1);
    let mut other = long.clone();
    other[2 * FRAME] ^= 1;
    let documents = [b"".as_slice(), b"{}", &long, &other, &long[..2 * FRAME], b""];
    for (count, document) in (1..).zip(documents) {
        assert!(bench.whole(document));
        let before = bench.files();
        assert!(!bench.whole(document));
        assert!(bench.files() == before);
        assert_eq!(before.len(), EDITIONS.min(count));
        assert!(bench.volume().whole().unwrap() == document);
    }
    assert!(bench.editions() == [b"".as_slice(), &long[..2 * FRAME], &other]);
}

#[test]
fn a_torn_document_is_kept_again() {
    let mut bench = Bench::new();
    bench.whole(b"a document");
    let path = bench.file();
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    assert!(matches!(bench.volume().whole(), Err(ArchiveError::Damaged(_))));
    assert!(bench.whole(b"a document"));
    assert_eq!(bench.volume().whole().unwrap(), b"a document");
}

#[test]
fn a_document_that_becomes_lines_has_no_end() {
    let mut bench = Bench::new();
    bench.whole(b"one\n");
    let mut keeper = Keeper::begin(&bench.archive, document(), 0, &mut bench.packer).unwrap();
    keeper.bytes(0, b"one\ntwo\n").unwrap();
    keeper.end(Permission::Keep).unwrap();
    assert_eq!(bench.editions(), [b"one\ntwo\n"]);
}

#[test]
fn rows_come_back_as_they_were_given() {
    let mut bench = Bench::new();
    let big = format!(r#"{{"text": "{}"}}"#, "x".repeat(FRAME));
    let rows = [
        ("messages", 1, r#"{ "a" : 1.50, "b":"\u00fc" }"#),
        ("messages", 2, big.as_str()),
        ("parts", 1, "[]"),
        ("parts", -3, r#""\n""#),
    ];
    let mut lines = RowLines::default();
    for (table, rowid, row) in rows {
        lines.push(table, rowid, row.as_bytes()).unwrap();
    }
    let label = Label { shape: Shape::Rows, ..label("a") };
    assert!(keep_whole(&bench.archive, label, lines.as_bytes(), &mut bench.packer).unwrap());
    let mut volume = bench.volume();
    for (table, rowid, row) in rows {
        assert!(volume.row(table, rowid).unwrap().unwrap() == row.as_bytes(), "{table} {rowid}");
    }
    assert_eq!(volume.row("messages", 3).unwrap(), None);
    assert_eq!(volume.row("nothing", 1).unwrap(), None);
}

#[test]
fn lines_hold_no_rows() {
    let mut bench = Bench::new();
    bench.keep(b"{\"table\":\"t\",\"rowid\":1,\"row\":5 }\n");
    assert!(matches!(bench.volume().row("t", 1), Err(ArchiveError::Damaged(_))));
}
