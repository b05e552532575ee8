//! Tests of `taffrail_kit::telemetry` with the adapters that use it.

use crate::{by_id, telemetry_entry};
use serde_json::{Value, json};
use taffrail_kit::records::LONGEST_ID;
use taffrail_kit::telemetry::*;
use taffrail_model::journal::Entry;
use taffrail_model::{
    AgentId, Cursor, Draft, EventId, Kind, NewUsage, Origin, Record, RuntimeIdentity, Signal, Sink,
    Tokens, TurnId, hash,
};

/// Events as lines: session, signal, confidence; and their usage.
#[derive(Default)]
struct Recorder {
    lines: Vec<String>,
    data: Vec<Value>,
    spent: Vec<(Tokens, Option<i64>)>,
    unknown: Vec<String>,
}

impl Sink for Recorder {
    fn event(&mut self, who: &RuntimeIdentity, draft: Draft<'_>) {
        assert_eq!((draft.kind, draft.origin), (Kind::Heartbeat, Origin::Telemetry));
        let signal = draft.signal.as_ref().map(Signal::to_text).unwrap_or_default();
        let sure = draft.confidence.as_str();
        self.lines.push(format!("{}/{} {signal} {sure}", who.scope, who.id.as_str()));
        self.data.push(Value::Object(draft.detail.to_json()));
    }
    fn remove(&mut self, _: &RuntimeIdentity, _: EventId) {}
    fn remove_turn(&mut self, _: &RuntimeIdentity, _: TurnId) {}
    fn usage(&mut self, _: &RuntimeIdentity, usage: NewUsage) {
        self.spent.push((usage.tokens, usage.cost_microdollars));
    }
    fn unknown(&mut self, raw_type: &str, _: Option<&str>) {
        self.unknown.push(raw_type.to_owned());
    }
}

fn sent(name: &str, attributes: Value) -> Telemetry {
    let at = "2026-11-15T10:00:00Z".parse().ok();
    let Value::Object(attributes) = attributes else { panic!("{attributes}") };
    Telemetry { name: name.to_owned(), at, value: None, attributes }
}

fn read_payload(agent: &str, payload: &str) -> Recorder {
    let payload = serde_json::value::RawValue::from_string(payload.to_owned()).unwrap();
    let entry = Entry {
        at: "2026-11-15T10:00:01Z".parse().unwrap(),
        nonce: "n".to_owned(),
        agent: AgentId::new(agent.to_owned()),
        via: Origin::Telemetry,
        ancestors: Vec::new(),
        store: None,
        shortened: false,
        payload: &payload,
    };
    let line = serde_json::to_vec(&entry).unwrap();
    let mut recorder = Recorder::default();
    let at = Cursor::Bytes { byte_offset: 0, length: 0 };
    by_id(agent).unwrap().journal().read(&Record { bytes: &line, at }, &mut recorder);
    recorder
}

/// Records an event in the journal and reads it back.
fn recorded(name: &str, attributes: Value) -> Option<Recorder> {
    let entry = telemetry_entry(&sent(name, attributes))?;
    Some(read_payload(entry.agent, &entry.payload))
}

#[test]
fn what_is_sent_becomes_evidence() {
    let check = |name: &str, mut attributes: Value, expected: &str| {
        attributes["session.id"] = json!("s");
        attributes["conversation.id"] = json!("s");
        let recorder = recorded(name, attributes).unwrap_or_default();
        assert_eq!(recorder.lines.join("; "), expected, "{name}");
        assert!(recorder.unknown.is_empty(), "{:?}", recorder.unknown);
    };
    check("claude_code.user_prompt", json!({"prompt": "secret"}), "/s prompted high");
    check("claude_code.user_prompt", json!({"command_name": "clear"}), "/s alive high");
    check("claude_code.tool_decision", json!({"tool_use_id": "t1"}), "/s settled::t1 high");
    check("claude_code.tool_result", json!({"tool_use_id": "t1"}), "/s settled::t1 high");
    check("claude_code.tool_result", json!({}), "/s alive high");
    check("claude_code.api_error", json!({"status_code": 529}), "/s alive high");
    check("claude_code.api_retries_exhausted", json!({}), "/s failed high");
    check("claude_code.compaction", json!({"trigger": "auto"}), "/s compacted high");
    check("claude_code.subagent_completed", json!({"agent_id": "a"}), "s/a ended high");
    check("claude_code.subagent_completed", json!({}), "/s alive high");
    check("claude_code.hook_registered", json!({}), "");
    check("codex.user_prompt", json!({"prompt": "secret"}), "/s prompted high");
    check("codex.tool_decision", json!({"call_id": "c"}), "/s settled::c high");
    check("codex.conversation_starts", json!({}), "/s alive high");
    check("codex.sse_event", json!({"event.kind": "response.created"}), "");
    check("codex.sse_event", json!({"input_token_count": "700"}), "/s alive high");
    check("gemini_cli.user_prompt", json!({"prompt": "secret"}), "/s prompted high");
    check("gemini_cli.tool_call", json!({"decision": "accept"}), "/s alive high");
    check("gemini_cli.api_response", json!({"input_token_count": 7}), "/s alive high");
    check("gemini_cli.chat_compression", json!({}), "/s compacted high");
    check("gemini_cli.flash_fallback", json!({}), "");
}

