//! Fixed bugs; each test is named after the symptom.

use crate::store::builder::{Desk, Piece, Said, all_said, at, boot, copying, piece, said, who};
use rusqlite::Connection;
use taffrail_model::{Facts, Lifecycle, RuntimeIdentity};
use taffrail_store::{Filter, Ledger, Writer};

fn ledger(desk: &Desk) -> Ledger {
    Ledger::open_read_only(desk.folder.path()).unwrap().unwrap()
}

fn full() -> Desk {
    let mut desk = Desk::new();
    desk.write(&[piece("a", &who("s")).saying(&all_said(0..3))]);
    desk
}

fn homed(piece: Piece, home: &str) -> Piece {
    piece.source(|it| it.home = home.to_owned())
}

#[test]
fn what_one_replica_lost_another_still_says() {
    let mut desk = Desk::new();
    desk.write(&[piece("b", &who("s")).ranked(1).saying(&all_said(0..3))]);
    desk.write(&[piece("a", &who("s")).saying(&all_said(0..3))]);
    desk.write(&[piece("b", &who("s")).ranked(1).again().saying(&all_said(0..1))]);
    assert!(desk.source("a").half_read);
    desk.write(&[piece("a", &who("s")).again().saying(&all_said(0..3))]);
    assert_eq!(desk.live(&who("s")), [0, 1, 2]);
}

#[test]
fn an_append_does_not_forget_that_a_source_must_be_read_again() {
    let mut desk = Desk::new();
    desk.write(&[piece("a", &who("s")).ranked(1).saying(&all_said(0..3))]);
    desk.write(&[piece("b", &who("s")).saying(&all_said(0..3))]);
    desk.write(&[
        piece("a", &who("s")).ranked(1).again().saying(&all_said(0..1)),
        piece("b", &who("s")).from(300).saying(&all_said(3..4)),
    ]);
    assert!(desk.source("b").half_read);
}

#[test]
fn a_pass_under_way_does_not_forget_that_another_lost_something_meanwhile() {
    let mut desk = Desk::new();
    desk.write(&[piece("b", &who("s")).saying(&all_said(0..3))]);
    desk.write(&[piece("a", &who("s")).saying(&all_said(0..3))]);
    desk.write(&[piece("a", &who("s")).again().saying(&all_said(0..3)).unfinished()]);
    desk.write(&[piece("b", &who("s")).again().saying(&all_said(0..1))]);
    desk.write(&[piece("a", &who("s")).again().from(300)]);
    assert!(desk.source("a").half_read);
}

#[test]
fn a_source_that_came_back_says_what_it_said() {
    let other = |key| Said { text: 9, ..said(key) };
    let mut desk = Desk::new();
    desk.write(&[piece("b", &who("s")).ranked(1).saying(&[other(0)])]);
    desk.write(&[piece("a", &who("s")).saying(&[said(0)])]);
    let (id, before) = (desk.source("b").id, desk.view(&who("s")));
    desk.settle(|writer| writer.vanish(&[id]).unwrap());
    desk.write(&[piece("a", &who("s")).again().saying(&[said(0)])]);
    desk.settle(|writer| writer.restore(&[id]).unwrap());
    if desk.source("b").half_read {
        desk.write(&[piece("b", &who("s")).ranked(1).again().saying(&[other(0)])]);
    }
    assert_eq!(desk.view(&who("s")), before);
}

#[test]
fn replicas_of_one_locator_in_two_homes_are_told_apart() {
    let first = homed(piece("a", &who("s")).saying(&[said(0)]), "/one");
    let second = homed(piece("a", &who("s")).saying(&[Said { text: 9, ..said(0) }]), "/two");
    let read = |order: [&Piece; 2]| {
        let mut desk = Desk::new();
        order.into_iter().for_each(|it| {
            desk.write(std::slice::from_ref(it));
        });
        desk.view(&who("s"))
    };
    assert_eq!(read([&first, &second]), read([&second, &first]));
}

#[test]
fn a_removal_counts_the_same_before_and_after_a_replica() {
    let rewound = || {
        [
            piece("b", &who("s")).ranked(1).saying(&all_said(0..3)).unfinished(),
            piece("b", &who("s")).ranked(1).from(300).removing(&[2]),
        ]
    };
    let copy = || piece("a", &who("s")).saying(&all_said(0..3));
    let mut desk = Desk::new();
    desk.write(&[copy()]);
    desk.write(&rewound());
    let mut other = Desk::new();
    other.write(&rewound());
    other.write(&[copy()]);
    let mut third = Desk::new();
    third.write(&[piece("b", &who("s")).ranked(1).saying(&all_said(0..2)).removing(&[2])]);
    third.write(&[copy()]);
    assert_eq!(desk.live(&who("s")), other.live(&who("s")));
    assert_eq!(desk.live(&who("s")), third.live(&who("s")));
}

