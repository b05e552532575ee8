//! The server's messages, and our replies.

use super::*;
use taffrail_kit::Adapter;
use taffrail_model::{Cursor, Draft, EventId, NewUsage, Record, RuntimeIdentity, Sink, TurnId};

const THREAD: &str = "01a1dc4e-9b38-7283-bb95-58ee5a0fa494";

fn state() -> ServerState {
    ServerState::with(Some(Process { pid: 7, start: 70 }))
}

fn status(status: &Value) -> Value {
    json!({ "method": "thread/status/changed", "emittedAtMs": 1_794_697_560_790_u64,
        "params": { "threadId": THREAD, "status": status } })
}

fn waiting() -> Value {
    status(&json!({ "type": "active", "activeFlags": ["waitingOnApproval"] }))
}

fn begun(ephemeral: bool) -> Value {
    json!({ "method": "thread/started",
        "params": { "thread": { "id": THREAD, "ephemeral": ephemeral } } })
}

/// Checks the results of messages about a thread that is a known session.
fn check(messages: &[Value], expected: &[&str]) {
    let messages: Vec<Value> =
        std::iter::once(begun(false)).chain(messages.iter().cloned()).collect();
    check_new(&messages, expected);
}

/// Checks the results of messages in order, in a few words each.
fn check_new(messages: &[Value], expected: &[&str]) {
    let mut state = state();
    let said = messages.iter().flat_map(|it| read_message(&mut state, &it.to_string()));
    let words = said.map(|it| match it {
        ServerMessage::Status(payload) => {
            let payload: Value = serde_json::from_str(&payload).unwrap();
            assert_eq!((&payload["pid"], &payload["procStart"]), (&json!(7), &json!(70)));
            let waits = payload["waitingOn"].as_str().unwrap_or("-");
            format!("{} {waits}", payload["status"].as_str().unwrap())
        }
        ServerMessage::Reply(Outgoing::Frame(text)) => {
            let text: Value = serde_json::from_str(&text).unwrap();
            format!("say {}", text["method"].as_str().unwrap())
        }
        ServerMessage::Request(it) => format!("asks {}", it.request.says),
        other @ (ServerMessage::Reply(_) | ServerMessage::Settled { .. }) => panic!("{other:?}"),
    });
    assert_eq!(words.collect::<Vec<_>>(), expected);
}

#[test]
fn a_thread_is_joined_while_it_waits_and_left_when_it_goes_on() {
    let busy = status(&json!({ "type": "active", "activeFlags": [] }));
    let idle = status(&json!({ "type": "idle" }));
    let joined = ["active waitingOnApproval", "say thread/resume"];
    check(&[waiting()], &joined);
    check(&[waiting(), waiting()], &[joined[0], joined[1], joined[0]]);
    check(&[busy.clone(), idle], &["active -", "idle -"]);
    check(&[waiting(), busy], &[joined[0], joined[1], "active -", "say thread/unsubscribe"]);
    check(&[status(&json!({ "type": "notLoaded" }))], &[]);
}

#[test]
fn a_thread_of_its_own_is_no_session() {
    let idle = status(&json!({ "type": "idle" }));
    check_new(&[begun(true), waiting()], &[]);
    check_new(&[begun(false), idle.clone()], &["idle -"]);
    let closed = json!({ "method": "thread/closed", "params": { "threadId": THREAD } });
    check_new(&[begun(true), closed, idle], &["say thread/read"]);
}

fn read(ephemeral: bool) -> Value {
    json!({ "id": "read", "result": { "thread": { "id": THREAD, "ephemeral": ephemeral,
        "cwd": "/w", "status": { "type": "active", "activeFlags": ["waitingOnUserInput"] } } } })
}

#[test]
fn what_is_open_already_is_asked_about() {
    let listed = json!({ "id": "list", "result": { "data": [THREAD, "other"] } });
    check_new(&[listed], &["say thread/read", "say thread/read"]);
    check_new(&[read(false)], &["active waitingOnUserInput", "say thread/resume"]);
    check_new(&[read(true)], &[]);
}

