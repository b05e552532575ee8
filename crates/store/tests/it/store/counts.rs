//! Incremental counts equal a recount.

use crate::store::builder::{Desk, Said, all_said, at, piece, who};
use proptest::prelude::*;
use taffrail_model::observed::Marks;
use taffrail_model::{Kind, Timestamp};
use taffrail_store::EventRow;

#[derive(Debug, PartialEq, Eq)]
struct Counts {
    turns: usize,
    prompts: usize,
    tool_calls: usize,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
}

fn kept(desk: &Desk) -> Counts {
    let session = desk.session(&who("s"));
    Counts {
        turns: usize::try_from(session.turns).unwrap(),
        prompts: usize::try_from(session.prompts).unwrap(),
        tool_calls: usize::try_from(session.tool_calls).unwrap(),
        first: session.started_at,
        last: session.last_event_at,
    }
}

fn recounted(events: &[EventRow]) -> Counts {
    let count = |is: fn(&EventRow) -> bool| events.iter().filter(|row| is(row)).count();
    Counts {
        turns: count(|row| row.marks.has(Marks::OPENS_TURN)),
        prompts: count(|row| row.kind == Kind::UserPrompt),
        tool_calls: count(|row| row.kind == Kind::ToolCall),
        first: events.iter().map(|row| row.at).min(),
        last: events.iter().map(|row| row.at).max(),
    }
}

#[derive(Debug, Clone)]
enum Step {
    Append { path: &'static str, said: Vec<Said>, removed: Vec<u32> },
    Again { path: &'static str, said: Vec<Said> },
}

fn records() -> impl Strategy<Value = Vec<Said>> {
    let one = (0u32..10, 0u32..4, 0i64..8, 0u32..3).prop_map(|(key, kind, second, text)| Said {
        key,
        kind,
        second,
        text,
    });
    prop::collection::vec(one, 0..6)
}

fn step() -> impl Strategy<Value = Step> {
    let path = || prop::sample::select(vec!["a", "b"]);
    prop_oneof![
        2 => (path(), records(), prop::collection::vec(0u32..10, 0..3))
            .prop_map(|(path, said, removed)| Step::Append { path, said, removed }),
        1 => (path(), records()).prop_map(|(path, said)| Step::Again { path, said }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    #[test]
    fn kept_counts_equal_a_recount(
        steps in prop::collection::vec(step(), 1..14), batch in 1usize..4
    ) {
        let mut desk = Desk::new();
        for group in steps.chunks(batch) {
            let made: Vec<_> = group.iter().map(|step| match step {
                Step::Append { path, said, removed } =>
                    piece(path, &who("s")).saying(said).removing(removed),
                Step::Again { path, said } => piece(path, &who("s")).saying(said).again(),
            }).collect();
            desk.write(&made);
            prop_assert_eq!(kept(&desk), recounted(&desk.events(&who("s"))));
        }
    }
}

#[test]
fn the_latest_answer_is_known_by_its_time() {
    let (mut desk, who) = (Desk::new(), who("a"));
    desk.write(&[piece("a", &who).saying(&all_said(0..2))]);
    let row = desk.session(&who).row;
    assert_eq!(desk.reader().last_usage(row).unwrap(), None);
    desk.write(&[piece("a", &who).from(20).spending("x", 9, 5).spending("y", 3, 7)]);
    let (when, tokens) = desk.reader().last_usage(row).unwrap().unwrap();
    assert_eq!((when, tokens.output), (at(9), 5));
}
