//! The life of files, tested through the program: torn, cut, rewritten, moved, compressed, deleted
//! and restored.
#![expect(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

mod agents;
mod disk;
mod lines;
mod many;

use serde_json::Value;
use taffrail_testkit::Home;

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
const SESSION: &str = "11111111-1111-4111-8111-111111111111";
const OTHER: &str = "22222222-2222-4222-8222-222222222222";

/// The compared parts of a session's events: id and text.
type Files = Vec<(String, String)>;

/// The events of the session with this runtime id, after a run of the index.
fn told(home: &Home, runtime_id: &str) -> Files {
    home.index();
    home.events(runtime_id).iter().map(|event| (word(event, "id"), word(event, "text"))).collect()
}

fn ids(told: &Files) -> Vec<&str> {
    told.iter().map(|(id, _)| id.as_str()).collect()
}

fn texts(told: &Files) -> Vec<&str> {
    told.iter().map(|(_, text)| text.as_str()).collect()
}

fn word(value: &Value, name: &str) -> String {
    value[name].as_str().unwrap_or_default().to_owned()
}

fn lifecycle(home: &Home, runtime_id: &str) -> String {
    word(&home.session(runtime_id), "lifecycle")
}

/// How many events of a session are shown from their excerpt.
fn stale(home: &Home, runtime_id: &str) -> usize {
    home.events(runtime_id).iter().filter(|event| event["data"]["stale"] == true).count()
}

/// The cursor after the last change a subscriber saw.
fn cursor(home: &Home, runtime_id: &str) -> String {
    let events = home.events(runtime_id);
    let last = events.iter().max_by_key(|event| event["sequence"].as_u64()).unwrap();
    format!("{}.{}", last["generation"].as_str().unwrap(), last["sequence"])
}

/// The changes after a cursor: kind, text and revision of each.
fn changes(home: &Home, runtime_id: &str, after: &str) -> Vec<(String, String, u64)> {
    let lines = home.lines(&["events", runtime_id, "--json", "--after", after]);
    let change = |it: &Value| {
        (word(it, "kind"), word(it, "text"), it["revision"].as_u64().unwrap_or_default())
    };
    lines.iter().map(change).collect()
}
