//! Agents that rewrite their records: rewinds, checkpoints, edited and deleted rows.

use super::{PROGRAM, changes, cursor, lifecycle, stale, texts, told};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use taffrail_testkit::goose::{GooseDb, Message, text};
use taffrail_testkit::{Home, canonical_view, check_same};

const CHAT: &str = "abcd1234-0000-4000-8000-000000000000";
const FILE: &str = ".gemini/tmp/app/chats/session-2026-10-01T10-00-abcd1234.jsonl";

fn line(record: &Value) -> String {
    format!("{record}\n")
}

fn at(second: u32) -> String {
    format!("2026-10-01T10:00:{second:02}.000Z")
}

fn user(id: &str, second: u32, said: &str) -> Value {
    json!({"id": id, "timestamp": at(second), "type": "user", "content": [{"text": said}]})
}

fn model(id: &str, second: u32, said: &str) -> Value {
    let tokens = json!({"input": 9, "output": 4, "cached": 0, "thoughts": 0, "tool": 0});
    json!({"id": id, "timestamp": at(second), "type": "gemini", "content": said, "model": "g",
        "tokens": tokens})
}

fn chat() -> Home {
    let home = Home::new(PROGRAM);
    let head = json!({"sessionId": CHAT, "projectHash": "x", "startTime": at(0),
        "lastUpdated": at(0), "kind": "main"});
    home.write(FILE, line(&head) + &line(&user("m1", 1, "First")) + &line(&model("m2", 2, "Half")));
    home.write(".gemini/tmp/app/.project_root", "/w/app");
    home.index();
    home
}

/// Adds a record, and compares the texts, the changes for a subscriber, and a rebuild.
fn check_record(home: &Home, record: &Value, expected: &[&str], heard: &[(&str, &str)]) {
    let after = cursor(home, CHAT);
    home.append(FILE, line(record));
    assert_eq!(texts(&told(home, CHAT)), expected, "{record}");
    let changes = changes(home, CHAT, &after);
    let got: Vec<_> =
        changes.iter().map(|(kind, text, _)| (kind.as_str(), text.as_str())).collect();
    assert_eq!(got, heard, "{record}");
    let view = canonical_view(home);
    home.ok(&["rebuild", "--yes"]);
    check_same(&record.to_string(), &canonical_view(home), &view);
}

#[test]
fn a_chat_is_written_again_rewound_and_replaced() {
    let home = chat();
    let removed = ("event.removed", "");
    check_record(
        &home,
        &model("m2", 2, "Half, now whole"),
        &["First", "Half, now whole"],
        &[("assistant.message", "Half, now whole")],
    );
    let second = user("m3", 3, "Second");
    check_record(
        &home,
        &second,
        &["First", "Half, now whole", "Second"],
        &[("user.prompt", "Second")],
    );
    check_record(&home, &json!({"$rewindTo": "m3"}), &["First", "Half, now whole"], &[removed]);
    let anew = json!({"$set": {"messages": [user("m1", 1, "First"), model("m9", 4, "Anew")]}});
    check_record(&home, &anew, &["First", "Anew"], &[removed, ("assistant.message", "Anew")]);
    check_record(&home, &json!({"$rewindTo": "nowhere"}), &[], &[removed, removed]);
}

#[test]
fn a_long_document_is_read_back_in_one_go() {
    let home = Home::new(PROGRAM);
    let messages: Vec<_> = (0..1_000)
        .map(|number| user(&format!("m{number}"), number % 60, &format!("Prompt {number}")))
        .collect();
    let document = json!({"sessionId": CHAT, "projectHash": "x", "startTime": at(0),
        "lastUpdated": at(0), "messages": messages});
    let file = ".gemini/tmp/app/chats/session-2025-10-01T10-00-abcd1234.json";
    home.write(file, document.to_string());
    home.index();
    let began = Instant::now();
    assert_eq!(home.events(CHAT).len(), 1_000);
    assert!(began.elapsed() < Duration::from_secs(3), "{:?} for 1,000 events", began.elapsed());
}

fn database() -> (Home, GooseDb, i64) {
    let home = Home::without_archive(PROGRAM);
    let database = GooseDb::open(&home);
    let mut last = 0;
    for session in ["20261001_1", "20261001_2"] {
        database.session(session, "Named", "/w/app", None);
        for (role, said) in [("user", "Ask"), ("assistant", "Answer")] {
            let content = json!([text(&format!("{said} in {session}"))]);
            last = database.message(&Message { session, role, content, at: 1_790_848_800 });
        }
    }
    home.index();
    (home, database, last)
}

#[test]
fn an_edited_message_is_a_new_revision() {
    let (home, database, last) = database();
    let after = cursor(&home, "20261001_2");
    database.edit(last, &json!([text("Another answer")]));
    assert_eq!(texts(&told(&home, "20261001_2")), ["", "Ask in 20261001_2", "Another answer"]);
    let change = ("assistant.message".to_owned(), "Another answer".to_owned(), 2);
    assert_eq!(changes(&home, "20261001_2", &after), [change]);
    assert_eq!(home.index()["bytes_read"], 0);
}

#[test]
fn a_deleted_row_is_a_lost_session_and_the_other_stays() {
    let (home, database, _) = database();
    let before = told(&home, "20261001_2");
    database.delete("20261001_2");
    assert_eq!(told(&home, "20261001_2").len(), before.len());
    assert_eq!(lifecycle(&home, "20261001_2"), "lost");
    assert_eq!(stale(&home, "20261001_2"), before.len());
    assert_eq!(lifecycle(&home, "20261001_1"), "resumable");
    assert_eq!(stale(&home, "20261001_1"), 0);
    home.ok(&["rebuild", "--yes"]);
    assert_eq!(lifecycle(&home, "20261001_2"), "lost");
}

#[test]
fn an_open_write_ahead_log_is_read_and_left_alone() {
    let (home, database, _) = database();
    database.journal_in_a_log();
    let content = json!([text("In the log")]);
    let (session, role) = ("20261001_1", "user");
    database.message(&Message { session, role, content, at: 1_790_848_900 });
    assert_eq!(texts(&told(&home, session)).last(), Some(&"In the log"));
    assert_eq!(home.index()["bytes_read"], 0);
}
