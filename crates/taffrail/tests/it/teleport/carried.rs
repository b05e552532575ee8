//! A session moves to another device, continues there, and comes back.

use crate::teleport::{
    SESSION, folder, lines, packed, pair, project, session, transcript, unpack, unpacked, word,
};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;
use taffrail_testkit::Home;

fn git(folder: &Path, words: &[&str]) {
    let mut git = Command::new("git");
    git.arg("-C").arg(folder).args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(words);
    let output = git.output().unwrap();
    assert!(output.status.success(), "{words:?}: {output:?}");
}

/// Adds what belongs to a session besides its transcript.
fn with_workers(home: &Home) {
    let beside = format!("{}/{SESSION}", folder(&project(home)));
    let worker = lines(home, 30, 34).replace("\"isSidechain\":false", "\"isSidechain\":true");
    home.write(&format!("{beside}/subagents/agent-a1.jsonl"), worker);
    home.write(&format!("{beside}/subagents/agent-a1.meta.json"), "{\"agentType\":\"helper\"}");
    home.write(&format!("{beside}/tool-results/b1.txt"), "a long result");
}

/// Every file of the agent, by its path below the folder of the project.
fn files(home: &Home) -> Vec<(String, Vec<u8>)> {
    fn below(folder: &Path, out: &mut Vec<std::path::PathBuf>) {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.path().is_dir() { below(&entry.path(), out) } else { out.push(entry.path()) }
        }
    }
    let root = home.path(&folder(&project(home)));
    let mut all = Vec::new();
    below(&root, &mut all);
    let name = |it: &Path| it.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
    let mut out: Vec<_> = all.iter().map(|it| (name(it), fs::read(it).unwrap())).collect();
    out.sort();
    out
}

/// The ids and texts of a session's events.
fn said(home: &Home, id: &str) -> Vec<Value> {
    home.events(id).into_iter().map(|it| json!([it["id"], it["kind"], it["text"]])).collect()
}

#[test]
fn every_byte_arrives_where_the_agent_looks_for_it() {
    let (laptop, tower) = pair();
    with_workers(&laptop);
    let id = session(&laptop);
    let file = packed(&laptop, &["tower"]);
    let raw = fs::read(&file).unwrap();
    for word in ["Prompt number", "Answer", SESSION, "main", "claude", "laptop", "tower"] {
        let found = raw.windows(word.len()).any(|it| it == word.as_bytes());
        assert!(!found, "{word} is seen from outside");
    }
    let told = unpacked(&tower, &file, &[]);
    assert_eq!(word(&told, "state"), "unpacked");
    assert_eq!((word(&told, "session_id"), word(&told["from"], "name")), (id.as_str(), "laptop"));
    assert_eq!(told["events_missing"], 0, "{told}");
    assert!(told["events"].as_u64().unwrap() >= 24, "{told}");
    assert_eq!(files(&tower), files(&laptop));
    assert_eq!(word(&tower.session(SESSION), "id"), id);
    assert_eq!(said(&tower, &id), said(&laptop, &id));
    assert_eq!(tower.sessions().len(), 2, "the worker too");
    let found = tower.json(&["search", "\"Answer number 0019\"", "--json"]);
    assert_eq!(found["total"], 1);
}

#[test]
fn it_goes_on_in_the_folder_it_was_unpacked_for() {
    let (laptop, tower) = pair();
    let id = session(&laptop);
    unpacked(&tower, &packed(&laptop, &["tower"]), &[]);
    let here = project(&tower).to_str().unwrap().to_owned();
    let plan = tower.json(&["resume", &id, "--dry-run", "--json"]);
    assert_eq!((word(&plan, "state"), word(&plan, "cwd")), ("resume_available", here.as_str()));
    assert_eq!(plan["command"], json!(["claude", "--resume", SESSION]));
    assert_eq!(word(&tower.session(SESSION), "project_path"), here);
    let binding = tower.json(&["binding", &id, "--json"]);
    assert_eq!(word(&binding, "project_path"), here);
    let came = &binding["metadata"]["carried"];
    assert_eq!((word(came, "device_name"), &came["untrusted"]), ("laptop", &json!(true)));
    let state = tower.json(&["state", "export", &id]);
    assert_eq!(state["teleportation"]["devices"], json!(["tower", "laptop"]));
    assert_eq!(state["teleportation"]["encrypted"], true);
    // A rebuild gives the same result.
    tower.ok(&["rebuild", "--yes"]);
    assert_eq!(word(&tower.session(SESSION), "project_path"), here);
}

