//! Sessions that only hooks report: their prompts, calls and results are such, until a transcript
//! says the same.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;
use taffrail_testkit::claude::{self, Line};
use taffrail_testkit::{Home, Run, until_every};

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
const SESSION: &str = "44444444-4444-4444-8444-444444444444";
const LOOK: Duration = Duration::from_millis(100);

fn hook(home: &Home, name: &str, more: &Value) {
    let mut payload = json!({"session_id": SESSION, "hook_event_name": name, "cwd": "/w/app"});
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let mut command = home.command(&["hook", "claude-code"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
}

/// A turn with one call, as hooks report it.
fn play(home: &Home) {
    let call =
        json!({"tool_name": "Bash", "tool_input": {"command": "make paint"}, "tool_use_id": "t1"});
    let mut done = call.clone();
    done["tool_response"] = json!({"stdout": "painted"});
    hook(home, "SessionStart", &json!({"source": "startup"}));
    hook(home, "UserPromptSubmit", &json!({"prompt": "Paint the fence quokka"}));
    hook(home, "PreToolUse", &call);
    hook(home, "PostToolUse", &done);
    hook(home, "Stop", &json!({"last_assistant_message": "Painted.", "background_tasks": []}));
}

/// A daemon that has read the history: it concludes from what moves afterwards.
fn daemon(home: &Home) -> Run {
    let run = home.spawn(&["daemon", "run"]);
    until_every(LOOK, "the daemon to have read", || {
        let status = home.run(&["daemon", "status", "--json"]);
        let status: Value = serde_json::from_str(&status.stdout).ok()?;
        (status["running"] == true && status["reading"].is_null()).then_some(())
    });
    run
}

fn end(mut run: Run) {
    let id = run.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert_eq!(run.wait().code(), Some(0), "the daemon's own end");
}

/// The kinds of events from a source.
fn kinds(home: &Home, source: &str) -> Vec<String> {
    let events = home.events(SESSION).into_iter().filter(|it| it["source"] == source);
    events.map(|it| it["kind"].as_str().unwrap().to_owned()).collect()
}

fn set(words: &[&str]) -> BTreeSet<String> {
    words.iter().map(|it| (*it).to_owned()).collect()
}

fn counts(home: &Home) -> Value {
    let row = home.session(SESSION);
    json!([row["prompts"], row["turns"], row["tool_calls"]])
}

/// A session that hooks had just reported was not found, though a list had it.
#[test]
fn events_right_after_a_hook_lacked_the_session() {
    let home = Home::new(PROGRAM);
    let run = daemon(&home);
    for _ in 0..5 {
        hook(&home, "UserPromptSubmit", &json!({"prompt": "Paint the fence quokka"}));
        assert!(kinds(&home, "hook").contains(&"user.prompt".to_owned()));
    }
    end(run);
}

/// A prompt that only a hook carried was a heartbeat: no prompts, no turns, no title, no hit.
#[test]
fn a_session_known_by_hooks_alone_is_told_whole() {
    let home = Home::new(PROGRAM);
    let run = daemon(&home);
    play(&home);
    let needed = set(&["turn.started", "turn.completed", "status.changed"]);
    until_every(LOOK, "the daemon's conclusions", || {
        let told: BTreeSet<String> = kinds(&home, "derived").into_iter().collect();
        (told == needed).then_some(())
    });
    let said: Vec<String> = kinds(&home, "hook");
    let said: Vec<&str> = said.iter().map(String::as_str).filter(|it| *it != "heartbeat").collect();
    let expected = [
        "session.started",
        "user.prompt",
        "tool.call",
        "tool.result",
        "agent.stopped",
        "assistant.message",
    ];
    assert_eq!(said, expected);
    assert_eq!(counts(&home), json!([1, 1, 1]));
    assert_eq!(home.session(SESSION)["title"], "Paint the fence quokka");
    assert_eq!(home.json(&["search", "quokka", "--json"])["total"], 1);
    let summary = home.ok(&["summary", SESSION]);
    assert!(summary.contains("Last prompt: \"Paint the fence quokka\""), "{summary}");
    let events = home.events(SESSION);
    let of = |kind: &str| events.iter().find(|it| it["kind"] == kind).unwrap().clone();
    let (prompt, call) = (of("user.prompt"), of("tool.call"));
    assert_eq!(of("tool.result")["parentId"], call["id"]);
    for kind in ["tool.call", "tool.result", "turn.started", "turn.completed"] {
        assert_eq!(of(kind)["turnId"], prompt["turnId"], "{kind}");
    }
    assert_eq!(of("turn.completed")["data"]["status"], "completed");
    end(run);
}

/// A request that a hook reported named neither its turn nor its call.
#[test]
fn a_request_of_a_hook_names_its_turn_and_its_call() {
    let home = Home::new(PROGRAM);
    let call =
        json!({"tool_name": "Bash", "tool_input": {"command": "make paint"}, "tool_use_id": "t1"});
    let mut request = call.clone();
    request.as_object_mut().unwrap().remove("tool_use_id");
    hook(&home, "UserPromptSubmit", &json!({"prompt": "Paint the fence quokka"}));
    hook(&home, "PreToolUse", &call);
    hook(&home, "PermissionRequest", &request);
    let events = home.events(SESSION);
    let of = |kind: &str| events.iter().find(|it| it["kind"] == kind).unwrap();
    let (prompt, call, asked) = (of("user.prompt"), of("tool.call"), of("approval.requested"));
    assert!(prompt["turnId"].is_string(), "{prompt}");
    assert_eq!((&asked["turnId"], &asked["parentId"]), (&prompt["turnId"], &call["id"]));
    assert_eq!(asked["data"]["call_id"], "t1");
}

#[test]
fn a_transcript_that_comes_later_says_each_prompt_once_and_so_does_a_rebuild() {
    let home = Home::new(PROGRAM);
    play(&home);
    assert_eq!(counts(&home), json!([1, 1, 1]));
    let line = |uuid, parent, second| Line { session: SESSION, uuid, parent, second };
    let said = [
        line("u1", None, 1).prompt("Paint the fence quokka"),
        line("u2", Some("u1"), 2).call("t1", "Bash", &json!({"command": "make paint"})),
        line("u3", Some("u2"), 3).result("t1", "painted"),
        line("u4", Some("u3"), 4).answer("Painted."),
    ];
    home.write(&claude::path(SESSION), said.concat());
    assert_eq!(counts(&home), json!([1, 1, 1]));
    let carried = |home: &Home| {
        let mut kinds = kinds(home, "hook");
        kinds.retain(|it| it != "heartbeat");
        kinds
    };
    assert_eq!(carried(&home), ["session.started", "agent.stopped"]);
    let before = home.events(SESSION);
    home.ok(&["rebuild", "--yes"]);
    let after = home.events(SESSION);
    let view = |all: &[Value]| {
        let of =
            |it: &Value| json!([it["id"], it["kind"], it["createdAt"], it["text"], it["turnId"]]);
        all.iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(view(&after), view(&before));
    assert_eq!(home.json(&["search", "quokka", "--json"])["total"], 1);
}