#[test]
fn what_names_no_session_is_nobodys() {
    assert_eq!(recorded("claude_code.user_prompt", json!({})).map(|it| it.lines), None);
    let long = "x".repeat(LONGEST_ID + 1);
    let long = recorded("codex.user_prompt", json!({"conversation.id": long}));
    assert_eq!(long.map(|it| it.lines), None);
    for payload in ["[]", "{}", r#"{"name":"user_prompt","attributes":{}}"#, "7"] {
        assert_eq!(read_payload("codex", payload).unknown, ["telemetry/unreadable"], "{payload}");
    }
}

#[test]
fn no_text_of_a_person_or_a_model_is_kept() {
    let texts = json!({
        "session.id": "s", "conversation.id": "s", "prompt": "SECRET", "prompt_text": "SECRET",
        "response": "SECRET", "tool_input": "SECRET", "tool_parameters": "SECRET",
        "arguments": "SECRET", "output": "SECRET", "error": "SECRET", "user.email": "SECRET",
        "user.id": "SECRET", "input_token_count": 1, "model": "SECRET ".repeat(1000),
    });
    let names = ["user_prompt", "tool_result", "tool_decision", "api_request", "sse_event"];
    for name in names
        .iter()
        .flat_map(|it| ["claude_code", "codex", "gemini_cli"].map(|agent| format!("{agent}.{it}")))
    {
        let entry = telemetry_entry(&sent(&name, texts.clone()));
        let kept = entry.map(|it| it.payload).unwrap_or_default();
        assert!(!kept.contains("SECRET"), "{name}: {kept}");
    }
}

#[test]
fn a_request_costs_what_the_transcript_will_say() {
    let request = json!({
        "session.id": "s", "request_id": "r1", "model": "m", "input_tokens": 700,
        "output_tokens": "25", "cache_read_tokens": 3, "cache_creation_tokens": 4,
        "cost_usd_micros": 3300,
    });
    let recorder = recorded("claude_code.api_request", request).unwrap();
    let tokens = Tokens { output: 25, input: 700, cache_read: 3, cache_write: 4, reasoning: 0 };
    assert_eq!(recorder.spent, [(tokens, Some(3300))]);
    assert_eq!(recorder.data[0]["cost_usd_micros"], 3300);
    assert_eq!(recorder.data[0]["telemetry"], "api_request");
    assert!(recorder.data[0].get("session.id").is_none());
    let unnamed = recorded("claude_code.api_request", json!({"session.id": "s"})).unwrap();
    assert_eq!(unnamed.spent, []);
}

#[test]
fn only_requests_of_gemini_that_its_chat_leaves_out_are_added_up() {
    let spent = |role: &str| {
        let response = json!({
            "session.id": "s", "prompt_id": "p", "model": "m", "role": role,
            "input_token_count": 700, "output_token_count": "25", "tool_token_count": 2,
            "cached_content_token_count": 100, "thoughts_token_count": 5,
        });
        let recorder = recorded("gemini_cli.api_response", response).unwrap();
        assert_eq!(recorder.data[0]["output_token_count"], "25");
        recorder.spent
    };
    let tokens = Tokens { output: 30, input: 602, cache_read: 100, cache_write: 0, reasoning: 5 };
    assert_eq!(spent("utility_router"), [(tokens, None)]);
    assert_eq!(spent("utility_summarizer").len(), 1);
    assert_eq!(spent("main"), []);
    assert_eq!(spent("subagent"), []);
    assert_eq!(spent(""), []);
}

#[test]
fn what_was_sent_twice_has_one_mark() {
    let mark = |sequence: u64| {
        let attributes = json!({"session.id": "s", "event.sequence": sequence});
        hash::to_hex(&telemetry_entry(&sent("claude_code.api_error", attributes)).unwrap().mark)
    };
    assert_eq!(mark(1), mark(1));
    assert_ne!(mark(1), mark(2));
}
