//! Payloads as Copilot CLI 1.0.102 sent them, and what they say.

use super::super::ADAPTER;
use super::*;
use serde_json::json;
use taffrail_kit::{Adapter, Reader, Source};
use taffrail_model::evidence::{EventHead, Evidence, Life, of_event};
use taffrail_model::observed::Marks;
use taffrail_model::status::{Given, Status, Thresholds, read};
use taffrail_model::{Cursor, Draft, EventId, NewUsage, Record, Sink, Timestamp, TurnId, text};

/// A person allowed, then refused; then a hook denied, a hook allowed, and a hook denied a call; then rules allowed.
const RECORDED: &str = include_str!(
    "../../../../adapters/tests/replay/copilot_allowed_refused_and_answered/journal.jsonl"
);
const LOG: &str = include_str!(
    "../../../../adapters/tests/replay/copilot_allowed_refused_and_answered/home/session-state/5b5941e9-8798-4388-a690-f151d9b58fb3/events.jsonl"
);

/// Events as lines: session, kind, signal without digests, and text; and what they prove.
#[derive(Default)]
struct Recorder {
    lines: Vec<String>,
    evidence: Vec<Evidence>,
    unknown: Vec<String>,
}

impl Sink for Recorder {
    fn event(&mut self, who: &RuntimeIdentity, draft: Draft<'_>) {
        let says = draft.text.as_deref().unwrap_or_default();
        let word = draft.signal.as_ref().map_or("-", |it| it.word());
        let (id, kind) = (who.id.as_str(), draft.kind.as_str());
        self.lines.push(format!("{id} {kind} {word} '{says}'"));
        let head = EventHead {
            id: EventId::of(who.session(), &draft.key, draft.part),
            parent: draft.parent,
            kind: &draft.kind,
            origin: &draft.origin,
            signal: draft.signal.as_ref(),
            marks: if draft.ends_turn { Marks::ENDS_TURN } else { Marks::default() },
            label: draft.detail.label(),
            excerpt: &text::excerpt(says),
            at: draft.at.unwrap(),
            confidence: &draft.confidence,
        };
        self.evidence.extend(of_event(&head));
    }
    fn remove(&mut self, _: &RuntimeIdentity, _: EventId) {}
    fn remove_turn(&mut self, _: &RuntimeIdentity, _: TurnId) {}
    fn usage(&mut self, _: &RuntimeIdentity, _: NewUsage) {}
    fn unknown(&mut self, raw_type: &str, _: Option<&str>) {
        self.unknown.push(raw_type.to_owned());
    }
}

fn read_into(recorder: &mut Recorder, mut reader: Box<dyn Reader>, lines: &str) {
    for line in lines.lines() {
        let at = Cursor::Bytes { byte_offset: 0, length: 0 };
        reader.read(&Record { bytes: line.as_bytes(), at }, recorder);
    }
}

fn check(payload: &Value, expected: &[&str]) {
    let entry = json!({"at": "2026-11-18T10:45:16.277Z", "nonce": "n", "agent": ID, "via": "hook",
        "payload": payload});
    let mut recorder = Recorder::default();
    read_into(&mut recorder, ADAPTER.journal(), &entry.to_string());
    assert_eq!(recorder.unknown, Vec::<String>::new(), "{payload}");
    assert_eq!(recorder.lines, expected, "{payload}");
}

/// A payload in the shape that several agents share.
fn shared(hook: &str, more: &Value) -> Value {
    with(json!({"hook_event_name": hook, "session_id": "s", "cwd": "/w"}), more)
}

/// A payload in the program's own style.
fn own(more: &Value) -> Value {
    with(json!({"sessionId": "s", "timestamp": 1_794_998_743_145_u64, "cwd": "/w"}), more)
}

fn with(mut payload: Value, more: &Value) -> Value {
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    payload
}

fn call() -> Value {
    json!({"tool_name": "Bash", "tool_input": {"command": "touch a.txt", "description": "step"}})
}

fn request() -> Value {
    own(&json!({"hookName": "permissionRequest", "toolName": "bash",
        "toolInput": {"command": "touch a.txt"}, "permissionSuggestions": []}))
}

#[test]
fn hooks_are_prompts_requests_calls_and_ends() {
    let start = shared("SessionStart", &json!({"source": "new", "initial_prompt": "fix it"}));
    check(&start, &["s heartbeat started ''"]);
    let prompt = shared("UserPromptSubmit", &json!({"prompt": "fix it"}));
    check(&prompt, &["s heartbeat prompted 'fix it'", "s user.prompt - 'fix it'"]);
    check(&shared("PreToolUse", &call()), &["s heartbeat called 'touch a.txt'"]);
    check(&request(), &["s heartbeat asked-approval 'touch a.txt'"]);
    let over: &[&str] = &["s heartbeat answered ''", "s heartbeat settled ''"];
    check(&shared("PostToolUse", &call()), over);
    check(&shared("PostToolUseFailure", &call()), over);
    check(&shared("PreCompact", &json!({"trigger": "auto"})), &["s heartbeat compacting ''"]);
    let stop = shared("Stop", &json!({"stop_reason": "end_turn", "stop_hook_active": false}));
    check(&stop, &["s agent.stopped turn-over ''"]);
    let end = shared("SessionEnd", &json!({"reason": "user_exit"}));
    check(&end, &["s session.exited ended 'user_exit'"]);
    // The sub-agent ended, not the session that the payload names.
    check(&shared("SubagentStop", &json!({})), &["s heartbeat alive ''"]);
}

