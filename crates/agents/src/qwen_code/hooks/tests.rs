//! Payloads as Qwen Code 0.24.4 sent them, and what they say.

use super::super::ADAPTER;
use super::*;
use serde_json::{Value, json};
use taffrail_kit::Adapter;
use taffrail_model::evidence::{EventHead, Evidence, Life, of_event};
use taffrail_model::observed::Marks;
use taffrail_model::status::{Given, Status, Thresholds, read};
use taffrail_model::{
    Cursor, Draft, EventId, Facts, NewUsage, Record, Sink, Timestamp, TurnId, text,
};

/// A person allowed, then refused; then a hook denied, a hook allowed, and a hook denied the allowed call.
const RECORDED: &str = include_str!(
    "../../../../adapters/tests/replay/qwen_allowed_refused_and_answered/journal.jsonl"
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
        let (scope, id, kind) = (&who.scope, who.id.as_str(), draft.kind.as_str());
        self.lines.push(format!("{scope}/{id} {kind} {word} '{says}'"));
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

fn read_lines(lines: &[&str]) -> (Recorder, Vec<(RuntimeIdentity, Facts)>) {
    let (mut recorder, mut reader) = (Recorder::default(), ADAPTER.journal());
    for line in lines {
        let at = Cursor::Bytes { byte_offset: 0, length: 0 };
        reader.read(&Record { bytes: line.as_bytes(), at }, &mut recorder);
    }
    (recorder, reader.facts())
}

fn payload(hook: &str, more: &Value) -> Value {
    let mut payload = json!({"session_id": "s", "hook_event_name": hook, "cwd": "/w",
        "transcript_path": "/h/.qwen/projects/-w/chats/s.jsonl", "permission_mode": "default",
        "timestamp": "2026-11-18T07:29:23.414Z", "prompt_id": "s########0"});
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    payload
}

fn said(hook: &str, more: &Value) -> Vec<String> {
    let entry = json!({"at": "2026-11-18T07:29:23.414Z", "nonce": "n", "agent": ID, "via": "hook",
        "payload": payload(hook, more)});
    let (recorder, _) = read_lines(&[&entry.to_string()]);
    assert_eq!(recorder.unknown, Vec::<String>::new(), "{hook}");
    recorder.lines
}

/// A shell command, as a request has it; a call has its id, too.
fn shell() -> Value {
    json!({"tool_name": "run_shell_command",
        "tool_input": {"command": "touch a.txt", "description": "step", "is_background": false}})
}

fn question() -> Value {
    json!({"tool_name": "ask_user_question", "tool_input": {"questions": [
        {"question": "Which color?", "options": [{"label": "Blue"}, {"label": "Red"}]}]}})
}

fn check(hook: &str, more: &Value, expected: &[&str]) {
    assert_eq!(said(hook, more), expected, "{hook} {more}");
}

#[test]
fn hooks_are_prompts_requests_calls_and_ends() {
    let started: &[&str] = &["/s heartbeat started ''", "/s session.started - ''"];
    check("SessionStart", &json!({"source": "startup", "model": "m"}), started);
    let asked: &[&str] = &["/s approval.requested asked-approval 'touch a.txt'"];
    check("PermissionRequest", &shell(), asked);
    let mut call = shell();
    call["tool_use_id"] = "toolu_1".into();
    let called: &[&str] = &[
        "/s heartbeat called 'touch a.txt'",
        "/s tool.call - 'touch a.txt'",
        "/s heartbeat settled ''",
    ];
    check("PreToolUse", &call, called);
    call["tool_response"] = json!({"llmContent": "Output: x", "returnDisplay": "x"});
    let answered: &[&str] = &["/s heartbeat answered ''", "/s tool.result - 'Output: x'"];
    check("PostToolUse", &call, answered);
    let stop = json!({"last_assistant_message": "Done.", "background_tasks": [], "crons": []});
    let over: &[&str] = &["/s agent.stopped turn-over 'Done.'", "/s assistant.message - 'Done.'"];
    check("Stop", &stop, over);
    let failed: &[&str] = &["/s error failed 'loop'"];
    check("StopFailure", &json!({"error": "loop_detected", "error_details": "loop"}), failed);
    let ended: &[&str] = &["/s session.exited ended 'prompt_input_exit'"];
    check("SessionEnd", &json!({"reason": "prompt_input_exit"}), ended);
    check("MessageDisplay", &json!({"displayed_text": "x"}), &["/s heartbeat alive ''"]);
}

#[test]
fn notifications_remind_of_what_is_asked() {
    let check = |kind: &str, expected: &str| {
        let more = json!({"notification_type": kind, "message": "m", "title": "t"});
        check("Notification", &more, &[expected]);
    };
    check("permission_prompt", "/s notice asked-approval 'm'");
    check("idle_prompt", "/s notice quiet 'm'");
    check("auth_success", "/s notice alive 'm'");
}

#[test]
fn the_results_of_tools_are_no_prompt() {
    let prompted: &[&str] = &["/s heartbeat prompted 'fix it'", "/s user.prompt - 'fix it'"];
    let prompt = json!({"prompt": "fix it"});
    check("UserPromptSubmit", &prompt, prompted);
    check("UserPromptSubmit", &json!({"prompt": ""}), &["/s heartbeat busy ''"]);
    let picture = json!({"prompt": "", "submitted_prompt": ""});
    check("UserPromptSubmit", &picture, &["/s heartbeat prompted ''"]);
}

#[test]
fn the_end_of_a_session_that_never_was_says_nothing() {
    check("SessionEnd", &json!({"transcript_path": "", "reason": "prompt_input_exit"}), &[]);
}

#[test]
fn a_question_is_open_until_its_call_runs() {
    check("PermissionRequest", &question(), &["/s heartbeat asked 'Which color?'"]);
    let mut call = question();
    call["tool_use_id"] = "toolu_1".into();
    assert_eq!(said("PreToolUse", &call).last().unwrap(), "/s heartbeat answered ''");
    let asks = payload("PermissionRequest", &question()).to_string();
    assert_eq!((ADAPTER.approval_plan().unwrap().request)(&asks), None);
}

#[test]
fn a_worker_asks_in_its_own_name() {
    let mut asks = shell();
    asks["agent_id"] = "explore-1".into();
    let asked: &[&str] = &["s/explore-1 approval.requested asked-approval 'touch a.txt'"];
    check("PermissionRequest", &asks, asked);
    let request = (ADAPTER.approval_plan().unwrap().request)(
        &payload("PermissionRequest", &asks).to_string(),
    );
    let who = request.unwrap().who;
    assert_eq!((who.scope.as_str(), who.id.as_str()), ("s", "explore-1"));
}

/// The status of the recorded session by its hooks alone.
fn status_at(evidence: &[Evidence], now: &str) -> (Status, Option<String>) {
    let now: Timestamp = format!("2026-11-18T{now}Z").parse().unwrap();
    let evidence: Vec<_> = evidence.iter().filter(|it| it.at <= now).cloned().collect();
    let (life, thresholds) = (Life::Alive, Thresholds::default());
    let reading = read(&Given { evidence: &evidence, life, workers: &[], now, thresholds });
    (reading.status, reading.waiting_for.map(|it| it.text))
}

#[test]
fn it_waits_for_an_approval_exactly_while_its_dialog_is_open() {
    let (recorder, facts) = read_lines(&RECORDED.lines().collect::<Vec<_>>());
    assert_eq!((recorder.unknown.len(), facts.len()), (0, 1));
    let check = |now: &str, status: Status, asked: Option<&str>| {
        let (is, what) = status_at(&recorder.evidence, now);
        assert_eq!((is, what.filter(|_| asked.is_some()).as_deref()), (status, asked), "{now}");
    };
    check("07:29:23.000", Status::Running, None);
    check("07:29:23.500", Status::WaitingApproval, Some("touch a.txt"));
    check("07:29:27.700", Status::WaitingApproval, Some("touch a.txt"));
    check("07:29:27.800", Status::Running, None);
    check("07:29:30.000", Status::Waiting, None);
    check("07:29:36.500", Status::WaitingApproval, Some("touch b.txt"));
    check("07:29:36.800", Status::Waiting, None);
    check("07:29:42.800", Status::Running, None);
    check("07:29:52.100", Status::Running, None);
    check("07:30:05.000", Status::Waiting, None);
}