#[test]
fn what_people_said_goes_along_and_what_was_decided_stays_history() {
    let (laptop, tower) = pair();
    let id = session(&laptop);
    laptop.ok(&["tag", &id, "+release"]);
    laptop.ok(&["note", &id, "Waits for the security team"]);
    let file = packed(&laptop, &["tower"]);
    unpacked(&tower, &file, &[]);
    unpacked(&tower, &file, &[]);
    assert_eq!(tower.ok(&["tag", &id]).trim(), "release");
    let notes = tower.json(&["note", &id, "--json"]);
    assert_eq!(notes["notes"].as_array().unwrap().len(), 1, "{notes}");
    let waiting = tower.json(&["approvals", "--all", "--json"]);
    assert_eq!(waiting["approvals"], json!([]));
}

#[test]
fn a_dry_run_writes_nothing() {
    let (laptop, tower) = pair();
    session(&laptop);
    let told = unpacked(&tower, &packed(&laptop, &["tower"]), &["--dry-run"]);
    assert_eq!(word(&told, "state"), "planned");
    let path = tower.path(&transcript(&tower));
    let size = fs::metadata(laptop.path(&transcript(&laptop))).unwrap().len();
    let expected = json!([{"path": path, "action": "write", "bytes": size}]);
    assert_eq!(told["files"], expected);
    assert!(!tower.path(".claude").exists());
    assert_eq!(tower.sessions(), [Value::Null; 0]);
}

#[test]
fn it_goes_on_there_and_comes_back() {
    let (laptop, tower) = pair();
    let id = session(&laptop);
    let first = packed(&laptop, &["tower"]);
    unpacked(&tower, &first, &[]);
    // The agent continues there.
    tower.append(&transcript(&tower), lines(&tower, 20, 30));
    tower.index();
    let back = packed(&tower, &["laptop"]);
    let told = unpacked(&laptop, &back, &[]);
    assert_eq!((word(&told, "state"), word(&told["files"][0], "action")), ("unpacked", "extend"));
    assert_eq!(files(&laptop), files(&tower));
    assert_eq!(said(&laptop, &id), said(&tower, &id));
    let plan = laptop.json(&["resume", &id, "--dry-run", "--json"]);
    assert_eq!(plan["cwd"], json!(project(&laptop)));
    // A bundle that is older than the local session changes nothing.
    let again = unpacked(&tower, &first, &[]);
    assert_eq!((word(&again, "state"), word(&again["files"][0], "action")), ("ahead", "ahead"));
    assert_eq!(files(&laptop), files(&tower));
    let same = unpacked(&laptop, &back, &[]);
    assert_eq!((word(&same, "state"), word(&same["files"][0], "action")), ("unpacked", "same"));
}

#[test]
fn what_its_agent_deleted_is_carried_from_the_archive() {
    let (laptop, tower) = pair();
    with_workers(&laptop);
    let id = session(&laptop);
    let expected = files(&laptop);
    fs::remove_dir_all(laptop.path(".claude/projects")).unwrap();
    laptop.index();
    unpacked(&tower, &packed(&laptop, &["tower"]), &[]);
    let transcripts = |all: Vec<(String, Vec<u8>)>| {
        all.into_iter().filter(|(name, _)| !name.contains("tool-results")).collect::<Vec<_>>()
    };
    assert_eq!(files(&tower), transcripts(expected));
    let plan = tower.json(&["resume", &id, "--dry-run", "--json"]);
    assert_eq!(word(&plan, "state"), "resume_available");
}

/// The same repository on both devices.
fn repositories(laptop: &Home, tower: &Home) {
    let (here, there) = (project(laptop), project(tower));
    git(&here, &["init", "-q", "-b", "main"]);
    fs::write(here.join("a.txt"), "one\n").unwrap();
    git(&here, &["add", "."]);
    git(&here, &["commit", "-q", "-m", "one"]);
    fs::remove_dir(&there).unwrap();
    git(&here, &["clone", "-q", here.to_str().unwrap(), there.to_str().unwrap()]);
    fs::write(here.join("a.txt"), "two\n").unwrap();
    fs::write(here.join("new.txt"), "new\n").unwrap();
    fs::create_dir_all(here.join(".ai-session/features/f1")).unwrap();
    fs::write(here.join(".ai-session/features/f1/plan.yaml"), "a: 1\n").unwrap();
    fs::write(here.join(".ai-session/.lock"), "").unwrap();
}

