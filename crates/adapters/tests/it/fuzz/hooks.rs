//! Damaged payloads of hooks, registries, status lines and servers.

use crate::fuzz::recorder::Recorder;
use std::path::Path;
use taffrail_adapters::{Adapter, Answer, Request, ServerState, agents};
use taffrail_model::Cursor;
use taffrail_model::approval::Decision;
use taffrail_testkit::fuzz::{Counts, Fuzz, Took};

const COUNTS: Counts = Counts { slice: 600, full: 60_000 };

/// Names and values that adapters look for.
const WORDS: &[&str] = &[
    "\"session_id\":\"s\",",
    "\"hook_event_name\":\"PermissionRequest\",",
    "\"hook_event_name\":\"PreToolUse\",",
    "\"hook_event_name\":\"Notification\",",
    "\"tool_name\":\"Bash\",",
    "\"tool_input\":{\"command\":\"git push\"},",
    "\"tool_input\":{\"command\":[\"git\",\"push\"]},",
    "\"command\":\"rm -rf x\",",
    "\"agent_id\":\"a\",",
    "\"questions\":[{\"question\":\"q\",\"options\":[{\"label\":\"l\"}]}],",
    "\"background_tasks\":[{\"status\":\"running\"}],",
    "\"cost\":{\"total_cost_usd\":1e308},",
    "\"context_window\":{\"context_window_size\":1,\"used_percentage\":100},",
    "\"method\":\"thread/status/changed\",",
    "\"params\":{\"threadId\":\"t\",\"status\":{\"type\":\"active\"}},",
    "\\ud800",
    "\\u0000",
];

#[test]
fn damaged_payloads_say_the_same_twice_and_never_more_than_they_hold() {
    for adapter in agents() {
        let id = adapter.descriptor().id;
        let seeds = if id == "goose" { own_payloads() } else { payloads() };
        let fuzz = Fuzz::of(id, seeds).with_words(WORDS);
        let taken = fuzz.run(COUNTS, |input| check(adapter, input));
        let hooked = adapter.hook_plan().is_some();
        assert!(!hooked || taken > 0, "{taken} payloads said something");
    }
}

/// A payload and an entry of an agent that names its hooks and sessions in its own way.
fn own_payloads() -> Vec<Vec<u8>> {
    vec![
        br#"{"event":"PreToolUse","session_id":"20261114_4","tool_call_id":"c","tool_name":"shell","tool_input":{"command":"make x"},"working_dir":"/w"}"#.to_vec(),
        br#"{"at":"2026-11-14T22:58:32.152Z","nonce":"n","agent":"goose","via":"hook","store":{"path":"/h/sessions.db","device":"d"},"payload":{"event":"Stop","session_id":"20261114_4","last_assistant_message":"Done."}}"#.to_vec(),
    ]
}

/// Entries of the recorded journals, whole and as payloads alone, and messages of a server.
fn payloads() -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replay");
    let mut folders: Vec<_> =
        std::fs::read_dir(root).unwrap().map(|it| it.unwrap().path()).collect();
    folders.sort();
    let mut out = vec![
        br#"{"session_id":"s","cost":{"total_cost_usd":0.5},"context_window":{"context_window_size":200000,"used_percentage":7},"model":{"id":"m"}}"#.to_vec(),
        br#"{"method":"thread/status/changed","params":{"threadId":"t","status":{"type":"active","activeFlags":["waitingOnApproval"]}}}"#.to_vec(),
        br#"{"id":7,"method":"item/commandExecution/requestApproval","params":{"threadId":"t","turnId":"u","itemId":"i","command":"make x","cwd":"/w"}}"#.to_vec(),
    ];
    for folder in folders {
        let journal = std::fs::read_to_string(folder.join("journal.jsonl")).unwrap();
        for line in journal.lines() {
            let entry: serde_json::Value = serde_json::from_str(line).unwrap();
            out.push(entry["payload"].to_string().into_bytes());
            out.push(line.as_bytes().to_vec());
        }
    }
    out
}

fn check(adapter: &dyn Adapter, input: &[u8]) -> Took {
    let lines = all_said(adapter, input);
    assert_eq!(all_said(adapter, input), lines, "it says something else the second time");
    Took::from(!lines.is_empty())
}

/// The output of an adapter for a payload, through every entry point.
fn all_said(adapter: &dyn Adapter, input: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(input);
    let mut out = journal(adapter, input, &text);
    if let Some(plan) = adapter.approval_plan() {
        let requests = [(plan.request)(&text), (plan.call)(&text)];
        out.extend(requests.into_iter().flatten().map(|it| check_request(&it, text.len())));
        for decision in [Decision::Allow, Decision::Deny] {
            let answer = Answer { decision, reason: Some(text.clone().into_owned()) };
            check_json(&(plan.answer)(&answer));
        }
        check_json(&(plan.denial)(&text));
    }
    out.extend(adapter.status_line().and_then(|it| (it.mark)(&text)).map(|it| format!("{it:?}")));
    out.extend(
        adapter.descriptor().live.as_ref().and_then(|it| (it.read)(input)).map(|it| it.payload),
    );
    if let Some(server) = adapter.server_plan() {
        out.extend(
            (server.read)(&mut ServerState::default(), &text).iter().map(|it| format!("{it:?}")),
        );
    }
    // Checks only that it returns: a damaged payload may look like another agent's.
    adapter.is_own_payload(&text);
    out
}

/// Reads the input as a journal entry, and as the payload of one.
fn journal(adapter: &dyn Adapter, input: &[u8], text: &str) -> Vec<String> {
    let agent = adapter.descriptor().id;
    let mut out = Vec::new();
    for via in ["hook", "registry", "telemetry", "pty", "input", "process"] {
        let entry = format!(
            r#"{{"at":"2026-11-14T22:58:32.152Z","nonce":"n","agent":"{agent}","via":"{via}","payload":{text}}}"#
        );
        out.extend(read_all(adapter, entry.as_bytes()));
    }
    out.extend(read_all(adapter, input));
    out
}

fn read_all(adapter: &dyn Adapter, entry: &[u8]) -> Vec<String> {
    let at = Cursor::Bytes { byte_offset: 0, length: 0 };
    let recorder = Recorder::read(adapter.journal().as_mut(), &[(at, entry)]);
    recorder.check_weight(entry.len());
    recorder.lines
}

fn check_request(request: &Request, given: usize) -> String {
    let command = request.command.as_deref().map_or(0, str::len);
    // A word that is quoted for a shell may be four times as long.
    assert!(command <= 4 * given, "a command of {command} bytes in {given}");
    assert!(request.says.len() <= 4 * given + 100, "{} bytes in {given}", request.says.len());
    format!("{request:?}")
}

/// The answer to an agent is one JSON value, whatever the reason is.
fn check_json(answer: &str) {
    let is_json = answer.is_empty() || serde_json::from_str::<serde_json::Value>(answer).is_ok();
    assert!(is_json, "{answer}");
}
