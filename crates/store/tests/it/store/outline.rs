//! Places, turns and the uses of tools are those of the canonical order.

use crate::store::builder::{Desk, Said, all_said, at, id_of, piece, who};
use proptest::prelude::*;
use taffrail_model::observed::{Marks, NewEvent};
use taffrail_model::turn::{TurnInput, turns};
use taffrail_model::{EventId, Kind};
use taffrail_store::{EventRow, Filter, ToolTime};

fn input(row: &EventRow) -> TurnInput<'_> {
    TurnInput {
        kind: &row.kind,
        at: row.at,
        turn: row.turn,
        marks: row.marks,
        text: &row.excerpt,
        label: None,
        signal: None,
    }
}

/// The place and the turn of every event, from the events themselves.
fn expected(rows: &[EventRow]) -> Vec<(EventId, u64, Option<u32>)> {
    let turn =
        |until: usize| turns(rows[..until].iter().map(input), None).last().map(|it| it.number);
    (1..).zip(rows).map(|(place, row)| (row.id, place, turn(place as usize))).collect()
}

fn records() -> impl Strategy<Value = Vec<Said>> {
    let one = (0u32..40, 0u32..4, 0i64..6).prop_map(|(key, kind, second)| Said {
        key,
        kind,
        second,
        text: 0,
    });
    prop::collection::vec(one, 0..12)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn places_have_no_gaps_and_windows_join(
        (a, b, gone) in (records(), records(), prop::collection::vec(0u32..40, 0..4)),
        limit in 1usize..5,
    ) {
        let (mut desk, who) = (Desk::new(), who("s"));
        let hidden = |it: &mut NewEvent| if it.id == id_of(&who, 7) { it.kind = Kind::Heartbeat };
        desk.write(&[piece("a", &who).saying(&a).events(hidden)]);
        desk.write(&[piece("b", &who).ranked(1).saying(&b).removing(&gone).events(hidden)]);
        let reader = desk.reader();
        let row = desk.session(&who).row;
        let mut rows = reader.events(row).unwrap();
        rows.retain(|it| it.kind != Kind::Heartbeat);
        let outline = reader.outline(row).unwrap();
        let got: Vec<_> = rows.iter().map(|it| {
            let (place, turn) = reader.place_of(&outline, (it.id, it.at)).unwrap();
            (it.id, place, turn)
        }).collect();
        prop_assert_eq!(&got, &expected(&rows));
        prop_assert_eq!(outline.total(), rows.len() as u64);
        let mut joined = Vec::new();
        while let Some(more) = Some(reader.events_from(&outline, joined.len() as u64 + 1, limit).unwrap()).filter(|it| !it.is_empty()) {
            joined.extend(more);
        }
        prop_assert_eq!(joined, rows);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_latest_events_are_those_at_the_end_of_all(
        (a, b, gone) in (records(), records(), prop::collection::vec(0u32..40, 0..4)),
        limit in 0usize..8,
    ) {
        let (mut desk, who) = (Desk::new(), who("s"));
        let hidden = |it: &mut NewEvent| if it.id == id_of(&who, 7) { it.kind = Kind::Heartbeat };
        desk.write(&[piece("a", &who).saying(&a).events(hidden)]);
        desk.write(&[piece("b", &who).ranked(1).saying(&b).removing(&gone).events(hidden)]);
        let reader = desk.reader();
        let row = desk.session(&who).row;
        let all = reader.events(row).unwrap();
        let latest = all[all.len().saturating_sub(limit)..].to_vec();
        prop_assert_eq!(reader.last_events(row, limit).unwrap(), latest);
        for locator in ["agent-lines:a", "agent-lines:b", "agent-lines:c"] {
            let last = all.iter().rfind(|it| it.locator == locator).cloned();
            prop_assert_eq!(reader.last_event_in(row, locator).unwrap(), last);
        }
        let paged: Vec<_> = (0..=all.len()).map(|it| reader.first_changes_after(row, it as u64, 1).unwrap()).collect();
        let changes = reader.changes_after(row, 0).unwrap();
        for (number, page) in paged.into_iter().enumerate() {
            prop_assert_eq!(page, changes.iter().find(|it| it.sequence > number as u64).cloned().into_iter().collect::<Vec<_>>());
        }
    }
}

#[test]
fn a_turn_is_found_by_its_number_and_a_place_by_its_time() {
    let (mut desk, who) = (Desk::new(), who("s"));
    desk.write(&[piece("a", &who).saying(&all_said(0..12))]);
    let reader = desk.reader();
    let outline = reader.outline(desk.session(&who).row).unwrap();
    let prompts = [1, 2, 3, 4].map(|turn| outline.prompt_of(turn).map(|it| it.0));
    assert_eq!(prompts, [Some(id_of(&who, 0)), Some(id_of(&who, 4)), Some(id_of(&who, 8)), None]);
    assert_eq!((outline.total(), outline.turns()), (12, 3));
    assert_eq!([0, 39, 40, 41, 999].map(|it| outline.first_at(at(it))), [1, 5, 5, 6, 13]);
}

#[test]
fn tools_are_counted_as_they_come_and_after_something_is_removed() {
    let (mut desk, who) = (Desk::new(), who("s"));
    let failed = |it: &mut NewEvent| {
        if it.kind == Kind::ToolResult {
            it.marks = if it.id == id_of(&who, 7) { Marks::FAILED } else { it.marks };
        }
        // A result answers the call before it.
        it.parent = [3, 7, 11]
            .into_iter()
            .find(|key| it.id == id_of(&who, *key))
            .map(|key| id_of(&who, key - 1));
    };
    let check = |desk: &Desk, calls: u64, failed: u64, results: u64| {
        let tools = desk.reader().tools(&Filter::default()).unwrap();
        let [tool] = tools.as_slice() else { panic!("{tools:?}") };
        assert_eq!((tool.tool.as_str(), tool.calls, tool.failed), ("Bash", calls, failed));
        assert_eq!(tool.times, [ToolTime { milliseconds: 10_000, results }]);
        assert_eq!((tool.percentile(50), tool.percentile(95)), (Some(10_000), Some(10_000)));
    };
    desk.write(&[piece("a", &who).saying(&all_said(0..7)).events(failed)]);
    check(&desk, 2, 0, 1);
    desk.write(&[piece("a", &who).from(700).saying(&all_said(7..12)[..]).events(failed)]);
    check(&desk, 3, 1, 3);
    desk.write(&[piece("a", &who).from(1200).removing(&[6])]);
    check(&desk, 2, 0, 2);
}
