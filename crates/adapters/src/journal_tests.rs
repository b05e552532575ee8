//! Tests of `taffrail_kit::journal` with the adapters that use it.

mod own_entries;

use crate::{Adapter, by_id};
use serde_json::{Value, json};
use std::path::Path;
use taffrail_model::journal::{Gone, Loss};
use taffrail_model::{
    Cursor, Draft, EventId, Facts, NewUsage, Process, Record, RuntimeIdentity, Signal, Sink, TurnId,
};

/// Events as lines: session, kind, signal and text; and unknown entries.
#[derive(Default)]
struct Recorder {
    lines: Vec<String>,
    events: Vec<Value>,
    unknown: Vec<String>,
}

impl Sink for Recorder {
    fn event(&mut self, who: &RuntimeIdentity, draft: Draft<'_>) {
        let signal = draft.signal.as_ref().map(Signal::to_text).unwrap_or_default();
        let text = draft.text.as_deref().unwrap_or_default();
        let (kind, ends) = (draft.kind.as_str(), if draft.ends_turn { " ends" } else { "" });
        let scope = who.scope.as_str();
        self.lines.push(format!("{scope}/{} {kind}{ends} {signal} '{text}'", who.id.as_str()));
        let id = EventId::of(who.session(), &draft.key, draft.part);
        self.events.push(json!({
            "id": id, "origin": draft.origin.as_str(), "at": draft.at,
            "data": draft.detail.to_json(), "label": draft.detail.label(),
            "confidence": draft.confidence.as_str(),
        }));
    }
    fn remove(&mut self, _: &RuntimeIdentity, _: EventId) {}
    fn remove_turn(&mut self, _: &RuntimeIdentity, _: TurnId) {}
    fn usage(&mut self, _: &RuntimeIdentity, _: NewUsage) {}
    fn unknown(&mut self, raw_type: &str, _: Option<&str>) {
        self.unknown.push(raw_type.to_owned());
    }
}

fn entry(agent: &str, via: &str, payload: &Value) -> Value {
    json!({"at": "2026-11-15T10:00:00Z", "nonce": "n1", "agent": agent, "via": via, "payload": payload})
}

fn read_line(adapter: &dyn Adapter, line: &str) -> (Recorder, Vec<(RuntimeIdentity, Facts)>) {
    let (mut recorder, mut reader) = (Recorder::default(), adapter.journal());
    let at = Cursor::Bytes { byte_offset: 0, length: 0 };
    reader.read(&Record { bytes: line.as_bytes(), at }, &mut recorder);
    assert_eq!(reader.save(), "");
    (recorder, reader.facts())
}

fn read_payload(agent: &str, via: &str, payload: &Value) -> Recorder {
    read_line(by_id(agent).unwrap(), &entry(agent, via, payload).to_string()).0
}

/// Checks the events of a hook of session `s`, without digests of inputs.
fn check(agent: &str, hook: &str, more: &Value, expected: &[&str]) {
    let mut payload = json!({"session_id": "s", "hook_event_name": hook, "cwd": "/w"});
    payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let recorder = read_payload(agent, "hook", &payload);
    let lines: Vec<_> = recorder.lines.iter().map(|it| without_marks(it)).collect();
    assert_eq!(lines, expected, "{hook}");
    let own = recorder.events.iter().filter(|it| it["data"].get("hook").is_some());
    assert!(own.clone().all(|it| it["data"]["hook"] == hook), "{hook}");
    assert!(own.count() > 0, "{hook}");
    assert!(recorder.unknown.is_empty(), "{:?}", recorder.unknown);
}