#[test]
fn an_answer_only_its_replica_still_holds_is_still_counted() {
    let mut desk = Desk::new();
    desk.write(&[piece("a", &who("s")).saying(&all_said(0..1)).spending("u", 1, 7)]);
    desk.write(&[piece("b", &who("s")).saying(&all_said(0..1)).spending("u", 1, 7)]);
    desk.write(&[piece("a", &who("s")).again().saying(&all_said(0..1))]);
    if desk.source("b").half_read {
        desk.write(&[piece("b", &who("s")).again().saying(&all_said(0..1)).spending("u", 1, 7)]);
    }
    assert_eq!(desk.session(&who("s")).tokens.output, 7);
}

#[test]
fn an_answer_rewritten_smaller_is_counted_as_it_stands() {
    let mut desk = Desk::new();
    desk.write(&[piece("a", &who("s")).spending("u", 1, 20)]);
    desk.write(&[piece("a", &who("s")).again().spending("u", 1, 15)]);
    assert_eq!(desk.session(&who("s")).tokens.output, 15);
}

#[test]
fn a_session_no_longer_in_its_source_does_not_stay_resumable() {
    let mut desk = Desk::new();
    desk.write(&[piece("a", &who("s")).saying(&all_said(0..3))]);
    desk.write(&[piece("a", &who("t")).again().saying(&all_said(0..3))]);
    assert_ne!(desk.session(&who("s")).lifecycle, Lifecycle::Resumable);
}

#[test]
fn a_pass_begun_anew_by_the_same_writer_forgets_what_it_met_before() {
    let mut desk = Desk::new();
    desk.write(&[piece("a", &who("s")).saying(&all_said(0..3))]);
    desk.write(&[piece("a", &who("s")).again().saying(&all_said(0..2)).unfinished()]);
    desk.writer.begin_round();
    desk.write(&[piece("a", &who("s")).again().saying(&all_said(0..1))]);
    assert_eq!(desk.live(&who("s")), [0]);
}

#[test]
fn a_worker_stays_one_after_a_rebuild_without_its_source() {
    let worker = RuntimeIdentity::new(who("s").agent, "s", "w");
    let works = Facts { parent: Some(who("s")), ..Facts::default() };
    let mut desk = Desk::new();
    desk.write(&[piece("c", &worker).saying(&all_said(0..1)).knowing(works)]);
    desk.writer.reset().unwrap();
    desk.writer.finish(at(2)).unwrap();
    assert_eq!(desk.reader().sessions(&Filter::default()).unwrap().len(), 0);
}

#[test]
fn a_binding_is_lost_with_its_session_after_a_rebuild() {
    let mut desk = Desk::new();
    desk.write(&[piece("a", &who("s")).saying(&all_said(0..1))]);
    desk.writer.reset().unwrap();
    desk.writer.finish(at(2)).unwrap();
    let ledger = taffrail_store::Ledger::open_read_only(desk.folder.path()).unwrap().unwrap();
    let binding = ledger.binding(who("s").session()).unwrap().unwrap();
    assert_eq!(
        (desk.session(&who("s")).lifecycle, binding.status),
        (Lifecycle::Lost, Lifecycle::Lost)
    );
}

#[test]
fn a_fork_that_began_by_itself_and_is_read_in_two_batches_owns_no_copies() {
    let of = |name: &str, offset, key: u32| {
        piece(name, &who(name))
            .knowing(copying("family"))
            .from(offset)
            .saying(&[said(key)])
            .spending(&format!("u{key}"), i64::from(key), 100)
    };
    let mut desk = Desk::new();
    desk.write(&[of("p", 0, 1), of("p", 100, 2), of("p", 200, 9)]);
    desk.write(&[of("f", 0, 1), of("f", 100, 0)]);
    desk.write(&[of("f", 200, 2)]);
    let output = |name: &str| desk.session(&who(name)).tokens.output;
    assert_eq!(output("p") + output("f"), 400);
}

#[test]
fn a_binding_due_from_before_a_crash_is_made_with_the_next_commit() {
    let Desk { folder, writer } = full();
    drop(writer);
    // The state that a kill between the two files leaves.
    let session = who("s").session();
    let file = |name: &str| Connection::open(folder.path().join(name)).unwrap();
    let forget = "DELETE FROM bindings WHERE session_id = ?1";
    file("ledger.db").execute(forget, [session.as_bytes()]).unwrap();
    let due = "INSERT INTO unbound SELECT id FROM sessions WHERE uuid = ?1";
    file("index.db").execute(due, [session.as_bytes()]).unwrap();
    let writer = Writer::open(folder.path(), boot()).unwrap();
    let mut desk = Desk { folder, writer };
    desk.write(&[piece("c", &who("u")).saying(&all_said(0..1))]);
    assert!(ledger(&desk).binding(who("u").session()).unwrap().is_some());
    assert!(ledger(&desk).binding(session).unwrap().is_some());
}
