//! Turning the capture of a session off and on, tested through the program.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;
use taffrail_testkit::claude::{Line, path, talk};
use taffrail_testkit::{Home, Run, until};

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
const QUIET: &str = "11111111-1111-4111-8111-111111111111";
const OTHER: &str = "22222222-2222-4222-8222-222222222222";
const FOLDER: &str = ".claude/projects/-w-app/11111111-1111-4111-8111-111111111111/subagents";

/// Whether a daemon does the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Command,
    Daemon,
}

fn worker(home: &Home, agent: &str) {
    let line = Line { session: QUIET, uuid: agent, parent: None, second: 3 };
    let said = line.with(&json!({"type": "user", "isSidechain": true, "agentId": agent,
        "message": {"role": "user", "content": "An errand."}}));
    home.write(&format!("{FOLDER}/agent-{agent}.jsonl"), said);
}

/// Two sessions, one with a sub-agent, and a daemon if it should do the work.
fn home(by: By) -> (Option<Run>, Home) {
    let home = Home::new(PROGRAM);
    home.write(&path(QUIET), talk(QUIET, 0, 4));
    home.write(&path(OTHER), talk(OTHER, 0, 4));
    worker(&home, "a1");
    let daemon = (by == By::Daemon).then(|| home.spawn(&["daemon", "run"]));
    if by == By::Daemon {
        until("the daemon", || {
            (home.json(&["daemon", "status", "--json"])["running"] == true).then_some(())
        });
    }
    home.index();
    (daemon, home)
}

fn row(home: &Home, runtime: &str) -> Option<Value> {
    home.index();
    let all = home.sessions().into_iter();
    let mut of_it =
        all.filter(|it| it["runtime_session_id"] == runtime && it["parent_id"].is_null());
    of_it.next()
}

/// The prompts of the session, whether it is captured, and the number of sessions.
fn stands(home: &Home) -> (Value, Value, usize) {
    let row = row(home, QUIET).unwrap_or_default();
    (row["prompts"].clone(), row["captured"].clone(), home.sessions().len())
}

fn hook(home: &Home, session: &str) {
    let payload = json!({"session_id": session, "hook_event_name": "UserPromptSubmit", "cwd": "/w/app",
        "prompt": "whispered"});
    let mut child = home.command(&["hook", "claude-code"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
}

/// How many times hooks mentioned a session in the journal.
fn spoken_of(home: &Home, session: &str) -> usize {
    entries_of(home, session).iter().filter(|it| it.contains(r#""via":"hook""#)).count()
}

/// The entries of the journal about a session.
fn entries_of(home: &Home, session: &str) -> Vec<String> {
    home.index();
    let folder = home.path(".local/share/taffrail/journal/claude-code");
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let text: String = files.map(|it| std::fs::read_to_string(it.path()).unwrap()).collect();
    text.lines().filter(|it| it.contains(session)).map(str::to_owned).collect()
}

fn goes_on(home: &Home, first: u32, end: u32) {
    home.append(&path(QUIET), talk(QUIET, first, end));
    home.append(&path(OTHER), talk(OTHER, first, end));
}

fn id(home: &Home) -> String {
    row(home, QUIET).unwrap()["id"].as_str().unwrap().to_owned()
}

/// Nothing new is known of a session that is not captured, and everything of the other.
fn check_off(home: &Home, by: By) {
    goes_on(home, 4, 8);
    worker(home, "a2");
    hook(home, QUIET);
    hook(home, OTHER);
    assert_eq!(stands(home), (json!(2), json!(false), 3), "{by:?}: nothing new of it is read");
    assert_eq!(row(home, OTHER).unwrap()["prompts"], 4, "the other one goes on");
    assert_eq!((spoken_of(home, QUIET), spoken_of(home, OTHER)), (1, 1));
    let shown = row(home, QUIET).unwrap();
    assert_eq!((&shown["status"], &shown["confidence"]), (&json!("unknown"), &json!("low")));
    assert!(home.ok(&["ls"]).contains("(not captured)"));
    assert_eq!(home.json(&["capture", "--json"])["sessions"].as_array().unwrap().len(), 2);
    home.ok(&["rebuild", "--yes"]);
    assert_eq!(stands(home), (json!(2), json!(false), 3), "{by:?}: what was held is held");
}

fn off_and_on(by: By) {
    let (_daemon, home) = home(by);
    let id = id(&home);
    assert_eq!(stands(&home), (json!(2), json!(true), 3));
    hook(&home, QUIET);
    assert_eq!(spoken_of(&home, QUIET), 1);
    let report = home.json(&["capture", "off", &id, "--json"]);
    assert_eq!(report["captured"], false);
    assert_eq!(report["sessions"].as_array().unwrap().len(), 2, "the worker too: {report}");
    let before = entries_of(&home, QUIET);
    check_off(&home, by);
    goes_on(&home, 8, 10);
    assert_eq!(entries_of(&home, QUIET), before, "{by:?}: nor is anything concluded");
    let report = home.json(&["capture", "on", &id, "--json"]);
    assert_eq!(report["captured"], true);
    assert_eq!(stands(&home), (json!(5), json!(true), 4), "{by:?}: what was missed is read");
    hook(&home, QUIET);
    assert_eq!(spoken_of(&home, QUIET), 2);
    goes_on(&home, 10, 12);
    assert_eq!(stands(&home), (json!(6), json!(true), 4));
    assert_eq!(home.json(&["capture", "on", &id, "--json"])["sessions"], json!([]));
}

#[test]
fn a_session_is_left_alone_and_taken_up_again() {
    off_and_on(By::Command);
}

#[test]
fn a_daemon_leaves_a_session_alone_and_takes_it_up_again() {
    off_and_on(By::Daemon);
}

fn forgotten_and_on(by: By) {
    let (_daemon, home) = home(by);
    let id = id(&home);
    hook(&home, QUIET);
    home.index();
    home.ok(&["capture", "off", &id, "--forget"]);
    goes_on(&home, 4, 8);
    hook(&home, QUIET);
    assert_eq!(row(&home, QUIET), None, "{by:?}");
    assert_eq!(spoken_of(&home, QUIET), 0);
    home.ok(&["rebuild", "--yes"]);
    assert_eq!(row(&home, QUIET), None, "{by:?}");
    assert_eq!(home.run(&["capture", "on", "ffffffff"]).status, 3);
    home.ok(&["capture", "on", id.get(..8).unwrap()]);
    assert_eq!(stands(&home), (json!(4), json!(true), 3), "{by:?}: its own files tell it again");
}

#[test]
fn a_session_that_was_forgotten_may_come_back() {
    forgotten_and_on(By::Command);
}

#[test]
fn a_daemon_lets_a_session_that_was_forgotten_come_back() {
    forgotten_and_on(By::Daemon);
}