/// The thread that finds a title began before the connection, and its first message is that it is idle.
#[test]
fn a_title_that_is_found_while_the_talk_begins_stands_as_a_session() {
    let idle = status(&json!({ "type": "idle" }));
    check_new(&[idle.clone(), read(true), idle.clone()], &["say thread/read"]);
    let asked = "say thread/read";
    let stands = "active waitingOnUserInput";
    let left = ["idle -", "say thread/unsubscribe"];
    let all = [asked, asked, stands, "say thread/resume", left[0], left[1]];
    check_new(&[idle.clone(), idle.clone(), read(false), idle.clone()], &all);
    let gone = json!({ "id": "read", "error": { "code": -32600, "message": "no such thread" } });
    check_new(&[idle, gone], &["say thread/read"]);
}

#[test]
fn noise_is_silence() {
    for text in ["", "{", "[]", "7", r#"{"method":7}"#, r#"{"id":"list","result":{"data":7}}"#] {
        assert_eq!(read_message(&mut state(), text), [], "{text}");
    }
    let long = "x".repeat(LONGEST_ID + 1);
    check(
        &[json!({ "method": "thread/status/changed",
        "params": { "threadId": long, "status": { "type": "idle" } } })],
        &[],
    );
    check(&[json!({ "method": "turn/completed", "params": {} })], &[]);
}

fn request() -> Value {
    json!({ "method": "item/commandExecution/requestApproval", "id": 0, "params": {
        "kind": "command", "threadId": THREAD, "turnId": "t", "itemId": "call_1",
        "startedAtMs": 1_794_697_502_624_u64, "cwd": "/w", "reason": "Allow writing outside?",
        "command": "/bin/bash -lc 'touch /outside.txt'" } })
}

