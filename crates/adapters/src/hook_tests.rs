//! Hooks of agents whose payloads have a shape of their own, as events.

use crate::by_id;
use serde_json::{Value, json};
use taffrail_model::{
    Cursor, Draft, EventId, Facts, NewUsage, Record, RuntimeIdentity, Signal, Sink, TurnId,
};

/// Events as lines: session, kind, signal without hashes, confidence and text.
#[derive(Default)]
struct Recorder {
    lines: Vec<String>,
    marks: Vec<Signal>,
    unknown: Vec<String>,
}

impl Sink for Recorder {
    fn event(&mut self, who: &RuntimeIdentity, draft: Draft<'_>) {
        let signal = draft.signal.clone().unwrap();
        let (kind, sure) = (draft.kind.as_str(), draft.confidence.as_str());
        let text = draft.text.as_deref().unwrap_or_default();
        let (id, word) = (who.id.as_str(), signal.word());
        self.lines.push(format!("{}/{id} {kind} {word} {sure} '{text}'", who.scope));
        self.marks.push(signal);
    }
    fn remove(&mut self, _: &RuntimeIdentity, _: EventId) {}
    fn remove_turn(&mut self, _: &RuntimeIdentity, _: TurnId) {}
    fn usage(&mut self, _: &RuntimeIdentity, _: NewUsage) {}
    fn unknown(&mut self, raw_type: &str, _: Option<&str>) {
        self.unknown.push(raw_type.to_owned());
    }
}

fn read(agent: &str, store: &Value, payload: &Value) -> (Recorder, Vec<(RuntimeIdentity, Facts)>) {
    let line = json!({"at": "2026-11-15T10:00:00Z", "nonce": "n", "agent": agent, "via": "hook",
        "store": store, "ancestors": [{"pid": 9, "start": 1, "name": "sh"},
            {"pid": 7, "start": 5, "name": by_id(agent).unwrap().descriptor().processes[0]}],
        "payload": payload});
    let (mut recorder, mut reader) = (Recorder::default(), by_id(agent).unwrap().journal());
    let at = Cursor::Bytes { byte_offset: 0, length: 0 };
    reader.read(&Record { bytes: line.to_string().as_bytes(), at }, &mut recorder);
    (recorder, reader.facts())
}

fn gemini(hook: &str, more: &Value) -> Recorder {
    let mut payload = json!({"session_id": "s", "hook_event_name": hook, "cwd": "/w",
        "transcript_path": "/h/.gemini/tmp/w/chats/session-1-s.jsonl",
        "timestamp": "2026-11-15T09:59:59.900Z"});
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let (recorder, facts) = read("gemini-cli", &Value::Null, &payload);
    assert_eq!(recorder.unknown, Vec::<String>::new(), "{hook}");
    let (_, facts) = &facts[0];
    assert_eq!((facts.project_path.as_deref(), facts.process.unwrap().pid), (Some("/w"), 7));
    recorder
}

#[test]
fn hooks_of_gemini_are_prompts_calls_requests_and_ends() {
    let check = |hook: &str, more: Value, expected: &str| {
        assert_eq!(gemini(hook, &more).lines, [expected], "{hook} {more}");
    };
    let shell = || json!({"tool_name": "run_shell_command", "tool_input": {"command": "make x", "description": "d"}});
    check("SessionStart", json!({"source": "startup"}), "/s heartbeat started high ''");
    check("SessionStart", json!({"source": "clear"}), "/s heartbeat took-over high ''");
    check("BeforeAgent", json!({"prompt": "fix it"}), "/s heartbeat prompted high 'fix it'");
    check("BeforeTool", shell(), "/s heartbeat called high 'make x'");
    check("AfterTool", shell(), "/s heartbeat answered high ''");
    let done = json!({"prompt": "fix it", "prompt_response": "Done. ", "stop_hook_active": false});
    check("AfterAgent", done, "/s agent.stopped turn-over high 'Done.'");
    check("SessionEnd", json!({"reason": "exit"}), "/s session.exited ended high 'exit'");
    for hook in ["PreCompress", "BeforeModel", "AfterModel", "BeforeToolSelection"] {
        check(hook, json!({"trigger": "auto"}), "/s heartbeat alive high ''");
    }
    let other = json!({"notification_type": "Other", "message": "m"});
    check("Notification", other, "/s notice alive high 'm'");
}

#[test]
fn a_request_of_gemini_names_what_it_asks_and_is_never_quite_certain() {
    let check = |details: Value, expected: &str| {
        let more =
            json!({"notification_type": "ToolPermission", "message": "m", "details": details});
        assert_eq!(gemini("Notification", &more).lines, [expected], "{details}");
    };
    check(
        json!({"type": "exec", "title": "Confirm", "command": "make x", "rootCommand": "make"}),
        "/s approval.requested asked-approval medium 'make x'",
    );
    check(
        json!({"type": "edit", "title": "Confirm Write: a.rs", "filePath": "/w/a.rs"}),
        "/s approval.requested asked-approval medium 'edit /w/a.rs'",
    );
    check(
        json!({"type": "mcp", "title": "Confirm", "serverName": "s", "toolName": "find"}),
        "/s approval.requested asked-approval medium 'mcp find'",
    );
    check(
        json!({"type": "info", "title": "Confirm", "prompt": "read x"}),
        "/s approval.requested asked-approval medium 'info read x'",
    );
    check(json!({"type": "ask_user", "title": "Ask User"}), "/s notice asked high ''");
}

