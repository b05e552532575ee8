//! The two adapters of the snapshot contract: files and panes become a snapshot with the contract's
//! own ids, kinds, states and artifact keys.

use serde_json::{Value, json};
use taffrail_contracts::ecc::Snapshot;
use taffrail_contracts::ecc::dmux::{self, Pane, WorkerFiles};
use taffrail_contracts::ecc::history::{self, Target};
use taffrail_contracts::{Strictness, find, validate};
use taffrail_model::Timestamp;

fn now() -> Timestamp {
    "2026-03-02T08:01:00Z".parse().unwrap()
}

fn checked(snapshot: &Snapshot) -> Value {
    let value = serde_json::to_value(snapshot).unwrap();
    let report = validate(find("ecc").unwrap(), &value, Strictness::Strict);
    assert_eq!(report.faults, [], "{value:#}");
    value
}

fn files(name: &str, state: &str) -> WorkerFiles {
    WorkerFiles {
        name: name.to_owned(),
        folder: format!("/w/app/.orchestration/mend/{name}"),
        status: Some(format!(
            "# Status: {name}\n\n- State: {state}\n- Updated: 2026-03-02T08:00:00Z\n- Worktree: `/w/app-mend-{name}`\n- Branch: `orchestrator-mend-{name}`\n"
        )),
        task: Some(format!(
            "# Worker Task: {name}\n\n- Session: `mend`\n\n## Seeded Local Overlays\n- `src/parse.rs`\n- `docs/a b.md`\n\n## Objective\nMend the parser.\nAll of it.\n\n## Completion\nReport.\n"
        )),
        handoff: Some(
            "# Handoff\n\n## Summary\n- Reads empty lines\n- `b`\n\n## Files Changed\n- x\n\n## Tests / Verification\n- cargo test\n\n## Follow-ups\n- Tabs\n".to_owned(),
        ),
    }
}

fn pane(title: &str, path: &str, is_dead: bool) -> Pane {
    let (id, command) = ("%1".to_owned(), "codex".to_owned());
    let (title, path) = (title.to_owned(), path.to_owned());
    Pane { id, title, command, path, is_active: false, is_dead, pid: Some(4711) }
}

#[test]
fn a_worker_is_told_by_its_files_and_its_pane() {
    let place = dmux::by_name("mend", &["/w/app".to_owned()]).remove(0);
    assert_eq!(place.folder, "/w/app/.claude/orchestration/mend");
    let panes = [pane("parser", "/elsewhere", false)];
    let got = checked(&dmux::snapshot(&place, &[files("parser", "running")], &panes, now()));
    let expected = json!({
        "schemaVersion": "ecc.session.v1",
        "adapterId": "dmux-tmux",
        "session": {
            "id": "mend", "kind": "orchestrated", "state": "active", "repoRoot": "/w/app",
            "sourceTarget": { "type": "session", "value": "mend" },
        },
        "workers": [{
            "id": "parser", "label": "parser", "state": "running", "health": "healthy",
            "branch": "orchestrator-mend-parser", "worktree": "/w/app-mend-parser",
            "runtime": {
                "kind": "tmux-pane", "command": "codex", "pid": 4711, "active": false, "dead": false,
            },
            "intent": {
                "objective": "Mend the parser.\nAll of it.",
                "seedPaths": ["src/parse.rs", "docs/a b.md"],
            },
            "outputs": {
                "summary": ["Reads empty lines", "b"],
                "validation": ["cargo test"],
                "remainingRisks": ["Tabs"],
            },
            "artifacts": {
                "statusFile": "/w/app/.orchestration/mend/parser/status.md",
                "taskFile": "/w/app/.orchestration/mend/parser/task.md",
                "handoffFile": "/w/app/.orchestration/mend/parser/handoff.md",
            },
        }],
        "aggregates": { "workerCount": 1, "states": { "running": 1 }, "healths": { "healthy": 1 } },
    });
    assert_eq!(got, expected);
}

#[test]
fn a_session_is_in_one_of_its_five_states() {
    let check = |states: &[&str], panes: &[Pane], expected: &str| {
        let place = dmux::by_name("mend", &["/w/app".to_owned()]).remove(0);
        let names = ["a", "b", "c"];
        let workers: Vec<_> = names.iter().zip(states).map(|(name, it)| files(name, it)).collect();
        let got = checked(&dmux::snapshot(&place, &workers, panes, now()));
        assert_eq!(got["session"]["state"], expected, "{states:?}");
    };
    let (alive, dead) = (pane("a", "/w", false), pane("a", "/w", true));
    check(&["running", "failed"], &[alive, dead.clone()], "active");
    check(&[], &[], "missing");
    check(&["completed", "failed"], &[dead], "failed");
    check(&["completed", "done"], &[], "completed");
    check(&["completed", "running"], &[], "idle");
}

