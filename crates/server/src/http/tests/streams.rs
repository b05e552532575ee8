//! Event streams: their beginning, what follows, and resuming after a disconnect.

use super::{FIRST, Machine, SECOND, id};
use taffrail_api::client::Update as Message;
use taffrail_api::{CapturePage, EventLine, StatusList, StreamBegin, StreamReply};
use taffrail_context::{Update, UpdateKind};
use taffrail_model::Kind;
use taffrail_model::status::Status;

fn sequence(line: &EventLine) -> u64 {
    match line {
        EventLine::Event(event) => event.sequence,
        EventLine::Removed(removed) => removed.sequence,
    }
}

fn event(message: &Message) -> u64 {
    assert_eq!(message.name, "");
    sequence(&serde_json::from_str(&message.data).unwrap())
}

fn begin(message: &Message) -> StreamBegin {
    serde_json::from_str(&message.data).unwrap()
}

#[test]
fn a_stream_is_a_snapshot_and_all_that_follows() {
    let machine = Machine::new();
    let path = format!("/api/sessions/{}/stream", id(FIRST));
    let mut stream = machine.client().follow(&path).unwrap();
    let mut next = || stream.next().unwrap().unwrap();
    let cursor = machine.cursor(FIRST);
    let begun = begin(&next());
    assert_eq!((begun.snapshot, begun.cursor.as_str()), (true, cursor.to_string().as_str()));
    let snapshot: Vec<_> = (0..cursor.sequence).map(|_| next()).collect();
    let (last, before) = snapshot.split_last().unwrap();
    assert_eq!(last.cursor, Some(cursor.to_string()));
    assert!(before.iter().all(|it| it.cursor.is_none()));
    machine.goes_on(FIRST, 6, 8);
    let after = machine.cursor(FIRST);
    let told: Vec<_> = (cursor.sequence..after.sequence).map(|_| next()).collect();
    let sequences: Vec<_> = told.iter().map(event).collect();
    assert_eq!(sequences, (cursor.sequence + 1..=after.sequence).collect::<Vec<_>>());
    assert_eq!(told.last().unwrap().cursor, Some(after.to_string()));
    machine.stands(SECOND, Status::Running);
    machine.stands(FIRST, Status::WaitingApproval);
    let status = next();
    assert_eq!(status.name, "status");
    assert!(status.data.contains(r#""status":"waiting_approval""#), "{status:?}");
}

#[test]
fn a_cursor_goes_on_where_it_stopped_and_an_unknown_one_begins_anew() {
    let machine = Machine::new();
    let cursor = machine.cursor(FIRST);
    machine.goes_on(FIRST, 6, 10);
    let after = machine.cursor(FIRST);
    let check = |given: &str, snapshot: bool, expected: Vec<u64>| {
        let path = format!("/api/sessions/{FIRST}/stream?after={given}");
        let mut stream = machine.client().follow(&path).unwrap();
        let begun = begin(&stream.next().unwrap().unwrap());
        assert_eq!((begun.snapshot, begun.cursor), (snapshot, after.to_string()), "{given}");
        let messages: Vec<_> = stream.take(expected.len()).map(Result::unwrap).collect();
        let mut got: Vec<_> = messages.iter().map(event).collect();
        got.sort_unstable();
        assert_eq!(got, expected, "{given}");
        let last = messages.last().and_then(|it| it.cursor.clone());
        assert!(last.is_none_or(|it| it == after.to_string()), "{given}");
        let reply: StreamReply = machine.client().get(&path).unwrap();
        let mut got: Vec<_> = reply.events.iter().map(sequence).collect();
        got.sort_unstable();
        assert_eq!((reply.snapshot, got), (snapshot, expected), "{given}");
    };
    let missed: Vec<_> = (cursor.sequence + 1..=after.sequence).collect();
    let all: Vec<_> = (1..=after.sequence).collect();
    check(&cursor.to_string(), false, missed.clone());
    check(&cursor.sequence.to_string(), false, missed);
    check(&after.to_string(), false, Vec::new());
    check("other.3", true, all.clone());
    check("nonsense", true, all.clone());
    check(&format!("{}.999999", after.generation), true, all);
}

#[test]
fn each_event_of_a_resumed_stream_carries_its_own_cursor() {
    let machine = Machine::new();
    let cursor = machine.cursor(FIRST);
    machine.goes_on(FIRST, 6, 10);
    let path = format!("/api/sessions/{FIRST}/stream?after={cursor}");
    let mut stream = machine.client().follow(&path).unwrap();
    stream.next();
    for number in 1..=4 {
        let expected = format!("{}.{}", cursor.generation, cursor.sequence + number);
        assert_eq!(stream.next().unwrap().unwrap().cursor, Some(expected));
    }
}

#[test]
fn changes_are_given_page_by_page() {
    let machine = Machine::new();
    let mut after = String::new();
    let mut seen = Vec::new();
    loop {
        let path = format!("/api/sessions/{FIRST}/capture/events?limit=4&after={after}");
        let page: CapturePage = machine.client().get(&path).unwrap();
        assert_eq!(page.snapshot, seen.is_empty());
        seen.extend(page.events.iter().map(sequence));
        after = page.cursor;
        if !page.more {
            break;
        }
    }
    assert_eq!(seen, (1..=machine.cursor(FIRST).sequence).collect::<Vec<_>>());
    let path = format!("/api/sessions/{FIRST}/capture/events?after={after}");
    let page: CapturePage = machine.client().get(&path).unwrap();
    assert_eq!((page.events, page.more, page.cursor), (Vec::new(), false, after));
}

#[test]
fn who_follows_all_hears_of_all() {
    let machine = Machine::new();
    machine.stands(FIRST, Status::Running);
    let mut statuses = machine.client().follow("/api/stream/status").unwrap();
    let mut everything = machine.client().follow("/api/stream").unwrap();
    for stream in [&mut statuses, &mut everything] {
        let first = stream.next().unwrap().unwrap();
        let list: StatusList = serde_json::from_str(&first.data).unwrap();
        assert_eq!(first.name, "snapshot");
        assert_eq!(list.sessions.iter().map(|it| it.id).collect::<Vec<_>>(), [id(FIRST)]);
        assert_eq!(list.sessions[0].status, Status::Running);
    }
    machine.goes_on(SECOND, 2, 3);
    machine.stands(SECOND, Status::Waiting);
    let told = everything.next().unwrap().unwrap();
    assert!(told.data.contains("Prompt number 0002."), "{told:?}");
    assert_eq!(everything.next().unwrap().unwrap().name, "status");
    assert_eq!(statuses.next().unwrap().unwrap().name, "status");
}

#[test]
fn who_is_too_slow_is_told_and_misses_nothing() {
    let machine = Machine::new();
    let path = format!("/api/sessions/{FIRST}/stream");
    let mut stream = machine.client().follow(&path).unwrap();
    let cursor = machine.cursor(FIRST);
    for _ in 0..=cursor.sequence {
        stream.next().unwrap().unwrap();
    }
    machine.goes_on(FIRST, 6, 8);
    // The socket takes some megabytes before the server notices that the client does not read.
    let line = machine.made_up(Kind::Notice, &"x".repeat(64 * 1024));
    let cursor_now = machine.cursor(FIRST).to_string();
    let filler = UpdateKind::Event { line, cursor: cursor_now };
    for _ in 0..4_000 {
        machine.handle.live().publish(Update {
            session: id(FIRST),
            is_remote: false,
            what: filler.clone(),
        });
    }
    machine.goes_on(FIRST, 8, 10);
    let end = machine.cursor(FIRST);
    let mut lagged = false;
    let mut seen = Vec::new();
    for message in stream {
        let message = message.unwrap();
        if message.name == "lagged" {
            lagged = true;
            let begun = begin(&message);
            assert_eq!(begun.session.id, id(FIRST));
        } else if !message.data.contains("xxxx") {
            seen.push(event(&message));
        }
        if message.cursor.as_deref() == Some(end.to_string().as_str()) {
            break;
        }
    }
    seen.sort_unstable();
    seen.dedup();
    assert!(lagged, "nobody was told");
    let expected: Vec<_> = (cursor.sequence + 1..=end.sequence).collect();
    assert!(expected.iter().all(|it| seen.contains(it)), "{seen:?}");
}

#[test]
fn streams_end_with_the_daemon() {
    let mut machine = Machine::new();
    let mut stream = machine.client().follow("/api/stream").unwrap();
    stream.next().unwrap().unwrap();
    machine.stop_server();
    assert!(stream.next().is_none());
}
