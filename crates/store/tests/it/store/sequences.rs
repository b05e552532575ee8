//! Every change gets the next number, and a follower misses none.

use crate::store::builder::{Desk, Piece, Said, all_said, at, id_of, key_of, piece, said, who};
use proptest::prelude::*;
use taffrail_model::{Kind, ResumeCursor};
use taffrail_store::{Changes, EventRow};

/// Cuts records into pieces of these sizes; the last takes the rest.
fn pieces(records: &[Said], sizes: &[usize]) -> Vec<Piece> {
    let mut out = Vec::new();
    let mut left = records;
    for size in sizes {
        let (now, later) = left.split_at((*size).min(left.len()));
        let read = (records.len() - left.len()) as u64 * 100;
        out.push(piece("a", &who("s")).from(read).saying(now).unfinished());
        left = later;
    }
    let read = (records.len() - left.len()) as u64 * 100;
    out.push(piece("a", &who("s")).from(read).saying(left));
    out
}

fn sequences(rows: &[EventRow]) -> Vec<u64> {
    rows.iter().map(|row| row.sequence).collect()
}

#[derive(Debug, Clone)]
enum Step {
    Say(Said),
    Remove(u32),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let say = (0u32..8, 0u32..4, 0i64..6, 0u32..3)
        .prop_map(|(key, kind, second, text)| Step::Say(Said { key, kind, second, text }));
    prop::collection::vec(prop_oneof![3 => say, 1 => (0u32..8).prop_map(Step::Remove)], 1..24)
}

fn take(desk: &mut Desk, step: &Step) -> u64 {
    let piece = piece("a", &who("s"));
    desk.write(&[match step {
        Step::Say(record) => piece.saying(&[*record]),
        Step::Remove(key) => piece.removing(&[*key]),
    }])
}

/// The state of a follower after some changes: the live events by key.
fn followed(rows: &[EventRow]) -> Vec<(u32, u64, u32)> {
    let mut out: Vec<_> = rows
        .iter()
        .filter(|row| !row.removed)
        .map(|row| (key_of(row), row.sequence, row.revision))
        .collect();
    out.sort_unstable();
    out
}