#[test]
fn a_worker_without_a_pane_is_dead_if_it_ever_began() {
    let check = |worker: &WorkerFiles, panes: &[Pane], expected: (&str, bool)| {
        let place = dmux::by_name("mend", &["/w/app".to_owned()]).remove(0);
        let got = checked(&dmux::snapshot(&place, std::slice::from_ref(worker), panes, now()));
        let worker = &got["workers"][0];
        let told =
            (worker["state"].as_str().unwrap(), worker["runtime"]["dead"].as_bool().unwrap());
        assert_eq!(told, expected);
    };
    check(&files("a", "running"), &[], ("running", true));
    check(&files("a", "running"), &[pane("a", "/w", true)], ("running", true));
    check(&files("a", "running"), &[pane("shell", "/w/app-mend-a", false)], ("running", false));
    check(&files("a", "not started"), &[], ("not started", false));
    let bare = WorkerFiles { name: "a".to_owned(), ..WorkerFiles::default() };
    check(&bare, &[], ("unknown", false));
}

#[test]
fn a_plan_leads_to_its_session() {
    let plan = json!({
        "sessionName": "Mend It!", "repoRoot": "sub", "coordinationRoot": "/c", "seedPaths": ["a"],
        "workers": [{ "name": "The Parser", "task": " Mend. ", "seedPaths": ["b", "a"] }, {}],
    });
    let place = dmux::by_plan("/w/plan.json", &plan, "/w").unwrap();
    let told = (place.session.as_str(), place.repo_root.as_deref(), place.folder.as_str());
    assert_eq!(told, ("Mend It!", Some("/w/sub"), "/c/mend-it"));
    assert_eq!((place.target.kind.as_str(), place.target.value.as_str()), ("plan", "/w/plan.json"));
    let bare = WorkerFiles { name: "the-parser".to_owned(), ..WorkerFiles::default() };
    let got = checked(&dmux::snapshot(&place, &[bare], &[], now()));
    assert_eq!(
        got["workers"][0]["intent"],
        json!({ "objective": "Mend.", "seedPaths": ["a", "b"] })
    );
    let unnamed = dmux::by_plan("p", &json!({ "repoRoot": "/w/My App" }), "/w").unwrap();
    assert_eq!(unnamed.folder, "/w/My App/.orchestration/my-app");
    for bad in [json!([]), json!({ "repoRoot": 7 }), json!(null)] {
        assert!(dmux::by_plan("p", &bad, "/w").is_err(), "{bad}");
    }
}

#[test]
fn a_name_is_looked_for_as_tmux_has_it_and_where_the_reference_looks() {
    let places = dmux::by_name("My_Session", &["/w".to_owned()]);
    assert!(places.iter().all(|it| it.session == "My_Session" && it.slug == "my-session"));
    let folders: Vec<_> = places.iter().map(|it| it.folder.as_str()).collect();
    let expected = [
        "/w/.claude/orchestration/My_Session",
        "/w/.claude/orchestration/my-session",
        "/w/.orchestration/My_Session",
        "/w/.orchestration/my-session",
    ];
    assert_eq!(folders, expected);
    let got = checked(&dmux::snapshot(&dmux::nowhere("My_Session"), &[], &[], now()));
    assert_eq!(
        (&got["session"]["id"], &got["session"]["repoRoot"]),
        (&json!("My_Session"), &json!(null))
    );
}

#[test]
fn a_health_follows_from_state_pane_and_age() {
    let check = |state: &str, panes: &[Pane], at: &str, expected: &str| {
        let place = dmux::by_name("mend", &["/w/app".to_owned()]).remove(0);
        let at = at.parse().unwrap();
        let got = checked(&dmux::snapshot(&place, &[files("a", state)], panes, at));
        assert_eq!(got["workers"][0]["health"], expected, "{state} {at}");
        assert_eq!(got["aggregates"]["healths"], json!({ expected: 1 }));
    };
    let (soon, late) = ("2026-03-02T08:04:00Z", "2026-03-02T08:06:00Z");
    check("running", &[], soon, "healthy");
    check("running", &[], late, "stale");
    check("running", &[pane("a", "/w", true)], soon, "degraded");
    check("failed", &[], soon, "degraded");
    check("done", &[], late, "healthy");
    check("not started", &[], soon, "unknown");
}

#[test]
fn the_placeholder_of_a_template_is_nothing() {
    let handoff =
        "## Summary\n- Pending\n\n## Validation\n- Pending\n\n## Remaining Risks\n- Pending\n";
    let worker = WorkerFiles { handoff: Some(handoff.to_owned()), ..files("a", "running") };
    let place = dmux::by_name("mend", &["/w/app".to_owned()]).remove(0);
    let got = checked(&dmux::snapshot(&place, &[worker], &[], now()));
    let expected = json!({ "summary": [], "validation": [], "remainingRisks": [] });
    assert_eq!(got["workers"][0]["outputs"], expected);
}

