//! Final summaries are made in bounded steps, and found by topic and category.

use super::{FIRST, Machine, SECOND, card, id};
use std::sync::Arc;
use std::time::Instant;
use taffrail_api::{SearchReply, SessionList, Summary};
use taffrail_context::Settings;
use taffrail_ingest::Budget;
use taffrail_model::status::Status;
use taffrail_query::summary::{Made, Walk, bring_up};
use taffrail_store::{IndexReader, Writer};

/// The most rows a step may read, unless one session alone has more.
const MOST: u64 = 4_096 + 256;

/// A month after everything was said.
fn machine() -> Machine {
    Machine::with(|settings| settings.now = || "2026-11-01T00:00:00Z".parse().unwrap())
}

fn kept_by_nobody(machine: &Machine) -> Settings {
    Settings { kept_up: false, ..machine.handle.settings().clone() }
}

#[test]
fn a_step_looks_at_a_bounded_number_of_rows_and_all_are_made_in_the_end() {
    let machine = machine();
    let name = |number: u32| format!("{number:08}-0000-4000-8000-000000000000");
    (0..20).for_each(|number| machine.write(&name(number), 0, 400));
    machine.write(&name(20), 0, 3_500);
    machine.write(&name(21), 0, 3_500);
    machine.read_all();
    let settings = kept_by_nobody(&machine);
    let reader = IndexReader::open(&settings.data).unwrap().unwrap();
    let (mut walk, mut steps, mut finals) = (Walk::new(), 0, Vec::new());
    while !walk.is_done() {
        let Made { finals: made, rows } = walk.step(&reader, &|_| None, &settings).unwrap();
        assert!(rows <= MOST, "{rows} rows");
        finals.extend(made);
        steps += 1;
    }
    assert_eq!(finals.len(), 24, "the two every machine has, too");
    assert!(steps >= 4, "{steps}");
    Writer::open(&settings.data, settings.boot()).unwrap().keep_finals(&finals).unwrap();
    let mut walk = Walk::new();
    let again = walk.step(&reader, &|_| None, &settings).unwrap();
    assert_eq!((again.finals, walk.is_done()), (Vec::new(), true), "twice is once");
}

#[test]
fn what_is_over_is_found_by_what_it_was_about() {
    let machine = machine();
    let total = |query: &str| {
        let reply: SearchReply = machine.client().get(&format!("/api/search?q={query}")).unwrap();
        (reply.total, reply.partial)
    };
    assert_eq!(total("category:other"), (0, true), "a daemon has not made them yet");
    let settings = kept_by_nobody(&machine);
    assert!(!bring_up(&settings, Budget::Until(Instant::now())).unwrap(), "no time");
    assert!(bring_up(&settings, Budget::Whole).unwrap());
    // What the first session repeats of the second is a hit of the second.
    assert_eq!(total("category:other"), (6, false));
    assert_eq!(total("category:fix"), (0, false));
    assert_eq!(total("topic:number%20in:11111111-1111-4111-8111-111111111111"), (4, false));
    let listed = |query: &str| {
        let list: SessionList = machine.client().get(&format!("/api/sessions?{query}")).unwrap();
        list.sessions.iter().map(|it| it.id).collect::<Vec<_>>()
    };
    assert_eq!(listed("topic=prompt"), [id(FIRST), id(SECOND)]);
    assert_eq!(listed("topic=prompt&category=docs"), []);
    for path in ["/api/search?q=category:poem", "/api/sessions?category=poem"] {
        assert_eq!(machine.get(path).status, 400, "{path}");
    }
}

#[test]
fn what_was_kept_is_told_while_it_is_over() {
    let machine = machine();
    bring_up(&kept_by_nobody(&machine), Budget::Whole).unwrap();
    let path = format!("/api/sessions/{}/summary", id(FIRST));
    let over: Summary = machine.client().get(&path).unwrap();
    assert_eq!(over.category.as_deref(), Some("other"));
    assert_eq!(over.topics, ["number", "prompt", "answer"]);
    machine.handle.live().put_status(id(FIRST), Some(Arc::new(card(Status::Running))));
    let runs: Summary = machine.client().get(&path).unwrap();
    assert_eq!((runs.category, runs.topics), (None, Vec::new()));
    assert!(!runs.current.starts_with("over"), "{}", runs.current);
}
