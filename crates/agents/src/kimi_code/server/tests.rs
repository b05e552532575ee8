//! The server's replies as Kimi Code 2.1.0 sends them, and our answers.

use super::*;
use taffrail_kit::agent_server::request_nonce;
use taffrail_kit::{Request, ServerRequest};
use taffrail_model::approval::input_mark;
use taffrail_model::{AgentId, Process, RuntimeIdentity};

const SESSION: &str = "session_60f66c66-19cb-4167-bb9f-de857b87eb45";
const APPROVAL: &str = "approval_d9f7aa89-867c-4ee3-92c2-ec44f15e6649";
const FETCH: &str =
    "/api/v1/sessions/session_60f66c66-19cb-4167-bb9f-de857b87eb45/approvals?status=pending";

fn reply(path: &str, items: &Value) -> Value {
    json!({ "path": path, "body": { "code": 0, "msg": "success", "data": { "items": items },
        "request_id": "01M7J3X5F6B4J0P1ZVF549ZDJV" } })
}

fn sessions(busy: bool, pending: &str) -> Value {
    let it = json!({ "id": SESSION, "busy": busy, "pending_interaction": pending,
        "updated_at": "2026-11-16T12:04:24.775Z", "metadata": { "cwd": "/home/dev/proj" } });
    reply(SESSIONS, &json!([it]))
}

fn open() -> Value {
    let it = json!({ "approval_id": APPROVAL, "session_id": SESSION, "agent_id": "main",
        "turn_id": 0, "tool_call_id": "call_1", "tool_name": "Bash",
        "action": "Running: rm -rf zz",
        "tool_input_display": { "kind": "command", "command": "rm -rf zz",
            "cwd": "/home/dev/proj", "description": "fake shell step", "language": "bash" },
        "created_at": "2026-11-16T12:04:24.775Z", "expires_at": "2026-11-17T12:04:24.775Z" });
    reply(FETCH, &json!([it]))
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
        ServerMessage::Reply(it) => {
            assert_eq!(it, Outgoing::Get { path: FETCH.to_owned() });
            "fetch".to_owned()
        }
        ServerMessage::Settled { .. } => panic!("{it:?}"),
    });
    assert_eq!(words.collect::<Vec<_>>(), expected);
}

#[test]
fn a_turn_with_a_request_is_reported_as_it_changes() {
    let (busy, asks) = (sessions(true, "none"), sessions(true, "approval"));
    let idle = sessions(false, "none");
    let turn = [busy.clone(), busy.clone(), asks.clone(), open(), asks, open()];
    let expected = ["busy", "fetch", "asks rm -rf zz", "fetch"];
    check(&turn, &expected);
    let over = [&turn[..], &[busy, idle.clone(), idle]].concat();
    check(&over, &[&expected[..], &["busy", "idle"]].concat());
}

#[test]
fn a_session_that_the_server_does_not_run_is_not_reported() {
    check(&[sessions(false, "none")], &[]);
}

#[test]
fn a_request_that_is_not_listed_any_more_was_answered() {
    let none = reply(FETCH, &json!([]));
    check(&[open(), none.clone(), none], &["asks rm -rf zz", "busy"]);
}

fn request() -> ServerRequest {
    let said = read(&mut ServerState::default(), &open().to_string());
    let [ServerMessage::Request(it)] = said.as_slice() else { panic!("{said:?}") };
    (**it).clone()
}

#[test]
fn a_request_is_answered_in_the_words_that_the_server_reads() {
    let it = request();
    let input = json!({ "command": "rm -rf zz" });
    let expected = Request {
        who: RuntimeIdentity::new(AgentId::new("kimi-code"), "", SESSION),
        tool: "Bash".to_owned(),
        command: Some("rm -rf zz".to_owned()),
        says: "rm -rf zz".to_owned(),
        mark: input_mark("Bash", input.clone()),
        project: Some("/home/dev/proj".to_owned()),
        files: Vec::new(),
        input: Some(input),
    };
    assert_eq!((it.request, it.call.as_deref()), (expected, Some("call_1")));
    assert_eq!(it.nonce, request_nonce(&["kimi-code", SESSION, APPROVAL]));
    assert_eq!(it.at.map(|it| it.to_string()).as_deref(), Some("2026-11-16T12:04:24.775Z"));
    let path = format!("/api/v1/sessions/{SESSION}/approvals/{APPROVAL}");
    let check = |decision, reason: Option<&str>, body: &str| {
        let reason = reason.map(str::to_owned);
        let expected = Outgoing::Post { path: path.clone(), body: body.to_owned() };
        assert_eq!(answer(&it.key, &Answer { decision, reason }), expected);
    };
    check(Decision::Allow, None, r#"{"decision":"approved"}"#);
    check(Decision::Deny, None, r#"{"decision":"rejected"}"#);
    check(Decision::Deny, Some("no"), r#"{"decision":"rejected","feedback":"no"}"#);
}

#[test]
fn noise_is_silence() {
    let mut state = ServerState::default();
    for text in ["", "{", "[]", "7", r#"{"path":7}"#, r#"{"path":"/other","body":{}}"#] {
        assert_eq!(read(&mut state, text), [], "{text}");
    }
    let traversal = json!([{ "id": "../x", "busy": true, "pending_interaction": "approval" }]);
    check(&[reply(SESSIONS, &traversal)], &[]);
    check(&[reply(FETCH, &json!([{ "approval_id": "a/b", "tool_name": "Bash" }]))], &[]);
}