#[test]
fn panes_are_read_as_tmux_lists_them() {
    let answer = "%3\tparser\tcodex\t/w/app\t1\t0\t4711\n%4\t\tzsh\t/w\t0\t1\t\ntorn\n";
    let first = Pane { is_active: true, id: "%3".into(), ..pane("parser", "/w/app", false) };
    let second = Pane { command: "zsh".into(), id: "%4".into(), pid: None, ..pane("", "/w", true) };
    assert_eq!(dmux::panes(answer), [first, second]);
    assert_eq!(dmux::PANE_FORMAT.matches('\t').count(), 6);
}

const FILE: &str = "# Session: Mend the parser\n**Date:** 2026-02-01\n**Project:** app\n**Branch:** parser\n\
**Worktree:** /w/app\n\n## Current State\n\n### Completed\n- [x] Read empty lines\n- [x] Add a test\n\n\
### In Progress\n- [ ] Test tabs\n- [ ] Release\n\n### Notes for Next Session\nTabs break.\nSee the log.\n\n\
### Context to Load\n```\nsrc/parse.rs\n\n  tests/\n```\n";

#[test]
fn a_session_file_is_a_recorded_session() {
    let path = "/h/.claude/session-data/2026-02-01-a1b2c3d4-session.tmp";
    let target = history::target("claude-history:latest").unwrap().told(path);
    let got = checked(&history::snapshot(path, FILE, target));
    let expected = json!({
        "schemaVersion": "ecc.session.v1",
        "adapterId": "claude-history",
        "session": {
            "id": "a1b2c3d4", "kind": "history", "state": "recorded", "repoRoot": "/w/app",
            "sourceTarget": { "type": "claude-history", "value": "latest" },
        },
        "workers": [{
            "id": "a1b2c3d4", "label": "Session: Mend the parser", "state": "recorded", "health": "healthy",
            "branch": "parser", "worktree": "/w/app",
            "runtime": {
                "kind": "claude-session", "command": "claude", "pid": null, "active": false, "dead": true,
            },
            "intent": { "objective": "Test tabs", "seedPaths": ["src/parse.rs", "tests/"] },
            "outputs": {
                "summary": ["Read empty lines", "Add a test"],
                "validation": [],
                "remainingRisks": ["Tabs break.\nSee the log."],
            },
            "artifacts": { "sessionFile": path, "context": "src/parse.rs\n\n  tests/" },
        }],
        "aggregates": { "workerCount": 1, "states": { "recorded": 1 }, "healths": { "healthy": 1 } },
    });
    assert_eq!(got, expected);
}

#[test]
fn an_empty_file_is_a_session_too() {
    let path = "/h/2026-02-01-session.tmp";
    let target = Target::File(path.to_owned()).told(path);
    let got = checked(&history::snapshot(path, "", target));
    assert_eq!(got["session"]["id"], "2026-02-01-session");
    assert_eq!(got["session"]["repoRoot"], Value::Null);
    let worker = &got["workers"][0];
    assert_eq!(worker["intent"], json!({ "objective": "", "seedPaths": [] }));
    assert_eq!(worker["artifacts"]["context"], Value::Null);
}

#[test]
fn targets_and_names_are_read() {
    let check = |text: &str, kind: &str, value: &str| {
        let told = history::target(text).unwrap().told("/p");
        assert_eq!((told.kind.as_str(), told.value.as_str()), (kind, value), "{text}");
    };
    check("claude-history:latest", "claude-history", "latest");
    check("claude:a1b2", "claude-history", "a1b2");
    check("claude-alias:mend", "claude-alias", "mend");
    check("session-file:x.tmp", "session-file", "/p");
    check("/h/2026-02-01-session.tmp", "session-file", "/p");
    assert_eq!(history::target("workflow-visual-proof"), None);

    let name = |file: &str| history::named(file).map(|(date, id)| format!("{date} {id:?}"));
    let named = |date: &str, id: &str| Some(format!("{date} {id}"));
    assert_eq!(name("2026-02-01-session.tmp"), named("2026-02-01", "None"));
    assert_eq!(name("2026-02-01-a1_b-2-session.tmp"), named("2026-02-01", "Some(\"a1_b-2\")"));
    for bad in
        ["2026-02-31-session.tmp", "2026-02-01--x-session.tmp", "notes.tmp", "é-session.tmp", ""]
    {
        assert_eq!(name(bad), None, "{bad}");
    }

    let file = "2026-02-01-a1b2c3d4-session.tmp";
    for (id, meant) in
        [("a1b2", true), ("a1b2c3d4", true), (file, true), ("b2", false), ("", false)]
    {
        assert_eq!(history::is_meant(file, id), meant, "{id}");
    }
    assert!(history::is_meant("2026-02-01-session.tmp", "2026-02-01"));
    let aliases = json!({ "version": "1.0", "aliases": { "mend": { "sessionPath": "/p" } } });
    assert_eq!(history::aliased(&aliases, "mend"), Some("/p"));
    assert_eq!(history::aliased(&aliases, "other"), None);
}
