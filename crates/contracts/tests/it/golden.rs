//! Recorded sessions as documents, in the form a person reads: goal, files, decisions, open tasks.
//!
//! The recordings are those of the daemon's tests and two of our own. `snapshots` has each complete
//! document; every one conforms strictly.

use crate::support::recorded;

use serde::Serialize;
use std::path::{Path, PathBuf};
use taffrail_contracts::captured::{Captured, Carried};
use taffrail_contracts::{Strictness, binding, craft, ecc, find, validate};

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn strictly<T: Serialize>(contract: &str, document: &T) {
    let value = serde_json::to_value(document).unwrap();
    let report = validate(find(contract).expect("a contract"), &value, Strictness::Strict);
    assert_eq!(report.faults, [], "{contract}: {value:#}");
    assert_eq!(report.warnings, [], "{contract}: {value:#}");
}

fn check(name: &str, agent: &str, home: &Path) {
    let sessions = recorded::sessions(agent, home);
    assert!(!sessions.is_empty(), "{name}");
    for (number, captured) in sessions.iter().enumerate() {
        let (state, snapshot) = (craft::of(captured), ecc::of(captured));
        strictly("state", &state);
        strictly("ecc", &snapshot);
        for event in captured.all().iter().flat_map(|session| &session.events) {
            strictly("event", event);
        }
        insta::assert_json_snapshot!(format!("{name}_{number}_state"), state);
        insta::assert_json_snapshot!(format!("{name}_{number}_snapshot"), snapshot);
    }
}

fn check_recorded(name: &str, agent: &str, folder: &str) {
    let home = here("../daemon/tests/recordings").join(name).join("home").join(folder);
    check(name, agent, &home);
}

#[test]
fn recordings_of_claude_code_are_told() {
    for name in ["claude_denied_and_interrupted", "claude_fork_and_compaction", "claude_worker"] {
        check_recorded(name, "claude-code", ".claude");
    }
}

#[test]
fn recordings_of_codex_are_told() {
    for name in ["codex_approved_and_compacted", "codex_resumed_and_forked", "codex_worker"] {
        check_recorded(name, "codex", ".codex");
    }
}

#[test]
fn a_session_with_files_plans_and_decisions_is_told() {
    check("claude_rich", "claude-code", &here("tests/recorded/claude_rich"));
    check("codex_rich", "codex", &here("tests/recorded/codex_rich"));
}

fn rich() -> Captured {
    recorded::sessions("claude-code", &here("tests/recorded/claude_rich")).remove(0)
}

#[test]
fn the_goal_is_cut_after_its_third_sentence_and_no_secret_is_told() {
    let text = serde_json::to_string(&craft::of(&rich())).unwrap();
    let goal = "Make the parser in @src/parse.rs read empty lines. Add a test. \
                Do not touch the lexer, i.e. src/lex.rs.";
    assert_eq!(craft::of(&rich()).goal, goal);
    assert!(text.contains("[redacted:") && !text.contains("sk-ant"), "{text}");
}

#[test]
fn tags_notes_devices_and_stores_are_told() {
    let mut captured = rich();
    captured.remarks.tags = vec!["parser".to_owned()];
    captured.remarks.notes = Some("Tabs come next.".to_owned());
    captured.carried.enabled = true;
    captured.carried.last_sync = Some("2026-08-02T00:00:00Z".parse().unwrap());
    captured.carried.devices = vec!["south".to_owned(), "north".to_owned()];
    captured.carried.store = Some("gcs".to_owned());
    captured.carried.sealed = true;
    captured.here.git_commit = Some("ab".repeat(32));
    let state = craft::of(&captured);
    strictly("state", &state);
    let teleportation = serde_json::to_value(&state.teleportation).unwrap();
    let expected = serde_json::json!({
        "enabled": true, "last_sync": "2026-08-02T00:00:00.000Z", "sync_status": "success",
        "sync_error": null, "devices": ["north", "south"], "storage_backend": "s3",
        "encrypted": true, "shared_with": null,
    });
    assert_eq!(teleportation, expected);
    let status = |carried: Carried| {
        let captured = Captured { carried, ..captured.clone() };
        serde_json::to_value(craft::of(&captured).teleportation).unwrap()["sync_status"].clone()
    };
    let known = captured.carried.clone();
    assert_eq!(status(Carried { waiting: true, ..known.clone() }), "pending");
    assert_eq!(status(Carried { error: Some("no hub".to_owned()), ..known }), "error");
    assert_eq!(status(Carried::default()), serde_json::Value::Null);
    let metadata = serde_json::Value::Object(state.metadata.unwrap());
    assert_eq!(metadata["tags"], serde_json::json!(["parser"]));
    assert_eq!(metadata["notes"], "Tabs come next.");
    assert_eq!(metadata["taffrail"]["storage"], "gcs");
    // A commit that is not a SHA-1 does not match the contract's field.
    assert_eq!(metadata["git_commit"], serde_json::Value::Null);
    assert_eq!(metadata["taffrail"]["git_commit"], "ab".repeat(32));
}

