//! `approve` and `deny` with a session, without arguments, and with several open requests.

use super::PROGRAM;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::time::Duration;
use taffrail_testkit::{Home, Run, claude, until_every};

const FIRST: &str = "11111111-1111-4111-8111-111111111111";
const SECOND: &str = "22222222-2222-4222-8222-222222222222";
const LOOK: Duration = Duration::from_millis(50);

/// A hook that waits for its answer. It never outlives the test.
struct Hook(Child);

impl Hook {
    fn answer(mut self) -> String {
        let mut text = String::new();
        self.0.stdout.take().unwrap().read_to_string(&mut text).unwrap();
        self.0.wait().unwrap();
        text
    }
}

impl Drop for Hook {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

fn machine() -> (Home, Run) {
    let home = Home::new(PROGRAM);
    for session in [FIRST, SECOND] {
        home.write(&claude::path(session), claude::talk(session, 0, 2));
    }
    let run = home.spawn(&["daemon", "run"]);
    until_every(LOOK, "both sessions to be read", || {
        let list: Value =
            serde_json::from_str(&home.run(&["ls", "--json", "--all"]).stdout).ok()?;
        (list["sessions"].as_array()?.len() == 2).then_some(())
    });
    until_every(LOOK, "the daemon to answer", || {
        super::daemon_status(&home)["running"].as_bool().filter(|it| *it)
    });
    (home, run)
}

fn pending(home: &Home) -> Vec<Value> {
    let all = home.json(&["approvals", "--json"]);
    all["approvals"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["state"] == "pending")
        .cloned()
        .collect()
}

/// An agent asks for approval of a command, and its request is visible.
fn asks(home: &Home, session: &str, command: &str) -> Hook {
    let payload = json!({"session_id": session, "hook_event_name": "PermissionRequest",
        "tool_name": "Bash", "tool_input": {"command": command}, "cwd": "/w/app",
        "permission_mode": "default"});
    let mut hook = home.command(&["hook", "claude-code"]);
    hook.env("CLAUDE_CODE_ENTRYPOINT", "cli");
    let mut child = hook.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    until_every(LOOK, "the request to be seen", || {
        pending(home).iter().any(|it| it["command"] == command).then_some(())
    });
    Hook(child)
}

fn id(request: &Value) -> &str {
    request["id"].as_str().unwrap()
}

#[test]
fn the_only_request_is_answered_without_its_id_or_by_its_session() {
    let (home, _run) = machine();
    let nothing = home.run(&["approve"]);
    assert_eq!(nothing.status, 3, "{}", nothing.stderr);
    let hook = asks(&home, FIRST, "npm test");
    let listed = home.ok(&["approvals"]);
    let session = pending(&home)[0]["session_id"].as_str().unwrap().to_owned();
    assert!(listed.starts_with("ID "), "{listed}");
    assert!(listed.contains(" app ") && listed.contains(&session[..8]), "{listed}");
    assert_eq!(pending(&home)[0]["project_path"], "/w/app");
    home.ok(&["approve"]);
    assert!(hook.answer().contains("\"allow\""));
    let hook = asks(&home, FIRST, "npm run lint");
    home.ok(&["deny", &session[..8], "--reason", "not now"]);
    let answer = hook.answer();
    assert!(answer.contains("\"deny\"") && answer.contains("not now"), "{answer}");
    let hook = asks(&home, FIRST, "make");
    home.ok(&["approve", FIRST]);
    assert!(hook.answer().contains("\"allow\""), "by the agent's own id");
}

#[test]
fn with_several_nothing_is_decided_and_all_are_named() {
    let (home, _run) = machine();
    let hooks = [asks(&home, FIRST, "make one"), asks(&home, SECOND, "make two")];
    let waiting = pending(&home);
    for command in ["approve", "deny"] {
        let told = home.run(&[command]);
        assert_eq!(told.status, 2, "{}", told.stderr);
        for request in &waiting {
            let session = &request["session_id"].as_str().unwrap()[..8];
            for word in [id(request), session, request["command"].as_str().unwrap(), " app "] {
                assert!(told.stderr.contains(word), "{word}: {}", told.stderr);
            }
        }
        assert_eq!(pending(&home), waiting, "nothing is decided");
    }
    let session = waiting[1]["session_id"].as_str().unwrap();
    home.ok(&["approve", session]);
    let left = pending(&home);
    assert_eq!(left.iter().map(id).collect::<Vec<_>>(), [id(&waiting[0])]);
    home.ok(&["deny", id(&waiting[0])]);
    let late = home.run(&["approve", id(&waiting[0])]);
    assert_eq!(late.status, 6, "{}", late.stderr);
    assert!(late.stderr.contains("was decided by cli"), "{}", late.stderr);
    drop(hooks);
}

#[test]
fn always_shows_the_rule_and_the_next_request_is_not_asked() {
    let (home, _run) = machine();
    let hook = asks(&home, FIRST, "npm test");
    let told = home.run(&["approve", "--always"]);
    assert_eq!(told.status, 0, "{}", told.stderr);
    assert!(told.stderr.contains("+command = \"npm test\""), "{}", told.stderr);
    assert!(hook.answer().contains("\"allow\""));
    let rules = home.json(&["rules", "ls", "--project", "/w/app", "--json"]);
    assert_eq!(rules["rules"].as_array().unwrap().len(), 1, "{rules}");
    let hook = asks(&home, FIRST, "npm test && rm -rf $(pwd)");
    let refused = home.run(&["approve", "--always"]);
    assert_eq!(refused.status, 6, "{}", refused.stderr);
    assert_eq!(pending(&home).len(), 1, "what no rule can allow is not decided");
    drop(hook);
}