#[test]
fn a_request_is_the_one_its_hook_asks() {
    let said = read_message(&mut state(), &request().to_string());
    let [ServerMessage::Request(it)] = said.as_slice() else { panic!("{said:?}") };
    let hook = json!({ "hook_event_name": "PermissionRequest", "session_id": THREAD, "cwd": "/w",
        "tool_name": "Bash", "tool_input":
            { "command": "touch /outside.txt", "description": "Allow writing outside?" } });
    assert_eq!(Some(&it.request), (approvals::PLAN.request)(&hook.to_string()).as_ref());
    assert_eq!(it.request.command.as_deref(), Some("touch /outside.txt"));
    let allow = |decision| answer(&it.key, &Answer { decision, reason: None });
    let frame = |text: &str| Outgoing::Frame(text.to_owned());
    assert_eq!(allow(Decision::Allow), frame(r#"{"id":0,"result":{"decision":"accept"}}"#));
    assert_eq!(allow(Decision::Deny), frame(r#"{"id":0,"result":{"decision":"decline"}}"#));
    // On another connection the request gets another number, but is the same.
    let mut again = request();
    again["id"] = json!(9);
    let said = read_message(&mut state(), &again.to_string());
    assert!(matches!(said.as_slice(), [ServerMessage::Request(other)] if other.nonce == it.nonce));
    let mut other = request();
    other["params"]["itemId"] = json!("call_2");
    let said = read_message(&mut state(), &other.to_string());
    assert!(matches!(said.as_slice(), [ServerMessage::Request(other)] if other.nonce != it.nonce));
}

#[test]
fn a_change_of_files_is_asked_for_too() {
    check(
        &[json!({ "method": "item/fileChange/requestApproval", "id": 3, "params":
            { "threadId": THREAD, "turnId": "t", "itemId": "call_1", "startedAtMs": 1 } })],
        &["asks apply_patch"],
    );
}

#[test]
fn only_the_plainest_quoting_is_taken_off() {
    let check = |command: &str, expected: &str| assert_eq!(plain(command), expected);
    check("/bin/bash -lc 'touch a b'", "touch a b");
    check("/usr/bin/zsh -lc 'a && b'", "a && b");
    check("bash -c ls", "ls");
    check("/bin/bash -lc ls", "ls");
    for whole in [
        "/bin/bash -lc 'a' 'b'",
        "/bin/bash -lc \"echo $HOME\"",
        "/bin/bash -lc 'it'\\''s'",
        "/bin/bash -lc ''",
        "/bin/bash -lc a;b",
        "python -c 'print(1)'",
        "touch a",
        "",
    ] {
        check(whole, whole);
    }
}

/// The events of the journal's reader: signal, time, text.
#[derive(Default)]
struct Recorder(Vec<(String, String, String)>);

impl Sink for Recorder {
    fn event(&mut self, _: &RuntimeIdentity, draft: Draft<'_>) {
        let signal = draft.signal.as_ref().map(Signal::to_text).unwrap_or_default();
        let at = draft.at.map(|it| it.to_string()).unwrap_or_default();
        self.0.push((signal, at, draft.text.as_deref().unwrap_or_default().to_owned()));
        assert_eq!((draft.detail.label(), draft.confidence), (Some("registry"), Confidence::High));
    }
    fn remove(&mut self, _: &RuntimeIdentity, _: EventId) {}
    fn remove_turn(&mut self, _: &RuntimeIdentity, _: TurnId) {}
    fn usage(&mut self, _: &RuntimeIdentity, _: NewUsage) {}
    fn unknown(&mut self, _: &str, _: Option<&str>) {}
}

fn read_payload(payload: &str) -> Vec<(String, String, String)> {
    let line = format!(
        r#"{{"at":"2026-11-15T10:00:00Z","nonce":"n","agent":"codex","via":"registry","payload":{payload}}}"#
    );
    let mut recorder = Recorder::default();
    let at = Cursor::Bytes { byte_offset: 0, length: 0 };
    super::super::ADAPTER.journal().read(&Record { bytes: line.as_bytes(), at }, &mut recorder);
    recorder.0
}

#[test]
fn how_a_thread_stands_is_heard_again_from_the_journal() {
    let check = |message: &Value, expected: (&str, &str, &str)| {
        let mut state = state();
        read_message(&mut state, &begun(false).to_string());
        let said = read_message(&mut state, &message.to_string());
        let payload = said.iter().find_map(|it| match it {
            ServerMessage::Status(payload) => Some(payload.clone()),
            ServerMessage::Request(it) => Some(it.status.clone()),
            ServerMessage::Reply(_) | ServerMessage::Settled { .. } => None,
        });
        let expected = (expected.0.to_owned(), expected.1.to_owned(), expected.2.to_owned());
        assert_eq!(read_payload(&payload.unwrap()), [expected], "{message}");
    };
    let at = "2026-11-14T23:06:00.79Z";
    check(&waiting(), ("asked-approval:", at, "waitingOnApproval"));
    let asks = json!({ "type": "active", "activeFlags": ["waitingOnUserInput"] });
    check(&status(&asks), ("asked", at, "waitingOnUserInput"));
    check(&status(&json!({ "type": "active", "activeFlags": [] })), ("busy", at, "active"));
    check(&status(&json!({ "type": "idle" })), ("quiet", at, "idle"));
    check(&status(&json!({ "type": "systemError" })), ("failed", at, "systemError"));
    check(&status(&json!({ "type": "dreaming" })), ("alive", at, "dreaming"));
    let said = read_message(&mut state(), &request().to_string());
    let [ServerMessage::Request(it)] = said.as_slice() else { panic!("{said:?}") };
    let signal = format!("asked-approval:{}", it.request.mark);
    check(&request(), (&signal, "2026-11-14T23:05:02.624Z", "touch /outside.txt"));
}
