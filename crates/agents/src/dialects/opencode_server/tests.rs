//! The server's events as OpenCode 1.18.33 sends them, and our answers.

use super::*;
use taffrail_kit::agent_server::request_nonce;
use taffrail_kit::{Request, ServerRequest};
use taffrail_model::approval::input_mark;
use taffrail_model::{AgentId, Process, RuntimeIdentity};

const SESSION: &str = "ses_e23b80fccffe6sIRyUGfouwmbJ";
const BASH: &str = "per_1dc4806dd001Gm9XbaGxWzcUjG";
const EDIT: &str = "per_1dc480a74001TAf0wyrGVL2I6t";

fn state() -> ServerState {
    ServerState::with(Some(Process { pid: 7, start: 70 }))
}

fn event(kind: &str, about: &Value) -> Value {
    json!({ "directory": "/home/dev/my proj", "project": "global",
        "payload": { "id": "evt_1", "type": kind, "properties": about } })
}

fn status(word: &str) -> Value {
    event("session.status", &json!({ "sessionID": SESSION, "status": { "type": word } }))
}

fn bash() -> Value {
    json!({ "id": BASH, "sessionID": SESSION, "permission": "bash", "patterns": ["echo via-http"],
        "metadata": { "command": "echo via-http" }, "always": ["echo *"],
        "tool": { "messageID": "msg_1dc47fb2100162anCUMA19I3G0", "callID": "call_1" } })
}

fn edit() -> Value {
    json!({ "id": EDIT, "sessionID": SESSION, "permission": "edit", "patterns": ["http.txt"],
        "metadata": { "filepath": "/home/dev/my proj/http.txt", "diff": "+via http" },
        "always": ["*"], "tool": { "messageID": "msg_2", "callID": "call_2" } })
}

fn asks(about: &Value) -> Value {
    event("permission.asked", about)
}

fn replied(id: &str, reply: &str) -> Value {
    let about = json!({ "sessionID": SESSION, "requestID": id, "reply": reply });
    event("permission.replied", &about)
}

/// Checks the results of messages in order, in a few words each.
fn check(messages: &[Value], expected: &[&str]) {
    let mut state = state();
    let said = messages.iter().flat_map(|it| read("opencode", &mut state, &it.to_string()));
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
    let (asked, allowed) = (asks(&bash()), replied(BASH, "once"));
    let idle = event("session.idle", &json!({ "sessionID": SESSION }));
    let expected = ["busy", "asks echo via-http", "settled allow", "busy", "idle"];
    let turn = [status("busy"), status("busy"), asked.clone(), status("busy"), allowed];
    check(&[&turn[..], &[status("busy"), status("idle"), idle]].concat(), &expected);
    check(
        &[status("retry"), asked, replied(BASH, "reject")],
        &["busy", expected[1], "settled deny", "busy"],
    );
}

/// A daemon that came back took the request for answered, because the session was busy.
#[test]
fn a_request_that_was_open_before_is_still_open() {
    let reply = |path: &str| match path {
        PERMISSIONS => json!({ "path": path, "body": [bash()] }),
        _ => json!({ "path": path, "body": { SESSION: { "type": "busy" } } }),
    };
    let replies = hello().into_iter().map(|it| match it {
        Outgoing::Get { path } => reply(&path),
        other => panic!("{other:?}"),
    });
    check(&replies.collect::<Vec<_>>(), &["asks echo via-http"]);
}

#[test]
fn one_of_two_requests_is_answered() {
    let both = [asks(&bash()), asks(&edit())];
    let first = replied(EDIT, "always");
    let expected = ["asks echo via-http", "asks edit http.txt", "settled allow", "settled"];
    check(&[&both[..], &[first, status("busy")]].concat(), &expected);
    // An interrupted turn has no open requests.
    let again = ["asks echo via-http", "asks edit http.txt", "idle", "asks echo via-http"];
    check(&[&both[..], &[status("idle"), asks(&bash())]].concat(), &again);
}

#[test]
fn what_is_open_already_is_fetched_and_is_no_other_request() {
    let permissions = json!({ "path": "/permission", "body": [bash()] });
    let statuses = json!({ "path": "/session/status", "body": { SESSION: { "type": "busy" } } });
    check(&[statuses, permissions, asks(&bash())], &["busy", "asks echo via-http"]);
}

fn request(message: &Value) -> ServerRequest {
    let said = read("opencode", &mut state(), &message.to_string());
    let [ServerMessage::Request(it)] = said.as_slice() else { panic!("{said:?}") };
    (**it).clone()
}

#[test]
fn a_request_is_answered_once_and_never_for_always() {
    let it = request(&asks(&bash()));
    let mark = input_mark("bash", json!({ "command": "echo via-http", "description": "x" }));
    let expected = Request {
        who: RuntimeIdentity::new(AgentId::new("opencode"), "", SESSION),
        tool: "bash".to_owned(),
        command: Some("echo via-http".to_owned()),
        says: "echo via-http".to_owned(),
        mark,
        project: Some("/home/dev/my proj".to_owned()),
        files: Vec::new(),
        input: Some(json!({ "command": "echo via-http" })),
    };
    assert_eq!((it.request, it.call.as_deref()), (expected, Some("call_1")));
    assert_eq!(it.nonce, request_nonce(&["opencode", SESSION, BASH]));
    let path = format!("/permission/{BASH}/reply?directory=/home/dev/my%20proj");
    let check = |decision, reason: Option<&str>, body: &str| {
        let reason = reason.map(str::to_owned);
        let expected = Outgoing::Post { path: path.clone(), body: body.to_owned() };
        assert_eq!(answer(&it.key, &Answer { decision, reason }), expected);
    };
    check(Decision::Allow, None, r#"{"reply":"once"}"#);
    check(Decision::Deny, None, r#"{"reply":"reject"}"#);
    check(Decision::Deny, Some("no"), r#"{"message":"no","reply":"reject"}"#);
    let open = json!({ "path": "/permission", "body": [bash()] });
    assert_eq!(request(&open).key, format!("/permission/{BASH}/reply"));
}

#[test]
fn noise_is_silence() {
    let long = "x".repeat(300);
    let mut other = bash();
    for id in ["", "../../config", "a b", "per_1/reply\r\nX: y", &long] {
        other["id"] = json!(id);
        check(&[asks(&other)], &[]);
    }
    let mut state = state();
    for text in ["", "{", "[]", "7", r#"{"path":"/permission","body":7}"#, r#"{"payload":7}"#] {
        assert_eq!(read("opencode", &mut state, text), [], "{text}");
    }
    check(&[event("server.heartbeat", &json!({})), status("another")], &[]);
    check(&[event("session.idle", &json!({}))], &[]);
}