#[test]
fn what_was_not_committed_and_the_plan_come_on_request_only() {
    let (laptop, tower) = pair();
    repositories(&laptop, &tower);
    session(&laptop);
    let file = packed(&laptop, &["tower"]);
    let there = project(&tower);
    let told = unpacked(&tower, &file, &[]);
    assert_eq!((&told["patch_applied"], &told["plan_put"]), (&json!(false), &json!(false)));
    assert_eq!((&told["plan_files"], word(&told["git"], "branch")), (&json!(1), "main"));
    assert_eq!(fs::read_to_string(there.join("a.txt")).unwrap(), "one\n");
    assert!(!there.join(".ai-session").exists());
    let told = unpacked(&tower, &file, &["--patch", "--here", "--plan"]);
    assert_eq!((&told["patch_applied"], &told["plan_put"]), (&json!(true), &json!(true)));
    let read = |path: &str| fs::read_to_string(there.join(path)).unwrap();
    assert_eq!([read("a.txt"), read("new.txt")], ["two\n", "new\n"]);
    assert_eq!(read(".ai-session/features/f1/plan.yaml"), "a: 1\n");
    assert!(!there.join(".ai-session/.lock").exists());
    // Neither is applied twice.
    let output = unpack(&tower, &file, &["--patch", "--here"]);
    assert_eq!(output.status, 6, "{}", output.stderr);
    assert!(output.stderr.contains("the patch does not apply"), "{}", output.stderr);
    let output = unpack(&tower, &file, &["--plan"]);
    assert_eq!(output.status, 6, "{}", output.stderr);
    let told = laptop.json(&[
        "teleport",
        "pack",
        SESSION,
        "--to",
        "tower",
        "--out",
        "plain.bundle",
        "--no-patch",
        "--json",
    ]);
    assert_eq!((&told["patch"], &told["plan_files"]), (&Value::Null, &json!(1)));
}

#[test]
fn a_daemon_meets_it_too() {
    let (laptop, tower) = pair();
    let id = session(&laptop);
    let file = packed(&laptop, &["tower"]);
    let _daemon = tower.spawn(&["daemon", "run"]);
    taffrail_testkit::until("the daemon", || {
        (tower.json(&["daemon", "status", "--json"])["running"] == true).then_some(())
    });
    let told = unpacked(&tower, &file, &[]);
    assert_eq!((word(&told, "state"), &told["events_missing"]), ("unpacked", &json!(0)));
    assert_eq!(word(&tower.session(SESSION), "id"), id);
    let plan = tower.json(&["resume", &id, "--dry-run", "--json"]);
    assert_eq!(plan["cwd"], json!(project(&tower)));
    let back = packed(&tower, &["laptop"]);
    assert_eq!(word(&unpacked(&laptop, &back, &[]), "state"), "unpacked");
    tower.ok(&["daemon", "stop"]);
}

#[test]
fn a_codex_thread_is_found_by_its_id_and_told_its_folder() {
    const THREAD: &str = "01a1dc4a-98ab-7a52-8833-052a06111408";
    let (laptop, tower) = pair();
    let path = format!(".codex/sessions/2026/11/14/rollout-2026-11-14T23-00-38-{THREAD}.jsonl");
    let meta = json!({"timestamp": "2026-11-14T23:00:38.000Z", "type": "session_meta", "payload":
        {"id": THREAD, "timestamp": "2026-11-14T23:00:38.000Z", "cwd": "/w/app", "cli_version": "0.166.0",
        "originator": "codex-tui", "source": "cli"}});
    let said = json!({"timestamp": "2026-11-14T23:00:39.000Z", "type": "event_msg",
        "payload": {"type": "user_message", "message": "fix it"}});
    laptop.write(&path, format!("{meta}\n{said}\n"));
    let id = word(&laptop.session(THREAD), "id").to_owned();
    laptop.ok(&["teleport", "pack", &id, "--to", "tower", "--out", "c.bundle"]);
    let told = unpacked(&tower, &laptop.path("c.bundle"), &[]);
    assert_eq!(told["events_missing"], 0, "{told}");
    assert_eq!(fs::read(tower.path(&path)).unwrap(), fs::read(laptop.path(&path)).unwrap());
    let plan = tower.json(&["resume", &id, "--dry-run", "--json"]);
    let here = project(&tower);
    assert_eq!(plan["command"], json!(["codex", "resume", "--cd", here, THREAD]));
    assert_eq!(plan["cwd"], json!(here));
    // On the device where it began, nothing changes.
    let plan = laptop.json(&["resume", &id, "--dry-run", "--json"]);
    assert_eq!(plan["command"], json!(["codex", "resume", THREAD]));
}