/// Hashes are 32 hex digits.
fn without_marks(line: &str) -> String {
    let is_mark = |it: &str| it.len() == 32 && it.bytes().all(|it| it.is_ascii_hexdigit());
    let words = line.split(' ').map(|word| {
        let parts = word.split(':').map(|part| if is_mark(part) { "*" } else { part });
        parts.collect::<Vec<_>>().join(":")
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn hooks_that_several_agents_share() {
    let bash = || json!({"tool_name": "Bash", "tool_input": {"command": "npm test\nls", "description": "d"}, "tool_use_id": "t1"});
    for agent in ["claude-code", "codex"] {
        let check =
            |hook: &str, more: Value, expected: &[&str]| check(agent, hook, &more, expected);
        let started: &[&str] = &["/s heartbeat started ''", "/s session.started  ''"];
        check("SessionStart", json!({"source": "startup"}), started);
        check("SessionStart", json!({"source": "resume"}), started);
        check("SessionStart", json!({"source": "compact"}), &["/s heartbeat alive ''"]);
        check(
            "UserPromptSubmit",
            json!({"prompt": "fix it"}),
            &["/s heartbeat prompted 'fix it'", "/s user.prompt  'fix it'"],
        );
        check("UserPromptSubmit", json!({"prompt": " "}), &["/s heartbeat prompted ' '"]);
        let called = &["/s heartbeat called:*:t1 'npm test'", "/s tool.call  'npm test'"];
        check("PreToolUse", bash(), called);
        let asked = "/s approval.requested asked-approval:* 'npm test\nls'";
        check("PermissionRequest", bash(), &[asked]);
        check("PostToolUse", bash(), &["/s heartbeat answered:t1 ''", "/s tool.result  ''"]);
        check("PreCompact", json!({"trigger": "auto"}), &["/s heartbeat compacting ''"]);
        check("PostCompact", json!({"trigger": "auto"}), &["/s heartbeat compacted ''"]);
        let done = json!({"last_assistant_message": "Done."});
        let over = "/s agent.stopped ends turn-over 'Done.'";
        check("Stop", done, &[over, "/s assistant.message ends  'Done.'"]);
        check("SessionEnd", json!({"reason": "other"}), &["/s session.exited ended 'other'"]);
    }
}

#[test]
fn what_stands_on_a_terminal_is_believed_a_little() {
    let check = |shows: &str, command: Option<&str>, expected: &str| {
        let process = json!({"pid": 7, "start": 5});
        let payload = json!({"session": "run-1", "process": process, "folder": "/w", "shows": shows, "command": command});
        for agent in ["claude-code", "codex"] {
            let line = entry(agent, "pty", &payload).to_string();
            let (recorder, facts) = read_line(by_id(agent).unwrap(), &line);
            assert_eq!(recorder.lines, [expected], "{agent} {shows}");
            let event = &recorder.events[0];
            assert_eq!((&event["origin"], &event["confidence"]), (&"pty".into(), &"low".into()));
            let (who, facts) = &facts[0];
            assert_eq!(who.id.as_str(), "run-1");
            assert_eq!(facts.process, Some(Process { pid: 7, start: 5 }));
            assert_eq!(facts.project_path.as_deref(), Some("/w"));
        }
    };
    check("ready", None, "/run-1 heartbeat quiet ''");
    check("working", None, "/run-1 heartbeat busy ''");
    check("approval", Some("ls"), "/run-1 approval.requested asked-approval: 'ls'");
    check("question", None, "/run-1 heartbeat asked ''");
    check("unclear", None, "/run-1 heartbeat alive ''");
    let again = json!({"session": "s", "process": {"pid": 7, "start": 5}, "shows": "working", "repeats": true});
    let recorder = read_payload("codex", "pty", &again);
    assert_eq!(recorder.lines, ["/s heartbeat busy ''"]);
    assert_eq!(recorder.events[0]["data"]["repeats"], true, "{:?}", recorder.events);
    let later = json!({"session": "s", "process": {"pid": 7, "start": 5}, "shows": "dreaming"});
    let recorder = read_payload("codex", "pty", &later);
    assert_eq!((recorder.lines, recorder.unknown), (vec![], vec!["pty/dreaming".to_owned()]));
    assert_eq!(
        read_payload("codex", "pty", &json!({"shows": "ready"})).unknown,
        ["pty/unreadable"]
    );
}

#[test]
fn a_pipe_of_an_editor_reports_sessions_of_any_agent() {
    let check = |more: Value, expected: &str| {
        let process = json!({"pid": 7, "start": 5});
        let mut report = json!({"session": "s", "process": process, "folder": "/w"});
        report.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        for agent in ["claude-code", "codex", "opencode", "aider"] {
            let line = entry(agent, "registry", &json!({ "acp": report })).to_string();
            let (recorder, facts) = read_line(by_id(agent).unwrap(), &line);
            assert_eq!(recorder.lines, [expected], "{agent} {more}");
            let (who, facts) = &facts[0];
            assert_eq!((who.id.as_str(), facts.project_path.as_deref()), ("s", Some("/w")));
            assert_eq!(facts.process, Some(Process { pid: 7, start: 5 }));
        }
    };
    check(json!({"event": "opened"}), "/s heartbeat alive ''");
    check(json!({"event": "prompted"}), "/s heartbeat busy ''");
    let asked = json!({"event": "asked", "says": "npm test", "input": "m"});
    check(asked, "/s approval.requested asked-approval:m 'npm test'");
    check(json!({"event": "settled", "input": "m"}), "/s heartbeat settled:m: ''");
    check(json!({"event": "tool", "says": "ls", "status": "completed"}), "/s heartbeat alive 'ls'");
    check(json!({"event": "plan", "says": "read", "status": "0/2"}), "/s heartbeat alive 'read'");
    check(json!({"event": "turn_over", "status": "end_turn"}), "/s heartbeat turn-over ''");
    check(json!({"event": "turn_over", "status": "cancelled"}), "/s heartbeat interrupted ''");
    check(json!({"event": "turn_over", "status": "error"}), "/s heartbeat failed ''");
    let later =
        json!({"acp": {"session": "s", "process": {"pid": 7, "start": 5}, "event": "dreaming"}});
    assert_eq!(read_payload("codex", "registry", &later).unknown, ["acp/dreaming"]);
}

#[test]
fn a_stop_counts_what_goes_on() {
    let stop = |tasks: Value, expected: &str| {
        check("claude-code", "Stop", &json!({"background_tasks": tasks}), &[expected]);
    };
    let over = "/s agent.stopped ends turn-over ''";
    let goes_on = "/s agent.stopped working-on ''";
    stop(json!([]), over);
    stop(json!([{"status": "completed"}, {"status": "killed"}]), over);
    stop(json!([{"status": "running"}]), goes_on);
    stop(json!([{"status": "completed"}, {"status": "dreaming"}]), goes_on);
    stop(json!([{}]), goes_on);
    stop(json!("many"), over);
}

#[test]
fn a_request_is_joined_with_its_call_by_the_input() {
    let signal = |hook: &str, input: Value| {
        let payload = json!({"session_id": "s", "hook_event_name": hook, "tool_name": "Bash", "tool_input": input});
        let recorder = read_payload("codex", "hook", &payload);
        recorder.lines[0].split_once(':').unwrap().1.get(..32).unwrap().to_owned()
    };
    let called = signal("PreToolUse", json!({"command": "ls", "n": 1}));
    let why = json!({"n": 1, "command": "ls", "description": "May I?"});
    assert_eq!(called, signal("PermissionRequest", why));
    assert_ne!(called, signal("PermissionRequest", json!({"command": "ls -l", "n": 1})));
}

#[test]
fn hooks_of_workers_belong_to_the_worker() {
    let more = || json!({"agent_id": "a1", "agent_type": "general", "tool_use_id": "t1"});
    let answered = &["s/a1 heartbeat answered:t1 ''", "s/a1 tool.result  ''"];
    check("claude-code", "PostToolUse", &more(), answered);
    check("claude-code", "SubagentStart", &more(), &["s/a1 heartbeat prompted ''"]);
    check("claude-code", "SubagentStop", &more(), &["s/a1 heartbeat ended ''"]);
    let folding = json!({"agent_id": "a1", "agent_type": ""});
    check("claude-code", "SubagentStop", &folding, &["/s heartbeat alive ''"]);
    check("codex", "SubagentStart", &more(), &["/a1 heartbeat prompted ''"]);
    check(
        "codex",
        "PostToolUse",
        &more(),
        &["/a1 heartbeat answered:t1 ''", "/a1 tool.result  ''"],
    );
    let mut line = entry(
        "codex",
        "hook",
        &json!({"session_id": "s", "hook_event_name": "Stop", "agent_id": "a1"}),
    );
    line["ancestors"] =
        json!([{"pid": 9, "start": 1, "name": "sh"}, {"pid": 7, "start": 5, "name": "codex"}]);
    let (_, facts) = read_line(by_id("codex").unwrap(), &line.to_string());
    let (who, facts) = &facts[0];
    assert_eq!(who.id.as_str(), "a1");
    assert_eq!(facts.parent.as_ref().unwrap().id.as_str(), "s");
    assert_eq!(facts.process, Some(Process { pid: 7, start: 5 }));
}

#[test]
fn hooks_of_one_agent() {
    let check = |hook: &str, more: Value, expected: &[&str]| {
        check("claude-code", hook, &more, expected);
    };
    let ask = || json!({"tool_name": "AskUserQuestion", "tool_use_id": "t1", "tool_input": {"questions": [{"question": "Which?"}]}});
    let asked = &["/s heartbeat asked:t1 'Which?'", "/s tool.call  'AskUserQuestion'"];
    check("PreToolUse", ask(), asked);
    let mut request = ask();
    request.as_object_mut().unwrap().remove("tool_use_id");
    check("PermissionRequest", request, &["/s heartbeat asked 'Which?'"]);
    let plan =
        json!({"tool_name": "ExitPlanMode", "tool_use_id": "t1", "tool_input": {"plan": "First."}});
    check("PreToolUse", plan, &["/s heartbeat asked:t1 'First.'", "/s tool.call  'ExitPlanMode'"]);
    let edit =
        json!({"tool_name": "Edit", "tool_input": {"file_path": "/w/a.rs", "new_string": "x"}});
    check("PermissionRequest", edit, &["/s approval.requested asked-approval:* 'Edit /w/a.rs'"]);
    let batch = json!({"tool_calls": [{"tool_use_id": "t1"}, {"tool_use_id": "t2"}]});
    check("PostToolBatch", batch, &["/s heartbeat answered:t1 ''", "/s heartbeat answered:t2 ''"]);
    check("PostToolBatch", json!({}), &["/s heartbeat alive ''"]);
    let denied = json!({"tool_name": "Bash", "tool_use_id": "t1", "tool_input": {"command": "ls"}});
    check("PermissionDenied", denied, &["/s approval.resolved settled:*:t1 'ls'"]);
    check("StopFailure", json!({"error": "rate_limit"}), &["/s error ends failed 'rate_limit'"]);
    let remind = |kind: &str| json!({"notification_type": kind, "message": "m"});
    check("Notification", remind("permission_prompt"), &["/s notice asked-approval: 'm'"]);
    check("Notification", remind("idle_prompt"), &["/s notice quiet 'm'"]);
    check("Notification", remind("agent_needs_input"), &["/s notice asked 'm'"]);
    check("Notification", remind("auth_success"), &["/s notice alive 'm'"]);
    check("CwdChanged", json!({}), &["/s heartbeat alive ''"]);
}

#[test]
fn what_is_not_known_is_counted() {
    let check = |agent: &str, via: &str, payload: Value, lines: &[&str], unknown: &[&str]| {
        let recorder = read_payload(agent, via, &payload);
        assert_eq!((recorder.lines, recorder.unknown), (owned(lines), owned(unknown)), "{payload}");
    };
    let new = json!({"session_id": "s", "hook_event_name": "Tomorrow"});
    check("codex", "hook", new.clone(), &["/s heartbeat alive ''"], &["hook/Tomorrow"]);
    check("claude-code", "hook", new, &["/s heartbeat alive ''"], &["hook/Tomorrow"]);
    check("codex", "hook", json!({"hook_event_name": "Stop"}), &[], &["hook/unreadable"]);
    check("codex", "hook", json!({"session_id": "s"}), &[], &["hook/unreadable"]);
    check("codex", "hook", json!([1]), &[], &["hook/unreadable"]);
    check("codex", "registry", json!({}), &[], &["registry/unreadable"]);
    check("codex", "pty", json!({}), &[], &["pty/unreadable"]);
    check("codex", "ctm-input", json!({}), &[], &["ctm-input/unreadable"]);
    check("codex", "tomorrow", json!({}), &[], &["journal/tomorrow"]);
    check("codex", "process", json!({"gone": true}), &[], &["process/unreadable"]);
}

#[test]
fn a_shortened_payload_still_says_what_is_left_of_it() {
    let payload = json!({"session_id": "s", "hook_event_name": "Stop"});
    let whole = entry("codex", "hook", &payload);
    let mut short = whole.clone();
    short["shortened"] = json!(true);
    let lines = |entry: &Value| read_line(by_id("codex").unwrap(), &entry.to_string()).0.lines;
    assert_eq!(lines(&short), lines(&whole));
    assert_eq!(lines(&short).len(), 1);
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|it| (*it).to_owned()).collect()
}
