//! The measures of quality that the index keeps are those of the session's events.

use crate::store::builder::{Desk, Piece, Said, all_said, id_of, key_of, piece, who};
use proptest::prelude::*;
use rusqlite::Connection;
use taffrail_model::evidence::EventHead;
use taffrail_model::findings::{SessionQuality, quality, step};
use taffrail_model::observed::Marks;
use taffrail_model::{Ahead, Kind};
use taffrail_store::{EventRow, Filter, Grouping, SpentBy};

/// A part of a session, as one batch.
#[derive(Debug, Clone)]
struct Part {
    records: Vec<Said>,
    removed: Vec<u32>,
    again: bool,
}

fn parts() -> impl Strategy<Value = Vec<Part>> {
    let record = (0u32..60, 0i64..60, 0u32..2).prop_map(|(key, shift, text)| Said {
        key,
        kind: key,
        second: i64::from(key) * 9 + shift,
        text,
    });
    let records = prop::collection::vec(record, 0..20);
    let removed = prop::collection::vec(0u32..60, 0..2);
    let part = (records, removed, prop::bool::weighted(0.1))
        .prop_map(|(records, removed, again)| Part { records, removed, again });
    prop::collection::vec(part, 1..8)
}

/// Calls run checks, the next record is their result, and every message ends its turn.
fn worked(piece: Piece) -> Piece {
    piece.events(|event| {
        let key: u32 = event.source_event_id.as_deref().unwrap().split_at(1).1.parse().unwrap();
        match event.kind {
            Kind::ToolCall => event.excerpt = format!("cargo test -p x{}", key % 3),
            Kind::ToolResult => {
                event.parent = Some(id_of(&who("s"), key - 1));
                event.marks = if event.content[0] % 2 == 0 { Marks::FAILED } else { event.marks };
            }
            Kind::AssistantMessage => event.marks = Marks::ENDS_TURN,
            _ => {}
        }
    })
}

/// The measures that the index keeps, of every session.
fn kept(desk: &Desk) -> Vec<SessionQuality> {
    let reader = desk.reader();
    let rows = reader.sessions(&Filter::default()).unwrap();
    rows.iter().map(|it| reader.quality(it.row).unwrap()).collect()
}

fn measured(rows: &[EventRow]) -> SessionQuality {
    quality(rows.iter().filter_map(|row| {
        let place = (
            row.at.as_microsecond(),
            0,
            true,
            row.cursor.position().cast_signed(),
            row.part,
            row.id,
        );
        let head = EventHead {
            id: row.id,
            parent: row.parent,
            kind: &row.kind,
            origin: &row.origin,
            signal: row.signal.as_ref(),
            marks: row.marks,
            label: row.label.as_deref(),
            excerpt: &row.excerpt,
            at: row.at,
            confidence: &row.confidence,
        };
        step(&head, place)
    }))
}

proptest! {
    // Each case writes files.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_measures_are_those_of_the_live_events(parts in parts()) {
        let mut desk = Desk::new();
        for (number, part) in (0u64..).zip(&parts) {
            let piece = piece("s", &who("s")).from(number * 10_000).saying(&part.records);
            let piece = worked(piece).removing(&part.removed);
            desk.write(&[if part.again { piece.again() } else { piece }]);
        }
        prop_assert_eq!(kept(&desk), vec![measured(&desk.events(&who("s")))]);
    }
}

/// Whatever totals and spending need is summed when events come: with the events and the answers
/// deleted, they are the same.
#[test]
fn totals_read_no_events_and_no_answers() {
    let mut desk = Desk::new();
    let pieces: Vec<Piece> = ["a", "b"]
        .map(|name| worked(piece(name, &who("s")).saying(&all_said(0..200))).spending(name, 5, 7))
        .into();
    desk.write(&pieces);
    assert_eq!(key_of(&desk.events(&who("s"))[0]), 0);
    let totals = |desk: &Desk| {
        let (reader, all) = (desk.reader(), Filter { workers: true, ..Filter::default() });
        let day = SpentBy::Day(Ahead::default());
        (
            reader.tally(&all, Grouping::Agent).unwrap(),
            (
                reader.tally_models(&all).unwrap(),
                reader.tally_days(&all, &Ahead::default()).unwrap(),
            ),
            (reader.spent(&all, &day).unwrap(), reader.spent(&all, &SpentBy::Nothing).unwrap()),
            kept(desk),
        )
    };
    let before = totals(&desk);
    assert_eq!(before.3.len(), 1);
    let index = Connection::open(desk.folder.path().join("index.db")).unwrap();
    index.execute_batch("DELETE FROM events; DELETE FROM usage;").unwrap();
    assert_eq!(totals(&desk), before);
}
