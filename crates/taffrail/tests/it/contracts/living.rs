//! Imported states on every face: listed, shown, handed over, and a start for an agent.

use crate::contracts::faults;
use crate::contracts::history::PROGRAM;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use taffrail_testkit::Home;

const ID: &str = "5f2d9c1e-7a34-4b60-9d18-c0ffee000001";

/// A state in which work goes on, last changed at this time.
fn state(updated: &str) -> Value {
    json!({
        "schema_version": "1.0.0", "session_id": ID, "created_at": "2026-02-03T08:00:00.000Z",
        "updated_at": updated, "device": "attic", "project": "/home/eve/src/kiln",
        "goal": "Fire the kiln evenly", "mode": "default", "status": "in_progress", "progress": 0.4,
        "agents": [
            {"id": "draw-1", "type": "doc-writer", "status": "completed", "result": "success",
                "output_summary": "Drew the flue", "artifacts": {"files_created": ["flue.svg"]}},
            {"id": "code-7", "type": "feature-dev", "status": "running", "blocking_on": "draw-1"},
        ],
        "completed_work": ["Flue drawn"],
        "pending_tasks": ["Write the damper (code-7)", "Measure the heat"],
        "decisions_made": [{"timestamp": "2026-02-03T08:10:00.000Z", "context": "Which fuel?",
            "options": ["gas", "wood"], "chosen": "wood", "reasoning": "the gas line is closed"}],
        "files_modified": [{"path": "src/damper.rs", "action": "created", "agent_id": "code-7"}],
        "context_usage": {"estimated_tokens": 9}, "metadata": {
            "git_branch": "heat", "tags": ["kiln", "wood fire", "a\u{7}b"], "notes": "Ask Bo for cones"},
        "teleportation": {"enabled": false, "storage_backend": "local", "encrypted": false},
    })
}

fn import(home: &Home, document: &Value) -> String {
    home.write("state.json", document.to_string());
    home.json(&["state", "import", "state.json", "--json"])["session_id"].as_str().unwrap().into()
}

/// A moment ago, and long ago: a recent session has a live status, another has not.
#[expect(clippy::disallowed_methods, reason = "a session of just now needs to know the time")]
fn times() -> [String; 2] {
    [taffrail_model::Timestamp::now().to_string(), "2026-02-03T09:00:00.000Z".to_owned()]
}

#[test]
fn an_imported_plan_in_progress_is_not_listed_as_done() {
    for updated in times() {
        let home = Home::new(PROGRAM);
        let id = import(&home, &state(&updated));
        let row = home.session(ID);
        assert_eq!(row["imported"], json!({"status": "in_progress", "progress": 0.4}), "{updated}");
        let of = |it: &Value| [&it["group"], &it["status"], &it["failed"]].map(Clone::clone);
        assert_eq!(of(&row), [json!("idle"), json!("unknown"), json!(false)], "{updated}");
        let shown = home.json(&["show", &id, "--json"])["session"].clone();
        let explained = home.json(&["explain", &id, "--json"]);
        assert_eq!((of(&shown), of(&explained)), (of(&row), of(&row)), "{updated}");
        assert!(home.ok(&["ls"]).contains("(imported: in progress, 40 %) Fire"), "{updated}");
        assert!(home.ok(&["show", &id]).contains("imported: in progress, 40 %"), "{updated}");
    }
}

#[test]
fn a_document_whose_work_ended_is_done_or_failed() {
    let check = |status: &str, group: &str| {
        let home = Home::new(PROGRAM);
        let mut document = state("2026-02-03T09:00:00.000Z");
        document["status"] = json!(status);
        import(&home, &document);
        let row = home.session(ID);
        assert_eq!((&row["group"], &row["status"]), (&json!(group), &json!("exited")), "{status}");
    };
    check("completed", "done");
    check("aborted", "done");
    check("error", "failed");
}

#[test]
fn show_has_the_work_of_the_document_exactly() {
    let home = Home::new(PROGRAM);
    let document = state("2026-02-03T09:00:00.000Z");
    let id = import(&home, &document);
    let imported = home.json(&["show", &id, "--json"])["imported"].clone();
    let names = ["status", "progress", "agents", "completed_work", "pending_tasks"];
    for name in names.into_iter().chain(["decisions_made", "files_modified"]) {
        assert_eq!(imported[name], document[name], "{name}");
    }
}

#[test]
fn a_handoff_of_an_import_lacked_its_files_tasks_decisions_and_agents() {
    let home = Home::new(PROGRAM);
    let id = import(&home, &state("2026-02-03T09:00:00.000Z"));
    let brief = home.ok(&["handoff", &id]);
    for part in [
        "Fire the kiln evenly",
        "status in the imported document: in progress, 40 %",
        "- draw-1 (doc-writer), completed: Drew the flue",
        "- code-7 (feature-dev), running",
        "- Which fuel?: wood (the gas line is closed)",
        "- created src/damper.rs",
        "- Write the damper (code-7)",
        "- Measure the heat",
        "- Flue drawn",
        "taffrail document resume FILE --project DIR --agent AGENT",
    ] {
        assert!(brief.contains(part), "{part} is not in\n{brief}");
    }
    let facts = home.json(&["handoff", &id, "--json"]);
    assert_eq!(facts["agents"][0]["type"], "doc-writer");
    assert_eq!(facts["imported"]["progress"], json!(0.4));
}

