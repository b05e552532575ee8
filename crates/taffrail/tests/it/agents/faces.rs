//! Every command says the same of a session that a real agent runs.

use crate::agents::stage::PAUSE;
use serde_json::Value;
use std::time::{Duration, Instant};
use taffrail_testkit::Home;

/// How long a session may move under the commands before the test gives up.
const LIMIT: Duration = Duration::from_secs(20);
/// What `show` and `explain` say in the words of the list.
const WORDS: [&str; 5] = ["status", "group", "failed", "confidence", "waiting_for"];

/// What each command says of a session at one moment.
struct Said {
    row: Value,
    shown: Value,
    explained: Value,
    snapshot: Value,
    state: Value,
}

/// Asks every command about a session until it did not move meanwhile, and compares the answers.
pub(crate) fn agree(home: &Home, id: &str) {
    let start = Instant::now();
    loop {
        let said = ask(home, id);
        // What moves between two questions may be answered differently.
        if said.row == row(home, id) {
            return compare(&said);
        }
        assert!(start.elapsed() < LIMIT, "it never rests: {}", said.row);
        std::thread::park_timeout(PAUSE);
    }
}

fn ask(home: &Home, id: &str) -> Said {
    Said {
        row: row(home, id),
        shown: home.json(&["show", id, "--json"])["session"].take(),
        explained: home.json(&["explain", id, "--json"]),
        snapshot: home.json(&["snapshot", id]),
        state: home.json(&["state", "export", id]),
    }
}

fn row(home: &Home, id: &str) -> Value {
    home.sessions().into_iter().find(|row| row["id"] == id).unwrap()
}

fn compare(said: &Said) {
    let Said { row, shown, explained, snapshot, state } = said;
    assert_eq!(shown, row, "`show` and `ls`");
    let words = |it: &Value| WORDS.map(|word| it[word].clone());
    assert_eq!(words(explained), words(row), "`explain` and `ls`: {row}");
    let status = row["status"].as_str().unwrap();
    assert_eq!(snapshot["workers"][0]["runtime"]["status"], status, "`snapshot` and `ls`: {row}");
    let (of_snapshot, of_state) = documents_say(status);
    let is_among = |all: &[&str], it: &Value| all.contains(&it.as_str().unwrap_or_default());
    assert!(is_among(of_snapshot, &snapshot["session"]["state"]), "{snapshot:#} {row}");
    assert!(is_among(of_state, &state["status"]), "{} {row}", state["status"]);
}

/// The words of a snapshot's session and of a session state that a status allows.
fn documents_say(status: &str) -> (&'static [&'static str], &'static [&'static str]) {
    match status {
        "running" => (&["active"], &["in_progress"]),
        "waiting" | "waiting_approval" => (&["active"], &["paused"]),
        "idle" => (&["idle"], &["paused"]),
        "exited" => {
            (&["completed", "idle", "failed"], &["completed", "paused", "aborted", "error"])
        }
        "unknown" => (&["idle", "failed"], &["paused", "error"]),
        other => panic!("{other} is not a status"),
    }
}