fn since(desk: &Desk, sequence: u64) -> Vec<EventRow> {
    let reader = desk.reader();
    let cursor = ResumeCursor { generation: reader.generation().to_owned(), sequence };
    match reader.changes(&desk.session(&who("s")), Some(&cursor)).unwrap() {
        Changes::Since(rows) => rows,
        Changes::Snapshot(_) => panic!("{sequence} is a known cursor"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn a_first_read_numbers_from_one_whatever_the_pieces(
        count in 0u32..40, sizes in prop::collection::vec(0usize..9, 0..8), batch in 1usize..4
    ) {
        let mut desk = Desk::new();
        let records = all_said(0..count);
        let all = pieces(&records, &sizes);
        for group in all.chunks(batch) {
            desk.write(group);
        }
        let expected: Vec<u64> = (1..=u64::from(count)).collect();
        prop_assert_eq!(sequences(&desk.events(&who("s"))), expected);
        prop_assert_eq!(desk.session(&who("s")).sequence, u64::from(count));
        let before = desk.events(&who("s"));
        prop_assert_eq!(desk.write(&all), 0);
        prop_assert_eq!(desk.events(&who("s")), before);
    }

    #[test]
    fn the_change_log_has_no_gap_and_every_cursor_gives_the_rest(steps in steps()) {
        let mut desk = Desk::new();
        let mut last = 0;
        for step in &steps {
            let changes = take(&mut desk, step);
            let session = desk.session(&who("s"));
            prop_assert_eq!(session.sequence, last + changes);
            last = session.sequence;
        }
        let whole = since(&desk, 0);
        let numbers = sequences(&whole);
        prop_assert!(numbers.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", numbers);
        let live = desk.events(&who("s"));
        prop_assert_eq!(followed(&whole), followed(&live));
        for cursor in 0..=last {
            let expected: Vec<_> =
                whole.iter().filter(|row| row.sequence > cursor).cloned().collect();
            prop_assert_eq!(since(&desk, cursor), expected);
        }
    }

    #[test]
    fn the_same_step_twice_is_one(steps in steps()) {
        let mut desk = Desk::new();
        for step in &steps {
            take(&mut desk, step);
            let before = (desk.session(&who("s")), desk.events(&who("s")));
            prop_assert_eq!(take(&mut desk, step), 0);
            prop_assert_eq!((desk.session(&who("s")), desk.events(&who("s"))), before);
        }
    }
}

#[test]
fn another_content_is_a_revision_with_the_next_number() {
    let mut desk = Desk::new();
    desk.write(&[piece("a", &who("s")).saying(&all_said(0..3))]);
    desk.write(&[piece("a", &who("s")).saying(&[Said { text: 7, ..said(1) }])]);
    let changed = desk.events(&who("s")).into_iter().find(|row| key_of(row) == 1).unwrap();
    assert_eq!((changed.sequence, changed.revision, changed.removed), (4, 2, false));
    assert_eq!(changed.excerpt, "text 7 of r1");
    assert_eq!(desk.live(&who("s")), [0, 1, 2]);
}

#[test]
fn a_removal_has_a_number_and_what_comes_back_is_live_again() {
    let mut desk = Desk::new();
    desk.write(&[piece("a", &who("s")).saying(&all_said(0..3))]);
    desk.write(&[piece("a", &who("s")).removing(&[1])]);
    assert_eq!(desk.live(&who("s")), [0, 2]);
    let tombstones = since(&desk, 3);
    let [tombstone] = tombstones.as_slice() else { panic!("{tombstones:?}") };
    assert_eq!((tombstone.id, tombstone.sequence), (id_of(&who("s"), 1), 4));
    assert!(tombstone.removed && tombstone.excerpt.is_empty());

    desk.write(&[piece("a", &who("s")).saying(&[said(1)])]);
    let back = since(&desk, 4);
    assert_eq!(followed(&back), [(1, 5, 2)]);
    assert_eq!(back[0].kind, Kind::AssistantMessage);
    assert_eq!(desk.live(&who("s")), [0, 1, 2]);
}

#[test]
fn an_unknown_cursor_gives_a_snapshot() {
    let mut desk = Desk::new();
    desk.write(&[piece("a", &who("s")).saying(&all_said(0..3))]);
    let (reader, session) = (desk.reader(), desk.session(&who("s")));
    let check = |cursor: Option<ResumeCursor>| {
        let expected = Changes::Snapshot(desk.events(&who("s")));
        assert_eq!(reader.changes(&session, cursor.as_ref()).unwrap(), expected, "{cursor:?}");
    };
    let cursor =
        |generation: &str, sequence| ResumeCursor { generation: generation.to_owned(), sequence };
    check(None);
    check(Some(cursor("elsewhere", 1)));
    check(Some(cursor(reader.generation(), 4)));
}

#[test]
fn the_numbering_changes_with_a_rebuild_and_an_unclean_start_of_the_machine() {
    let mut desk = Desk::new();
    let first = desk.reader().generation().to_owned();
    let mut desk = {
        desk.writer.finish(at(1)).unwrap();
        desk.reopened()
    };
    assert_eq!(desk.reader().generation(), first);

    let starts_as = |desk: Desk, id: &str| {
        let Desk { folder, writer } = desk;
        drop(writer);
        let boot = taffrail_store::Boot { id: id.to_owned(), ..crate::store::builder::boot() };
        let writer = taffrail_store::Writer::open(folder.path(), boot).unwrap();
        Desk { folder, writer }
    };
    // A killed process does not start a new generation; a machine that went down mid-write does.
    desk = starts_as(desk, "boot");
    assert_eq!(desk.reader().generation(), first);
    desk = starts_as(desk, "another");
    let second = desk.reader().generation().to_owned();
    assert_ne!(second, first);
    desk.writer.finish(at(1)).unwrap();
    desk = starts_as(desk, "third");
    assert_eq!(desk.reader().generation(), second);
    desk.writer.reset().unwrap();
    assert_ne!(desk.reader().generation(), second);
    assert_ne!(desk.reader().generation(), first);
}
