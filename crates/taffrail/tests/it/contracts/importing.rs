//! Imported states.

use crate::contracts::faults;
use crate::contracts::history::{PROGRAM, SESSION, home};
use serde_json::{Value, json};
use taffrail_testkit::Home;

/// A state of another tool, with unknown fields and numbers that no float can represent.
const DOCUMENT: &str = r#"{
  "schema_version": "1.0.0", "session_id": "abc12345-def6-7890-ghij-klmnopqrstuv",
  "created_at": "2026-01-17T14:30:00.000Z", "updated_at": "2026-01-17T14:45:23.142Z",
  "device": "iMac", "project": "/w/app", "goal": "Add a quizzical parser", "mode": "default",
  "status": "in_progress", "progress": 0.65,
  "agents": [{"id": "arch-1", "type": "backend-architect", "status": "completed",
    "output_summary": "Designed the marmalade grammar", "x_mood": "calm"}],
  "completed_work": ["Grammar"], "pending_tasks": ["Tests"], "decisions_made": [],
  "files_modified": [{"path": "src/a.rs", "action": "created"}],
  "context_usage": {"estimated_tokens": 25000, "compression_count": 0, "by_agent": {}},
  "teleportation": {"enabled": true, "storage_backend": "claude-desktop", "encrypted": true},
  "x_future": {"kept": true, "big": 123456789012345678901234567890, "small": 1.10}
}"#;
const ID: &str = "abc12345-def6-7890-ghij-klmnopqrstuv";

fn import(home: &Home, text: &str) -> String {
    home.write("state.json", text);
    let told = home.json(&["state", "import", "state.json", "--json"]);
    told["session_id"].as_str().unwrap().to_owned()
}

/// The text without whitespace, so that every digit is compared.
fn packed(text: &str) -> String {
    text.split_whitespace().collect()
}

#[test]
fn what_is_imported_is_exported_as_it_came() {
    let home = Home::new(PROGRAM);
    let id = import(&home, DOCUMENT);
    for name in [id.as_str(), ID] {
        assert_eq!(packed(&home.ok(&["state", "export", name])), packed(DOCUMENT), "{name}");
    }
    // Again, after all derived data is gone, and after our copy is.
    home.ok(&["rebuild", "--yes"]);
    assert_eq!(packed(&home.ok(&["state", "export", &id])), packed(DOCUMENT));
    std::fs::remove_dir_all(home.path(".local/share/taffrail/imported")).unwrap();
    home.index();
    assert_eq!(packed(&home.ok(&["state", "export", &id])), packed(DOCUMENT));
}

#[test]
fn it_is_a_session_like_any_other_and_marked_as_untrusted() {
    let home = Home::new(PROGRAM);
    let id = import(&home, DOCUMENT);
    let session = home.session(ID);
    assert_eq!((&session["id"], &session["title"]), (&json!(id), &json!("Add a quizzical parser")));
    assert_eq!(session["project_path"], "/w/app");
    let events = home.events(&id);
    assert!(events.len() > 4, "{events:?}");
    for event in &events {
        assert_eq!(
            (&event["confidence"], &event["data"]["untrusted"]),
            (&json!("low"), &json!(true))
        );
    }
    let found = home.json(&["search", "marmalade", "--json"]);
    assert_eq!(found["hits"][0]["session_id"], json!(id));
    assert_eq!(faults(&home, "ecc", &home.json(&["snapshot", &id])), [""; 0]);
}

#[test]
fn a_later_document_takes_the_place_of_an_earlier_one() {
    let home = Home::new(PROGRAM);
    let first = import(&home, DOCUMENT);
    let later = DOCUMENT.replace("quizzical", "solemn");
    assert_eq!(import(&home, &later), first);
    assert_eq!(packed(&home.ok(&["state", "export", &first])), packed(&later));
    assert_eq!(home.sessions().len(), 1);
}

#[test]
fn what_does_not_conform_is_refused() {
    let home = Home::new(PROGRAM);
    let check = |text: &str, code: i32| {
        home.write("state.json", text);
        let output = home.run(&["state", "import", "state.json"]);
        assert_eq!(output.status, code, "{text}: {}", output.stderr);
    };
    check(&DOCUMENT.replace("\"1.0.0\"", "\"2.0.0\""), 6);
    check(&DOCUMENT.replace("\"1.0.0\"", "\"0.9.0\""), 6);
    check(&DOCUMENT.replace("\"goal\"", "\"aim\""), 6);
    check("{", 6);
    check("[]", 6);
    check(&DOCUMENT.replace("\"1.0.0\"", "\"1.7.3\""), 0);
    assert_eq!(home.sessions().len(), 1);
    assert_eq!(home.run(&["state", "import", "none.json"]).status, 3);
    assert_eq!(home.run(&["state", "validate", "state.json"]).status, 0);
    assert_eq!(home.run(&["state", "validate", "--strict", "state.json"]).status, 6);
}

#[test]
fn our_own_export_comes_back_beside_the_session_it_is_of() {
    let home = home();
    let exported = home.json(&["state", "export", SESSION]);
    let id = import(&home, &exported.to_string());
    let captured = home.session(SESSION)["id"].clone();
    assert_ne!(json!(id), captured);
    // The session's own id still means the session, and not the document about it.
    let shown = home.json(&["show", captured.as_str().unwrap(), "--json"]);
    assert_eq!(shown["session"]["agent"], "claude-code");
    let back: Value = serde_json::from_str(&home.ok(&["state", "export", &id])).unwrap();
    assert_eq!(back, exported);
}

#[test]
fn what_was_forgotten_does_not_come_back() {
    let home = Home::new(PROGRAM);
    let id = import(&home, DOCUMENT);
    home.ok(&["forget", &id, "--yes"]);
    assert_eq!(home.sessions(), [Value::Null; 0]);
    let folder = home.path(".local/share/taffrail/imported/states");
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 0);
    assert_eq!(home.run(&["state", "import", "state.json"]).status, 6);
    assert_eq!(home.sessions(), [Value::Null; 0]);
}

#[test]
fn a_daemon_reads_it_and_gives_it_back() {
    let home = home();
    let daemon = home.spawn(&["daemon", "run"]);
    let running = || home.json(&["daemon", "status", "--json"])["running"] == true;
    let end = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while !running() {
        assert!(std::time::Instant::now() < end, "the daemon never came up");
        std::thread::yield_now();
    }
    let id = import(&home, DOCUMENT);
    assert_eq!(packed(&home.ok(&["state", "export", &id])), packed(DOCUMENT));
    home.ok(&["tag", SESSION, "+a"]);
    let state = home.json(&["state", "export", SESSION]);
    assert_eq!(state["metadata"]["tags"], json!(["a"]));
    assert_eq!(faults(&home, "state", &state), [""; 0]);
    assert_eq!(faults(&home, "ecc", &home.json(&["snapshot", SESSION])), [""; 0]);
    assert_eq!(
        home.json(&["snapshot", SESSION, "--history"])["snapshots"][0]["snapshot"]["adapterId"],
        "taffrail"
    );
    home.ok(&["daemon", "stop"]);
    drop(daemon);
}