#[test]
fn whom_it_is_for_is_named_by_device_or_by_user() {
    let (laptop, tower) = pair();
    session(&laptop);
    let desk = crate::teleport::device("desk", "bob@x.org");
    crate::teleport::take_in(&laptop, &desk, "bob@x.org");
    let to = |to: &[&str]| {
        let arguments = ["teleport", "pack", SESSION, "--force", "--json", "--out", "x.bundle"];
        laptop.json(&[&arguments[..], &["--to", &to.join(",")]].concat())["to"].clone()
    };
    let sorted = |told: Value| {
        let mut names: Vec<String> = serde_json::from_value(told).unwrap();
        names.sort();
        names
    };
    assert_eq!(sorted(to(&["tower"])), ["tower"]);
    assert_eq!(sorted(to(&["bob@x.org", "tower"])), ["desk", "tower"]);
    assert_eq!(sorted(to(&["ann@x.org"])), ["tower"], "never oneself, unless named");
    let bundle = laptop.path("x.bundle");
    assert_eq!(unpack(&desk, &bundle, &[]).status, 6);
    assert_eq!(unpack(&tower, &bundle, &[]).status, 0);
}

/// A session that continued in both places becomes two: nothing is lost, and each names its origin.
#[test]
fn what_went_on_in_both_places_is_taken_as_a_fork() {
    let (laptop, tower) = pair();
    with_workers(&laptop);
    let id = session(&laptop);
    unpacked(&tower, &packed(&laptop, &["tower"]), &[]);
    laptop.append(&transcript(&laptop), lines(&laptop, 40, 44));
    tower.append(&transcript(&tower), lines(&tower, 50, 52));
    tower.index();
    let here = fs::read(tower.path(&transcript(&tower))).unwrap();
    let file = packed(&laptop, &["tower"]);
    let refused = unpack(&tower, &file, &[]);
    assert_eq!(refused.status, 6, "{}", refused.stdout);
    assert!(refused.stderr.contains("--fork"), "{}", refused.stderr);
    let told = unpacked(&tower, &file, &["--fork"]);
    assert_eq!((word(&told, "state"), word(&told, "forked_from")), ("unpacked", id.as_str()));
    assert_eq!(fs::read(tower.path(&transcript(&tower))).unwrap(), here, "it stays as it is");
    let (fork, new) = (word(&told, "session_id"), word(&told, "runtime_session_id"));
    assert!(fork != id && new != SESSION, "{told}");
    let path = transcript(&tower).replace(SESSION, new);
    let came = fs::read_to_string(laptop.path(&transcript(&laptop))).unwrap();
    assert_eq!(fs::read_to_string(tower.path(&path)).unwrap(), came.replace(SESSION, new));
    let worker = format!("{}/{new}/subagents/agent-a1.jsonl", folder(&project(&tower)));
    assert!(tower.path(&worker).exists(), "its workers came along");
    let shown = tower.json(&["show", fork, "--json"]);
    assert_eq!(shown["session"]["lineage"]["kind"], "fork", "{shown}");
    let last = |id: &str| tower.events(id).last().unwrap()["text"].clone();
    assert_ne!(last(fork), last(&id), "both tails are shown");
    // The same bundle gives the same fork.
    let again = unpacked(&tower, &file, &["--fork"]);
    assert_eq!(word(&again, "session_id"), fork);
    assert!(again["files"].as_array().unwrap().iter().all(|it| it["action"] == "same"), "{again}");
}
