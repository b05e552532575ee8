//! Captured sessions as snapshots and states.

use crate::contracts::faults;
use crate::contracts::history::{FORK, SESSION, THREAD, WORKER, home};
use crate::contracts::steady::check_json;
use serde_json::{Value, json};
use taffrail_testkit::claude::{Line, path};

/// The document without values that depend on the machine.
fn steadied(mut document: Value) -> Value {
    if document.get("device").is_some() {
        document["device"] = json!("[device]");
        document["teleportation"]["devices"] = json!(["[device]"]);
    }
    document
}

#[test]
fn two_sessions_are_told_whole() {
    let home = home();
    home.index();
    for (name, id) in [("claude", SESSION), ("codex", THREAD)] {
        let snapshot = home.json(&["snapshot", id]);
        assert_eq!(faults(&home, "ecc", &snapshot), [""; 0]);
        check_json(&format!("snapshot_{name}"), snapshot);
        let state = home.json(&["state", "export", id]);
        assert_eq!(faults(&home, "state", &state), [""; 0]);
        check_json(&format!("state_{name}"), steadied(state));
    }
}

#[test]
fn every_session_conforms_to_the_letter() {
    let home = home();
    for session in home.sessions() {
        let id = session["id"].as_str().unwrap();
        assert_eq!(faults(&home, "ecc", &home.json(&["snapshot", id])), [""; 0]);
        assert_eq!(faults(&home, "state", &home.json(&["state", "export", id])), [""; 0]);
    }
}

#[test]
fn events_and_bindings_conform_as_they_are_printed() {
    let home = home();
    home.write("events.jsonl", home.ok(&["events", SESSION, "--json"]));
    home.ok(&["validate", "--contract", "event", "--strict", "events.jsonl"]);
    for session in home.sessions() {
        let id = session["id"].as_str().unwrap();
        assert_eq!(faults(&home, "binding", &home.json(&["binding", id, "--json"])), [""; 0]);
    }
}

#[test]
fn a_history_keeps_each_body_once() {
    let home = home();
    let kept = || home.json(&["snapshot", SESSION, "--history"])["snapshots"].clone();
    assert_eq!(kept(), json!([]));
    let first = home.json(&["snapshot", SESSION]);
    home.ok(&["snapshot", SESSION]);
    assert_eq!(kept().as_array().unwrap().len(), 1);
    assert_eq!(kept()[0]["snapshot"], first);
    let line = Line { session: SESSION, uuid: "u-9", parent: Some("u-6"), second: 30 };
    home.append(&path(SESSION), line.prompt("And now the lexer."));
    let second = home.json(&["snapshot", SESSION]);
    assert_ne!(first, second);
    let all = kept();
    assert_eq!((&all[0]["snapshot"], &all[1]["snapshot"]), (&first, &second));
    assert_eq!(all.as_array().unwrap().len(), 2);
    assert!(all[0]["taken_at"].as_str() <= all[1]["taken_at"].as_str());
}

/// A snapshot of another tool, with fields and a state that the contract does not know.
fn theirs() -> Value {
    json!({
        "schemaVersion": "ecc.session.v1", "adapterId": "kiln-watch", "x-top": 1,
        "session": {"id": "firing-7", "kind": "kiln", "state": "cooling", "mood": "calm",
            "sourceTarget": {"type": "kiln", "value": "7"}},
        "workers": [{
            "id": "w1", "label": "flue", "state": "glowing", "artifacts": {"chart": "c.svg"},
            "runtime": {"kind": "kiln", "active": true, "dead": false, "heat": 900},
            "intent": {"objective": "Fire the \u{1b}[31mvase evenly", "seedPaths": []},
            "outputs": {"summary": ["Damper set"], "validation": [], "remainingRisks": []},
        }],
        "aggregates": {"workerCount": 1, "states": {"glowing": 1}},
    })
}

