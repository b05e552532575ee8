//! Bindings through the program: shown, moved by evidence, repaired by hand; by a command alone and
//! by a daemon.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

mod evidence;
mod features;
use crate::cli::history;
mod repairs;
mod servers;
mod starts;

use history::{FORK, SESSION, WORKER};
use serde_json::{Value, json};
use taffrail_testkit::{Home, Run, until};

/// Whether a daemon answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    Command,
    Daemon,
}

pub(crate) fn daemon(home: &Home) -> Run {
    let run = home.spawn(&["daemon", "run"]);
    until("the daemon", || {
        (home.json(&["daemon", "status", "--json"])["running"] == true).then_some(())
    });
    run
}

/// An indexed home, and a daemon if it should answer.
pub(crate) fn started(by: By, home: &Home) -> Option<Run> {
    let run = (by == By::Daemon).then(|| daemon(home));
    home.index();
    run
}

pub(crate) fn binding(home: &Home, id: &str) -> Value {
    home.json(&["binding", id, "--json"])
}

/// The metadata of a binding, but for the size of its file, which every history has.
pub(crate) fn hints(binding: &Value) -> Value {
    let mut hints = binding["metadata"].clone();
    hints.as_object_mut().unwrap().remove("file");
    hints
}

/// Validates the binding that the program prints.
pub(crate) fn faults(home: &Home, document: &Value) -> Value {
    home.write("document.json", document.to_string());
    let arguments = ["validate", "--contract", "binding", "--strict", "--json", "document.json"];
    let output = home.run(&arguments);
    serde_json::from_str::<Value>(&output.stdout).unwrap()["faults"].take()
}

#[test]
fn every_field_is_told_the_same_with_and_without_a_daemon() {
    let home = history::home();
    home.index();
    let fields = [
        "repowire_session_id",
        "peer_id",
        "current_executor_peer_id",
        "backend",
        "project_path",
        "runtime_session_id",
        "runtime_source_uri",
        "source_cursor",
        "provenance",
        "resume_capability",
        "created_at",
        "last_seen_at",
        "status",
        "metadata",
    ];
    let all: Vec<_> =
        home.sessions().iter().map(|it| it["id"].as_str().unwrap().to_owned()).collect();
    assert!(all.len() > 5, "{all:?}");
    let alone: Vec<_> = all.iter().map(|id| binding(&home, id)).collect();
    for document in &alone {
        let names: Vec<_> = document.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(names.len(), fields.len(), "{names:?}");
        assert!(fields.iter().all(|it| names.contains(it)), "{names:?}");
        assert_eq!(faults(&home, document), json!([]), "{document}");
    }
    let _daemon = daemon(&home);
    let asked: Vec<_> = all.iter().map(|id| binding(&home, id)).collect();
    assert_eq!(asked, alone);
}

#[test]
fn a_binding_says_what_ties_a_session() {
    let home = history::home();
    home.index();
    let size =
        std::fs::metadata(home.path(&taffrail_testkit::claude::path(SESSION))).unwrap().len();
    let uri = format!("claude-jsonl:-w-app/{SESSION}.jsonl");
    let it = binding(&home, SESSION);
    assert_eq!(it["repowire_session_id"], home.session(SESSION)["id"]);
    let told = ["backend", "project_path", "runtime_session_id", "runtime_source_uri", "status"];
    assert_eq!(told.map(|name| &it[name]), ["claude-code", "/w/app", SESSION, &uri, "resumable"]);
    assert_eq!((&it["peer_id"], &it["current_executor_peer_id"]), (&Value::Null, &Value::Null));
    let expected = json!({"by_runtime_id": true, "support": "native",
        "command": ["claude", "--resume", SESSION], "cwd": "/w/app",
        "reason": "its history is there and its agent resumes by id"});
    assert_eq!(it["resume_capability"], expected);
    let expected = json!({"byte_offset": size, "length": 0, "generation": 0});
    assert_eq!(it["source_cursor"], expected);
    assert_eq!(hints(&it), json!({}));
    let from = &it["provenance"];
    assert_eq!(
        (&from["source_kind"], &from["runtime_source_uri"]),
        (&json!("runtime_transcript"), &json!(uri))
    );
    // A sub-agent has a binding, and is never a target of its own.
    let worker = binding(&home, WORKER);
    assert_eq!(
        (&worker["status"], &worker["resume_capability"]["support"]),
        (&json!("detached"), &json!("unsupported"))
    );
    assert_eq!(hints(&worker), json!({"parent_id": it["repowire_session_id"]}));
    let text = home.ok(&["binding", FORK]);
    assert!(text.contains("status                    resumable\n"), "{text}");
    assert!(text.contains("current_executor_peer_id  -\n"), "{text}");
    assert_eq!(home.run(&["binding", "ffffffff"]).status, 3);
    // Without a session it is `link`, which links another device and is for a person.
    assert_eq!(home.run(&["binding"]).status, 6);
}
