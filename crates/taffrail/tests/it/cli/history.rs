//! One small handwritten history: every agent, a tool call, a sub-agent and a fork.

use serde_json::{Value, json};
use taffrail_testkit::Home;
use taffrail_testkit::claude::{Line, path};
use taffrail_testkit::goose::{GooseDb, Message, answer, call, text};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
pub(crate) const SESSION: &str = "11111111-1111-4111-8111-111111111111";
pub(crate) const FORK: &str = "22222222-2222-4222-8222-222222222222";
pub(crate) const WORKER: &str = "a80915f0892e48955";
pub(crate) const THREAD: &str = "01a10000-0000-7000-8000-000000000002";
pub(crate) const CHAT: &str = "abcd1234-0000-4000-8000-000000000000";
pub(crate) const CHAT_FILE: &str = ".gemini/tmp/app/chats/session-2026-10-01T11-00-abcd1234.jsonl";

/// A home with all of it, not indexed yet.
pub(crate) fn home() -> Home {
    let home = Home::new(PROGRAM);
    claude(&home);
    codex(&home);
    gemini(&home);
    goose(&home);
    home
}

fn claude(home: &Home) {
    let shared = |session| {
        let first = Line { session, uuid: "u-1", parent: None, second: 1 };
        let second = Line { uuid: "u-2", parent: Some("u-1"), second: 2, ..first };
        let third = Line { uuid: "u-3", parent: Some("u-2"), second: 3, ..first };
        first.prompt("Fix the failing test.\nIt is the parser's.")
            + &second.call("toolu_1", "Bash", &json!({"command": "cargo test", "timeout": 9}))
            + &third.result("toolu_1", "1 failed\nsee above")
    };
    let own = |session, uuid, second| Line { session, uuid, parent: Some("u-3"), second };
    let task = json!({"description": "count", "prompt": "Count the tests.", "subagent_type": "x"});
    let main = shared(SESSION)
        + &own(SESSION, "u-4", 4).call("toolu_2", "Task", &task)
        + &own(SESSION, "u-5", 9).result("toolu_2", "Nine.")
        + &own(SESSION, "u-6", 10).answer("Fixed.")
        + &own(SESSION, "u-7", 11).with(&json!({"type": "news-of-tomorrow"}));
    home.write(&path(SESSION), main);
    let fork = shared(FORK) + &own(FORK, "f-4", 20).answer("Otherwise fixed.");
    home.write(&path(FORK), fork);
    let side = |uuid, second| Line { session: SESSION, uuid, parent: None, second };
    let worker = side("w-1", 5).prompt("Count the tests.") + &side("w-2", 6).answer("Nine.");
    let worker = worker.replace(
        "\"isSidechain\":false",
        &format!("\"isSidechain\":true,\"agentId\":\"{WORKER}\""),
    );
    let folder = format!(".claude/projects/-w-app/{SESSION}/subagents");
    home.write(&format!("{folder}/agent-{WORKER}.jsonl"), worker);
    let meta = json!({"agentType": "x", "description": "count", "toolUseId": "toolu_2"});
    home.write(&format!("{folder}/agent-{WORKER}.meta.json"), meta.to_string());
    home.write(".claude/settings.json", r#"{"cleanupPeriodDays": 99999}"#);
}

fn codex(home: &Home) {
    let line = |second: u32, kind: &str, payload: Value| {
        let time = format!("2026-10-01T10:30:{second:02}.000Z");
        format!("{}\n", json!({"timestamp": time, "type": kind, "payload": payload}))
    };
    let spent = json!({"input_tokens": 1000, "cached_input_tokens": 800, "output_tokens": 50,
        "reasoning_output_tokens": 20, "total_tokens": 1050});
    let info = json!({"total_token_usage": spent, "last_token_usage": spent});
    let lines = [
        line(
            1,
            "session_meta",
            json!({"id": THREAD, "timestamp": "2026-10-01T10:30:00.500Z",
            "cwd": "/w/api", "originator": "codex_cli_rs", "cli_version": "0.98.0",
            "source": "cli", "git": {"branch": "main"}}),
        ),
        line(2, "turn_context", json!({"cwd": "/w/api", "model": "gpt-5.2-codex"})),
        line(3, "event_msg", json!({"type": "user_message", "message": "List the files"})),
        line(
            4,
            "response_item",
            json!({"type": "function_call", "name": "shell",
            "arguments": "{\"command\":[\"ls\",\"-l\"]}", "call_id": "call_1"}),
        ),
        line(
            5,
            "response_item",
            json!({"type": "function_call_output", "call_id": "call_1",
            "output": "{\"output\":\"README.md\\n\",\"metadata\":{\"exit_code\":0}}"}),
        ),
        line(6, "event_msg", json!({"type": "token_count", "info": info})),
        line(7, "event_msg", json!({"type": "agent_message", "message": "There is one."})),
    ];
    let file = format!(".codex/sessions/2026/10/01/rollout-2026-10-01T10-30-00-{THREAD}.jsonl");
    home.write(&file, lines.concat());
}

fn gemini(home: &Home) {
    let at = |second: u32| format!("2026-10-01T11:00:{second:02}.000Z");
    let tokens = json!({"input": 900, "output": 40, "cached": 700, "thoughts": 12, "tool": 0,
        "total": 952});
    let response = json!({"id": "c1", "name": "shell", "response": {"output": "a.txt"}});
    let calls = json!([{"id": "c1", "name": "shell", "args": {"command": "ls"},
        "result": [{"functionResponse": response}], "status": "success", "timestamp": at(3)}]);
    let records = [
        json!({"sessionId": CHAT, "projectHash": "5f1d", "startTime": at(0), "lastUpdated": at(0),
            "kind": "main"}),
        json!({"id": "m1", "timestamp": at(1), "type": "user",
            "content": [{"text": "List the files"}]}),
        json!({"id": "m2", "timestamp": at(2), "type": "gemini", "content": "One: a.txt.",
            "thoughts": [{"subject": "Plan", "description": "Look.", "timestamp": at(2)}],
            "tokens": tokens, "model": "gemini-2.5-pro", "toolCalls": calls}),
        json!({"$set": {"summary": "List the files of the project"}}),
    ];
    let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
    home.write(CHAT_FILE, lines);
    home.write(".gemini/tmp/app/.project_root", "/w/app");
}

fn goose(home: &Home) {
    let database = GooseDb::open(home);
    let folder = home.path("w/app");
    database.session("20261001_1", "Look around", folder.to_str().unwrap(), None);
    let mut at = 1_790_852_400;
    let mut say = |role, content| {
        at += 1;
        database.message(&Message { session: "20261001_1", role, content, at });
    };
    say("user", json!([text("Look around")]));
    say("assistant", json!([text("Looking."), call("c1", "shell", &json!({"command": "ls"}))]));
    say("user", json!([answer("c1", "a.txt")]));
    say("assistant", json!([text("One file.")]));
}
