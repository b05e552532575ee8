//! One process writes, all can read.

use crate::store::builder::{Desk, all_said, boot, piece, who};
use taffrail_store::{IndexReader, LockError, StoreError, Writer, WriterLock};

#[test]
fn there_is_one_writer() {
    let desk = Desk::new();
    let second = Writer::open(desk.folder.path(), boot());
    assert!(matches!(second, Err(StoreError::Lock(LockError::Taken))));
    let Desk { folder, writer } = desk;
    drop(writer);
    assert!(Writer::open(folder.path(), boot()).is_ok());
}

#[test]
fn a_writer_is_told_that_another_waits_and_the_other_goes_on() {
    let mut desk = Desk::new();
    desk.write(&[piece("a", &who("s")).saying(&all_said(0..2))]);
    assert!(!desk.writer.is_wanted());
    let folder = desk.folder.path().to_owned();
    let waiting = std::thread::spawn(move || {
        let lock = WriterLock::wait(&folder).unwrap();
        Writer::with_lock(&folder, boot(), lock).unwrap()
    });
    while !desk.writer.is_wanted() {
        std::thread::yield_now();
    }
    let Desk { folder, writer } = desk;
    drop(writer);
    let writer = waiting.join().unwrap();
    assert!(!writer.is_wanted());
    let mut desk = Desk { folder, writer };
    desk.write(&[piece("a", &who("s")).from(200).saying(&all_said(2..3))]);
    assert_eq!(desk.live(&who("s")), [0, 1, 2]);
}

#[test]
fn readers_see_whole_batches_only_and_wait_for_no_one() {
    let mut desk = Desk::new();
    desk.write(&[piece("a", &who("s")).saying(&all_said(0..2))]);
    let early = desk.reader();
    desk.writer.begin().unwrap();
    desk.append(&piece("a", &who("s")).from(200).saying(&all_said(2..5)));
    assert_eq!(desk.live(&who("s")), [0, 1]);
    let row = desk.session(&who("s")).row;
    assert_eq!(early.events(row).unwrap().len(), 2);
    desk.writer.commit(crate::store::builder::at(2)).unwrap();
    assert_eq!(early.events(row).unwrap().len(), 5);
}

#[test]
fn a_folder_without_an_index_has_no_reader() {
    let folder = tempfile::tempdir().unwrap();
    assert!(IndexReader::open(folder.path()).unwrap().is_none());
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}
