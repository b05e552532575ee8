//! Every command shows the same status of a session, with a daemon, which serves the pages, and
//! without.

use super::PROGRAM;
use serde_json::{Value, json};
use std::time::Duration;
use taffrail_model::Timestamp;
use taffrail_testkit::claude::{Line, path};
use taffrail_testkit::{Home, until_every};

const LOOK: Duration = Duration::from_millis(50);

/// The content of a session's transcript, how many seconds ago it ended, and how that is shown.
struct Case {
    says: fn(Line<'_>) -> String,
    ago: i64,
    expected: (&'static str, &'static str, bool),
}

fn asks(line: Line<'_>) -> String {
    let options = json!([{"label": "Keep"}, {"label": "Drop"}]);
    let questions = json!([{"question": "Which one?", "header": "One", "options": options}]);
    line.call("toolu_1", "AskUserQuestion", &json!({"questions": questions}))
}

fn gives_up(line: Line<'_>) -> String {
    let message = json!({"id": "m", "type": "message", "role": "assistant", "model": "<synthetic>",
        "content": [{"type": "text", "text": "API Error: 529"}], "stop_reason": "stop_sequence"});
    line.with(&json!({"type": "assistant", "message": message, "isApiErrorMessage": true}))
}

fn works(line: Line<'_>) -> String {
    line.call("toolu_1", "Bash", &json!({"command": "make"}))
}

const CASES: [Case; 6] = [
    Case { says: |it| it.answer("Done."), ago: 5, expected: ("your_turn", "waiting", false) },
    Case { says: |it| it.answer("Done."), ago: 900, expected: ("done", "exited", false) },
    Case { says: asks, ago: 5, expected: ("needs_you", "waiting", false) },
    Case { says: gives_up, ago: 5, expected: ("failed", "waiting", true) },
    Case { says: gives_up, ago: 900, expected: ("failed", "exited", true) },
    // Whether it still runs is unknown.
    Case { says: works, ago: 900, expected: ("idle", "unknown", false) },
];

fn name(number: usize) -> String {
    format!("{number:08}-1111-4111-8111-111111111111")
}

fn written(home: &Home, number: usize, case: &Case, now: i64) {
    let session = name(number);
    let line = Line { session: &session, uuid: "u-1", parent: None, second: 1 };
    let last = Line { uuid: "u-2", parent: Some("u-1"), second: 2, ..line };
    let at = |ago: i64| Timestamp::from_second(now - ago).unwrap().to_string();
    let first = line.prompt("Go.").replace("2026-10-01T10:00:01.000Z", &at(case.ago + 3));
    let last = (case.says)(last).replace("2026-10-01T10:00:02.000Z", &at(case.ago));
    home.write(&path(&session), first + &last);
}

/// How every command shows every session.
fn shown(home: &Home) -> Vec<Value> {
    let row = |number| home.session(&name(number));
    let faces = |number: usize| {
        let row: Value = row(number);
        let id = row["id"].as_str().unwrap();
        let show = home.json(&["show", id, "--json"])["session"].clone();
        assert_eq!(show, row, "show and ls");
        let explain = home.json(&["explain", id, "--json"]);
        let said = json!([
            row["status"],
            row["group"],
            row["failed"],
            row["status_since"],
            row["confidence"],
            row["waiting_for"]
        ]);
        let explained = json!([
            explain["status"],
            explain["group"],
            explain["failed"],
            explain["since"],
            explain["confidence"],
            explain["waiting_for"]
        ]);
        assert_eq!(explained, said, "explain and ls");
        let handoff = home.json(&["handoff", id, "--json"]);
        assert_eq!(handoff["status"], row["status"], "handoff and ls");
        json!([row["group"], row["status"], row["failed"]])
    };
    (0..CASES.len()).map(faces).collect()
}

#[test]
fn all_faces_say_the_same_of_a_session_with_a_daemon_and_without() {
    let home = Home::new(PROGRAM);
    let now = Timestamp::now().as_second();
    CASES.iter().enumerate().for_each(|(number, case)| written(&home, number, case, now));
    let expected: Vec<Value> =
        CASES.iter().map(|it| json!([it.expected.0, it.expected.1, it.expected.2])).collect();
    home.index();
    assert_eq!(shown(&home), expected);
    let _run = home.spawn(&["daemon", "run"]);
    // Rows of a daemon that has only just started do not say yet what it follows.
    until_every(LOOK, "the daemon to follow all sessions", || {
        (super::daemon_status(&home)["live_sessions"] == CASES.len()).then_some(())
    });
    assert_eq!(shown(&home), expected);
}
