//! The hub's frames as Cline 3.0.65 sends them, and our answers.

use super::*;
use taffrail_kit::agent_server::request_nonce;
use taffrail_kit::{Request, ServerRequest};
use taffrail_model::approval::input_mark;
use taffrail_model::{AgentId, Process, RuntimeIdentity};

const SESSION: &str = "1794831151404_zxzbo";
const APPROVAL: &str = "approval_1794831177321_eu15y";

fn event(name: &str, payload: &Value) -> Value {
    json!({ "kind": "event", "envelope": { "version": "v1", "event": name,
        "eventId": "hevt_1794831177321_squpc", "sessionId": SESSION,
        "timestamp": 1_794_831_177_321_u64, "payload": payload, "sequence": 31 } })
}

fn requested() -> Value {
    event(
        "approval.requested",
        &json!({ "approvalId": APPROVAL, "sessionId": SESSION,
            "agentId": "agent_1794831151518_9j9jru", "iteration": 1, "toolCallId": "call_1",
            "toolName": "run_commands", "inputJson": r#"{"commands":["echo hi"]}"#,
            "policy": { "autoApprove": false } }),
    )
}

fn resolved(approved: bool) -> Value {
    event("approval.resolved", &json!({ "approvalId": APPROVAL, "approved": approved }))
}

/// The two shapes of one event.
fn updated(status: &str) -> [Value; 2] {
    let snapshot = json!({ "sessionId": SESSION, "status": status, "workspace": { "cwd": "/w" } });
    let session = json!({ "sessionId": SESSION, "status": status, "cwd": "/w" });
    let whole = json!({ "session": session, "snapshot": snapshot });
    [json!({ "sessionId": SESSION, "snapshot": snapshot }), whole]
        .map(|it| event("session.updated", &it))
}

fn check(messages: &[Value], expected: &[&str]) {
    let mut state = ServerState::with(Some(Process { pid: 7, start: 70 }));
    let said = messages.iter().flat_map(|it| read(&mut state, &it.to_string()));
    let words = said.map(|it| match it {
        ServerMessage::Status(payload) => {
            let payload: Value = serde_json::from_str(&payload).unwrap();
            assert_eq!((&payload["pid"], &payload["session"]), (&json!(7), &json!(SESSION)));
            payload["status"].as_str().unwrap().to_owned()
        }
        ServerMessage::Request(it) => format!("asks {}", it.request.says),
        ServerMessage::Settled { decision, .. } => format!("settled {}", decision.as_str()),
        ServerMessage::Reply(it) => panic!("{it:?}"),
    });
    assert_eq!(words.collect::<Vec<_>>(), expected);
}

#[test]
fn a_turn_with_a_request_is_reported_as_it_changes() {
    let (running, idle) = (updated("running"), updated("idle"));
    let turn = [&running[..], &updated("pending"), &[requested(), requested()], &running];
    let over = [&[resolved(true)][..], &running, &idle];
    let expected = ["busy", "asks echo hi", "settled allow", "busy", "idle"];
    check(&[turn.concat(), over.concat()].concat(), &expected);
    check(&[requested(), resolved(false)], &["asks echo hi", "settled deny", "busy"]);
}

#[test]
fn the_sessions_that_run_already_are_listed() {
    let listed = json!({ "kind": "reply", "envelope": { "requestId": LIST, "ok": true, "payload":
        { "sessions": [{ "sessionId": "1_old", "cwd": "/w", "status": "idle" },
            { "sessionId": SESSION, "cwd": "/w", "status": "running" }] } } });
    check(&[listed], &["busy"]);
}

fn request() -> ServerRequest {
    let said = read(&mut ServerState::default(), &requested().to_string());
    let [ServerMessage::Request(it)] = said.as_slice() else { panic!("{said:?}") };
    (**it).clone()
}

#[test]
fn a_request_is_answered_in_the_words_that_the_hub_reads() {
    let it = request();
    let input = json!({ "commands": ["echo hi"] });
    let expected = Request {
        who: RuntimeIdentity::new(AgentId::new("cline"), "", SESSION),
        tool: "run_commands".to_owned(),
        command: Some("echo hi".to_owned()),
        says: "echo hi".to_owned(),
        mark: input_mark("run_commands", input.clone()),
        project: None,
        files: Vec::new(),
        input: Some(input),
    };
    assert_eq!((it.request, it.call.as_deref()), (expected, Some("call_1")));
    assert_eq!(it.nonce, request_nonce(&["cline", SESSION, APPROVAL]));
    let check = |decision, reason: Option<&str>, payload: Value| {
        let answered = answer(&it.key, &Answer { decision, reason: reason.map(str::to_owned) });
        let Outgoing::Frame(frame) = answered else { panic!("{answered:?}") };
        let expected = json!({ "kind": "command", "envelope": { "version": "v1",
            "command": "approval.respond", "requestId": format!("taffrail-{APPROVAL}"),
            "clientId": "taffrail", "sessionId": SESSION, "payload": payload } });
        assert_eq!(serde_json::from_str::<Value>(&frame).unwrap(), expected);
    };
    check(Decision::Allow, None, json!({ "approvalId": APPROVAL, "approved": true }));
    let denied = json!({ "approvalId": APPROVAL, "approved": false, "reason": "no" });
    check(Decision::Deny, Some("no"), denied);
}

#[test]
fn commands_that_are_not_text_are_no_command() {
    let check = |input: Value, expected: Option<&str>| {
        assert_eq!(commands(&input).as_deref(), expected, "{input}");
    };
    check(json!({ "commands": ["cd a", "make"] }), Some("cd a\nmake"));
    check(json!({ "commands": ["ls", { "command": "rm" }] }), None);
    check(json!({ "commands": [] }), None);
    check(json!({ "path": "a" }), None);
}

#[test]
fn noise_is_silence() {
    let mut state = ServerState::default();
    for text in ["", "{", "[]", "7", r#"{"kind":"event"}"#, r#"{"kind":"reply","envelope":7}"#] {
        assert_eq!(read(&mut state, text), [], "{text}");
    }
    check(&[event("assistant.delta", &json!({ "text": "Hi" }))], &[]);
    check(&[event("approval.requested", &json!({ "approvalId": "x".repeat(300) }))], &[]);
}