#[test]
fn notifications_remind_of_what_is_asked() {
    let check = |kind: &str, expected: &str| {
        let more = json!({"message": "m", "hook_event_name": "Notification",
            "notification_type": kind});
        check(&own(&more), &[expected]);
    };
    check("permission_prompt", "s notice asked-approval 'm'");
    check("elicitation_dialog", "s notice asked 'm'");
    check("shell_completed", "s notice alive 'm'");
}

#[test]
fn a_question_is_no_request() {
    let input = json!({"message": "Which color?", "requestedSchema": {"type": "object"}});
    let asks = shared("PreToolUse", &json!({"tool_name": "AskUserQuestion", "tool_input": input}));
    check(&asks, &["s heartbeat asked 'Which color?'"]);
    let request = own(&json!({"hookName": "permissionRequest", "toolName": "ask_user",
        "toolInput": input}));
    check(&request, &["s heartbeat alive ''"]);
    assert_eq!((ADAPTER.approval_plan().unwrap().request)(&request.to_string()), None);
}

#[test]
fn a_request_and_its_call_have_the_same_mark() {
    let mark = |payload: &Value| payload_in(&payload.to_string()).unwrap().input_mark();
    let in_log = mark_in_log(&json!({"toolName": "bash", "toolInput": {"command": "touch a.txt"}}));
    assert_eq!(mark(&shared("PreToolUse", &call())), mark(&request()));
    assert_eq!(in_log.unwrap(), mark(&request()));
}

#[test]
fn what_another_program_says_is_not_its_own() {
    let check = |payload: &str, expected: bool| {
        assert_eq!(ADAPTER.is_own_payload(payload), expected, "{payload}");
    };
    check(r#"{"session_id": "s", "hook_event_name": "PreToolUse"}"#, true);
    check(r#"{"sessionId": "s", "hookName": "permissionRequest"}"#, true);
    check(r#"{"transcript_path": "/h/.copilot/session-state/s/events.jsonl"}"#, true);
    check(r#"{"transcript_path": "/srv/copilot/session-state/s/events.jsonl"}"#, true);
    check(r#"{"transcript_path": ""}"#, true);
    check(r#"{"transcript_path": "/h/.claude/projects/-w/s.jsonl"}"#, false);
    check(r#"{"transcript_path": "/h/.qwen/projects/-w/chats/s.jsonl"}"#, false);
    check(r#"{"transcript_path": "/h/events.jsonl"}"#, false);
    check(r#"{"sessionId": "s", "hookEventName": "PreToolUse"}"#, false);
    check("not json", true);
}

/// The status of the recorded session.
fn status_at(evidence: &[Evidence], now: &str) -> (Status, Option<String>) {
    let now: Timestamp = format!("2026-11-18T{now}Z").parse().unwrap();
    let evidence: Vec<_> = evidence.iter().filter(|it| it.at <= now).cloned().collect();
    let (life, thresholds) = (Life::Alive, Thresholds::default());
    let reading = read(&Given { evidence: &evidence, life, workers: &[], now, thresholds });
    let asked = reading.waiting_for.map(|it| it.text);
    (reading.status, asked.filter(|_| reading.status == Status::WaitingApproval))
}

#[test]
fn it_waits_for_an_approval_exactly_while_its_dialog_is_open() {
    let mut recorder = Recorder::default();
    read_into(&mut recorder, ADAPTER.journal(), RECORDED);
    let path = "session-state/5b5941e9-8798-4388-a690-f151d9b58fb3/events.jsonl";
    let source = Source { path, key: "", scope: "", beside: &[], written: None };
    read_into(&mut recorder, ADAPTER.reader(&source, None), LOG);
    assert_eq!(recorder.unknown, Vec::<String>::new());
    let check = |now: &str, status: Status, asked: Option<&str>| {
        let expected = (status, asked.map(str::to_owned));
        assert_eq!(status_at(&recorder.evidence, now), expected, "{now}");
    };
    check("10:45:42.990", Status::Running, None);
    check("10:45:43.250", Status::WaitingApproval, Some("touch a.txt"));
    check("10:46:03.320", Status::WaitingApproval, Some("touch a.txt"));
    check("10:46:03.330", Status::Running, None);
    check("10:46:22.000", Status::Waiting, None);
    check("10:47:02.810", Status::WaitingApproval, Some("touch b.txt"));
    check("10:47:16.780", Status::WaitingApproval, Some("touch b.txt"));
    check("10:47:16.810", Status::Waiting, None);
    check("10:47:48.580", Status::Running, None);
    check("10:48:37.430", Status::Running, None);
    check("10:50:15.660", Status::Running, None);
    check("10:50:27.000", Status::Waiting, None);
    let asked = recorder.lines.iter().filter(|it| it.contains(" approval.requested "));
    assert_eq!(asked.count(), 2, "once for each dialog");
}

/// While the hook is held, nothing is in the log, and the request is open all the same.
#[test]
fn it_waits_for_an_approval_while_its_hook_runs() {
    let mut recorder = Recorder::default();
    read_into(&mut recorder, ADAPTER.journal(), RECORDED);
    let asked = Some("touch c.txt".to_owned());
    let now = "10:47:48.560";
    assert_eq!(status_at(&recorder.evidence, now), (Status::WaitingApproval, asked));
}