#[test]
fn a_snapshot_of_an_import_in_progress_said_completed() {
    let home = Home::new(PROGRAM);
    let id = import(&home, &state("2026-02-03T09:00:00.000Z"));
    let snapshot = home.json(&["snapshot", &id]);
    assert_eq!(
        (&snapshot["session"]["state"], &snapshot["session"]["kind"]),
        (&json!("idle"), &json!("imported"))
    );
    let workers = snapshot["workers"].as_array().unwrap();
    let of = |it: &Value| [&it["id"], &it["state"], &it["runtime"]["active"]].map(Clone::clone);
    let expected = [
        [json!("draw-1"), json!("completed"), json!(false)],
        [json!("code-7"), json!("running"), json!(false)],
    ];
    assert_eq!(workers.iter().map(of).collect::<Vec<_>>(), expected);
    assert_eq!(workers[1]["outputs"]["remainingRisks"], json!(["Waits for agent draw-1"]));
    assert_eq!(faults(&home, "ecc", &snapshot), [""; 0]);
}

#[test]
fn a_document_that_repeats_an_id_still_has_a_snapshot() {
    let home = Home::new(PROGRAM);
    let mut document = state("2026-02-03T09:00:00.000Z");
    document["agents"][1]["id"] = json!("draw-1");
    document["agents"][0]["type"] = json!("");
    let id = import(&home, &document);
    let snapshot = home.json(&["snapshot", &id]);
    assert_eq!(snapshot["workers"][1]["id"], "draw-1#2");
    assert_eq!(faults(&home, "ecc", &snapshot), [""; 0]);
}

#[test]
fn tags_and_notes_of_a_document_were_not_taken_over() {
    let home = Home::new(PROGRAM);
    let id = import(&home, &state("2026-02-03T09:00:00.000Z"));
    // A text with a control character is not a tag.
    let tags = || home.json(&["tag", &id, "--json"])["tags"].clone();
    assert_eq!(tags(), json!(["kiln", "wood fire"]));
    assert_eq!(home.session(ID)["tags"], json!(["kiln", "wood fire"]));
    home.ok(&["tag", &id, "+mine"]);
    import(&home, &state("2026-02-03T09:30:00.000Z"));
    assert_eq!(tags(), json!(["kiln", "mine", "wood fire"]));
    let notes = home.json(&["note", &id, "--json"])["notes"].clone();
    let texts: Vec<_> = notes.as_array().unwrap().iter().map(|it| it["text"].clone()).collect();
    assert_eq!(texts, ["Ask Bo for cones"]);
}

/// An agent that writes down how it was started.
fn install(home: &Home) -> String {
    let script = "#!/bin/sh\npwd > started; printf '%s\\n' \"$@\" >> started\n";
    home.write("bin/claude", script);
    let program = home.path("bin/claude");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    format!("{}:/usr/bin:/bin", home.path("bin").display())
}

/// The exit code, stdout and stderr.
fn resume(home: &Home, path: &str, more: &[&str]) -> (i32, String, String) {
    let arguments = ["state", "resume", "state.json", "--project", "elsewhere"];
    let arguments: Vec<_> = arguments.iter().chain(more).copied().collect();
    let ran = home.command(&arguments).env("PATH", path).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (ran.status.code().unwrap(), text(ran.stdout), text(ran.stderr))
}

#[test]
fn an_agent_starts_from_a_document_in_another_folder() {
    let home = Home::new(PROGRAM);
    home.write("state.json", state("2026-02-03T09:00:00.000Z").to_string());
    home.write("elsewhere/README", "");
    let (path, claude) = (install(&home), ["--agent", "claude-code"]);
    let folder = home.path("elsewhere").canonicalize().unwrap();
    let dry = resume(&home, &path, &[claude[0], claude[1], "--dry-run", "--json"]);
    let dry: Value = serde_json::from_str(&dry.1).unwrap();
    assert_eq!(dry["cwd"], json!(folder));
    assert_eq!(dry["command"][0], "claude");
    assert_eq!(home.sessions(), [Value::Null; 0], "a dry run imports nothing");
    assert!(!home.path(dry["brief"].as_str().unwrap()).exists(), "nor does it write a brief");
    let (code, _, told) = resume(&home, &path, &claude);
    assert_eq!(code, 0, "{told}");
    let started = std::fs::read_to_string(folder.join("started")).unwrap();
    let mut lines = started.lines();
    assert_eq!(lines.next(), folder.to_str());
    assert!(started.contains(dry["brief"].as_str().unwrap()), "{started}");
    let brief = std::fs::read_to_string(dry["brief"].as_str().unwrap()).unwrap();
    assert!(brief.contains("Measure the heat"), "{brief}");
    assert_eq!(home.session(ID)["id"], dry["session_id"]);
}

#[test]
fn a_start_from_a_document_is_refused_before_anything_is_written() {
    let home = Home::new(PROGRAM);
    let path = install(&home);
    home.write("elsewhere/README", "");
    let check = |document: &Value, more: &[&str], (code, words): (i32, &str)| {
        home.write("state.json", document.to_string());
        let (got, _, told) = resume(&home, &path, more);
        assert_eq!(got, code, "{more:?}: {told}");
        assert!(told.contains(words), "{more:?}: {told}");
        assert_eq!(home.sessions(), [Value::Null; 0]);
    };
    let good = state("2026-02-03T09:00:00.000Z");
    check(&good, &["--agent", "codex"], (6, "codex is not installed"));
    check(&good, &["--agent", "parrot"], (2, "parrot"));
    check(&json!({"session_id": "x"}), &["--agent", "claude-code"], (6, "schema_version"));
    std::fs::remove_dir_all(home.path("elsewhere")).unwrap();
    check(&good, &["--agent", "claude-code"], (6, "is not a folder"));
    std::fs::remove_file(home.path("state.json")).unwrap();
    assert_eq!(resume(&home, &path, &["--agent", "claude-code"]).0, 3);
}