#[test]
fn a_snapshot_of_another_tool_is_shown_listed_and_searched() {
    let home = home();
    let file = theirs();
    home.write("theirs.json", file.to_string());
    assert_eq!(home.json(&["document", "snapshot", "theirs.json"]), file);
    let listed = |words: &[&str]| {
        let told = home.json(&[&["document", "snapshot", "--json", "--list"], words].concat());
        let all = told["snapshots"].as_array().unwrap().clone();
        all.iter().map(|it| it["session"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(listed(&[]), ["firing-7"]);
    home.ok(&["document", "snapshot", SESSION]);
    assert_eq!(listed(&[]).len(), 2);
    assert_eq!(listed(&["damper", "COOLING"]), ["firing-7"]);
    assert_eq!(listed(&["calm"]), [""; 0], "only documented fields are read");
    let shown = home.ok(&["document", "snapshot", "--list", "vase"]);
    assert!(shown.contains("kiln-watch") && !shown.contains('\u{1b}'), "{shown}");
    let history = home.json(&["document", "snapshot", "theirs.json", "--history"]);
    assert_eq!(history["snapshots"][0]["snapshot"], file);
    let mut wrong = file;
    wrong["aggregates"]["workerCount"] = json!(2);
    home.write("theirs.json", wrong.to_string());
    let output = home.run(&["document", "snapshot", "theirs.json"]);
    assert_eq!(output.status, 6, "{}", output.stderr);
    assert!(output.stderr.contains("/aggregates/workerCount"), "{}", output.stderr);
}

#[test]
fn workers_are_among_the_agents() {
    let home = home();
    let state = home.json(&["state", "export", SESSION]);
    let ids: Vec<_> = state["agents"].as_array().unwrap().iter().map(|it| &it["id"]).collect();
    assert_eq!(ids, ["main", WORKER]);
    let snapshot = home.json(&["snapshot", SESSION]);
    assert_eq!(snapshot["aggregates"]["workerCount"], 2);
}

#[test]
fn a_person_gives_the_mode_that_no_agent_records() {
    let home = home();
    let mode = |more: &[&str]| {
        let state = home.json(&[&["document", "export", SESSION], more].concat());
        assert_eq!(faults(&home, "state", &state), [""; 0]);
        (state["mode"].clone(), state["metadata"]["taffrail"]["mode_from"].clone())
    };
    assert_eq!(mode(&[]), (json!("default"), json!("none")));
    assert_eq!(mode(&["--mode", "optimize"]), (json!("optimize"), json!("given")));
    assert_eq!(home.run(&["document", "export", SESSION, "--mode", "fast"]).status, 2);
}

#[test]
fn tags_and_notes_go_with_a_state() {
    let home = home();
    home.index();
    let tags = |arguments: &[&str]| home.ok(&[&["tag", SESSION], arguments].concat());
    assert_eq!(tags(&["+parser", "release"]), "parser\nrelease\n");
    assert_eq!(tags(&["-release", "+oauth"]), "oauth\nparser\n");
    assert_eq!(tags(&[]), "oauth\nparser\n");
    home.ok(&["note", SESSION, "Waits", "for review."]);
    home.ok(&["note", SESSION, "Reviewed."]);
    let told = home.json(&["note", SESSION, "--json"]);
    let texts: Vec<_> = told["notes"].as_array().unwrap().iter().map(|it| &it["text"]).collect();
    assert_eq!(texts, ["Waits for review.", "Reviewed."]);
    assert_eq!(told["tags"], json!(["oauth", "parser"]));
    let state = home.json(&["state", "export", SESSION]);
    assert_eq!(state["metadata"]["tags"], json!(["oauth", "parser"]));
    assert_eq!(state["metadata"]["notes"], "Waits for review.\nReviewed.");
    home.ok(&["note", SESSION, "--clear"]);
    assert_eq!(home.json(&["state", "export", SESSION])["metadata"]["notes"], Value::Null);
    // A person's notes and tags survive a rebuild and go with the session.
    home.ok(&["rebuild", "--yes"]);
    assert_eq!(tags(&[]), "oauth\nparser\n");
    assert_eq!(home.run(&["tag", FORK, "+ "]).status, 2);
    assert_eq!(home.run(&["note", FORK, " "]).status, 2);
    assert_eq!(home.run(&["tag", "ffffffff", "+a"]).status, 3);
}

#[test]
fn a_repository_is_told_with_its_commit() {
    let home = home();
    let folder = home.path("w/app");
    std::fs::create_dir_all(&folder).unwrap();
    let git = |words: &[&str]| {
        let mut command = home.any_command("git".as_ref(), &folder);
        command.env("GIT_COMMITTER_DATE", "2026-09-01T00:00:00Z");
        let words = [&["-c", "user.name=a", "-c", "user.email=a@b"], words].concat();
        let output = command.args(words).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["commit", "-q", "--allow-empty", "-m", "one"]);
    let root = folder.canonicalize().unwrap();
    // Goose writes the folder of the test as its project.
    assert_eq!(
        home.json(&["snapshot", "20261001_1"])["session"]["repoRoot"],
        root.to_str().unwrap()
    );
    let commit = || home.json(&["state", "export", "20261001_1"])["metadata"]["git_commit"].clone();
    let then = git(&["rev-parse", "HEAD"]);
    assert_eq!(commit(), then);
    // A commit of today is not the session's.
    let mut today = home.any_command("git".as_ref(), &folder);
    today.args([
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "two",
    ]);
    assert!(today.status().unwrap().success());
    assert_eq!(commit(), then);
}