#[test]
fn call_request_and_result_of_gemini_name_the_same_call() {
    let shell = json!({"tool_name": "run_shell_command", "tool_input": {"command": "make x"}});
    let asked = json!({"notification_type": "ToolPermission", "details": {"type": "exec", "command": "make x"}});
    let signal = |hook: &str, more: &Value| gemini(hook, more).marks.remove(0);
    let Signal::Called { call, input } = signal("BeforeTool", &shell) else { panic!() };
    let Signal::AskedApproval { input: asked } = signal("Notification", &asked) else { panic!() };
    assert_eq!((&input, &asked), (&call, &call));
    assert_eq!(signal("AfterTool", &shell), Signal::Answered { call: call.clone() });
    let other = json!({"tool_name": "run_shell_command", "tool_input": {"command": "make y"}});
    assert_ne!(signal("AfterTool", &other), Signal::Answered { call });
}

#[test]
fn a_question_of_gemini_offers_its_answers() {
    let asks = json!({"tool_name": "ask_user", "tool_input": {"questions": [
        {"question": "Which color?", "options": [{"label": "Blue"}, {"label": "Red"}]}]}});
    let recorder = gemini("BeforeTool", &asks);
    assert_eq!(recorder.lines, ["/s heartbeat asked high 'Which color?'"]);
    let Signal::Asked { options, .. } = &recorder.marks[0] else { panic!() };
    assert_eq!(options, &["Blue", "Red"]);
}

#[test]
fn a_hook_of_goose_never_proves_that_work_goes_on() {
    let store = json!({"path": "/h/sessions/sessions.db", "device": "d"});
    let check = |hook: &str, more: Value, expected: &str| {
        let mut payload = json!({"event": hook, "session_id": "20261114_4", "matcher_context": null,
            "working_dir": "/w"});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let (recorder, facts) = read("goose", &store, &payload);
        let expected = format!("d:/h/sessions/sessions.db/20261114_4 {expected}");
        assert_eq!((recorder.lines, recorder.unknown), (vec![expected], vec![]), "{hook}");
        assert_eq!(facts[0].1.project_path.as_deref(), Some("/w"));
    };
    let shell = || json!({"tool_call_id": "call_1", "tool_name": "shell", "tool_input": {"command": "make x"}});
    check("SessionStart", json!({}), "heartbeat started high ''");
    check("UserPromptSubmit", json!({"message": "fix it"}), "heartbeat prompted low 'fix it'");
    check("PreToolUse", shell(), "heartbeat called low 'make x'");
    check("PreToolUseResult", shell(), "heartbeat alive low ''");
    check("BeforeShellExecution", shell(), "heartbeat alive low ''");
    check("PostToolUse", shell(), "heartbeat answered low ''");
    check("PostToolUseFailure", shell(), "heartbeat answered low ''");
    let done = json!({"last_assistant_message": "Done."});
    check("Stop", done, "agent.stopped turn-over high 'Done.'");
    check("SessionEnd", json!({}), "session.exited ended high ''");
}

#[test]
fn a_hook_of_goose_without_its_store_is_about_no_session() {
    let payload = json!({"event": "Stop", "session_id": "20261114_4"});
    for store in [Value::Null, json!({"path": "/h/sessions/sessions.db"})] {
        let (recorder, facts) = read("goose", &store, &payload);
        assert_eq!((recorder.lines.len(), facts.len()), (0, 0));
        assert_eq!(recorder.unknown, ["hook/no-store"]);
    }
}

#[test]
fn a_rule_denies_a_call_in_the_agents_own_words() {
    let check = |agent: &str, payload: Value, denial: Value| {
        let plan = by_id(agent).unwrap().approval_plan().unwrap();
        let payload = payload.to_string();
        assert_eq!((plan.request)(&payload), None, "{agent} cannot be answered");
        let call = (plan.call)(&payload).unwrap();
        assert_eq!(
            (call.command.as_deref(), call.project.as_deref()),
            (Some("make x"), Some("/w"))
        );
        assert_eq!(serde_json::from_str::<Value>(&(plan.denial)("no")).unwrap(), denial);
    };
    check(
        "gemini-cli",
        json!({"session_id": "s", "hook_event_name": "BeforeTool", "cwd": "/w",
            "tool_name": "run_shell_command", "tool_input": {"command": "make x"}}),
        json!({"decision": "deny", "reason": "no"}),
    );
    check(
        "goose",
        json!({"session_id": "s", "event": "PreToolUse", "working_dir": "/w",
            "tool_name": "shell", "tool_input": {"command": "make x"}}),
        json!({"decision": "block", "reason": "no"}),
    );
}