#[test]
fn a_user_whose_name_is_not_an_address_breaks_no_state() {
    let mut captured = rich();
    captured.carried.shared_with = vec!["bob".to_owned()];
    let state = craft::of(&captured);
    strictly("state", &state);
    assert_eq!(state.teleportation.shared_with, Some(None));
    captured.carried.shared_with = vec!["ada@example.org".to_owned(), "bob".to_owned()];
    let state = craft::of(&captured);
    strictly("state", &state);
    assert_eq!(state.teleportation.shared_with, Some(Some(vec!["ada@example.org".to_owned()])));
}

#[test]
fn a_session_of_which_nothing_is_known_is_told_all_the_same() {
    let mut captured = rich();
    captured.workers.clear();
    captured.main.events.clear();
    captured.main.turns.clear();
    captured.main.project_path = None;
    captured.main.started_at = None;
    captured.main.last_event_at = None;
    let state = craft::of(&captured);
    strictly("state", &state);
    strictly("ecc", &ecc::of(&captured));
    assert_eq!((state.project.as_str(), state.agents.len()), ("/", 1));
    assert_eq!(state.created_at, "2026-12-01T00:00:00.000Z");
}

#[test]
fn a_binding_of_ours_conforms() {
    use taffrail_model::binding::{ResumeCapability, SourcePointer};
    use taffrail_model::{Binding, Lifecycle};
    let session = rich().main;
    let provenance = session.events.first().unwrap().provenance.clone();
    let at = provenance.observed_at;
    let mut row = Binding {
        session_id: session.id,
        peer_id: Some("tmux:%3".to_owned()),
        current_executor_peer_id: Some("tmux:%3".to_owned()),
        backend: session.agent.clone(),
        project_path: session.project_path.clone(),
        runtime_session_id: session.runtime_id.clone(),
        runtime_source_uri: session.source_uri,
        source_cursor: Some(provenance.source_cursor.clone()),
        source_generation: 0,
        provenance: vec![SourcePointer { provenance, generation: 0 }],
        resume_capability: ResumeCapability { by_runtime_id: true, ..ResumeCapability::default() },
        created_at: at,
        last_seen_at: at,
        status: Lifecycle::Active,
        metadata: serde_json::Map::new(),
    };
    strictly("binding", &binding::of(&row));
    for lifecycle in [
        Lifecycle::Detached,
        Lifecycle::Resumable,
        Lifecycle::Archived,
        Lifecycle::Lost,
        Lifecycle::Superseded,
    ] {
        row.status = lifecycle;
        row.current_executor_peer_id = None;
        strictly("binding", &binding::of(&row));
    }
    row.status = Lifecycle::Detached;
    row.runtime_source_uri = String::new();
    (row.provenance, row.source_cursor) = (Vec::new(), None);
    let told = serde_json::to_value(binding::of(&row)).unwrap();
    strictly("binding", &told);
    assert_eq!(told["provenance"]["source_kind"], binding::UNAVAILABLE);
}

#[test]
fn a_source_that_does_not_exist_has_no_cursor() {
    use taffrail_model::binding::{ResumeCapability, SourcePointer};
    use taffrail_model::{Binding, Lifecycle};
    let session = rich().main;
    let mut provenance = session.events.first().unwrap().provenance.clone();
    let (at, cursor) = (provenance.observed_at, provenance.source_cursor.clone());
    provenance.source_kind = binding::UNAVAILABLE.to_owned();
    provenance.runtime_source_uri = String::new();
    let pointer = SourcePointer { provenance, generation: 0 };
    let row = Binding {
        session_id: session.id,
        peer_id: None,
        current_executor_peer_id: None,
        backend: session.agent.clone(),
        project_path: None,
        runtime_session_id: session.runtime_id,
        runtime_source_uri: String::new(),
        source_cursor: Some(cursor),
        source_generation: 0,
        provenance: vec![pointer.clone(), pointer],
        resume_capability: ResumeCapability::default(),
        created_at: at,
        last_seen_at: at,
        status: Lifecycle::Detached,
        metadata: serde_json::Map::new(),
    };
    let told = serde_json::to_value(binding::of(&row)).unwrap();
    strictly("binding", &told);
    let cursors = [&told["source_cursor"], &told["provenance"][1]["source_cursor"]];
    assert_eq!(cursors, [&serde_json::Value::Null; 2]);
    // Sessions that were joined have a set of pointers.
    assert_eq!(told["provenance"].as_array().map(Vec::len), Some(2));
}
