//! OpenTelemetry from agents: what the journal keeps, and how it is read back.
//!
//! A plan names every attribute that is kept, so that a prompt, an answer or a tool's output is
//! never among them, whatever the agent is configured to send. The transcript has those.

use crate::all;
use crate::journal::EntrySink;
use crate::records::LONGEST_ID;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;
use taffrail_model::hash::{self, Digest16};
use taffrail_model::{
    Confidence, Detail, Facts, Kind, NewUsage, RuntimeIdentity, Signal, Timestamp,
};

/// Which of an agent's telemetry the journal keeps, and how the agent is configured to send it.
#[derive(Debug)]
pub struct TelemetryPlan {
    /// The prefix of the names of its events and metrics.
    pub prefix: &'static str,
    /// The attribute that names the session.
    pub session: &'static str,
    /// Whether the journal keeps an event, by its name without the prefix.
    pub is_wanted: fn(&Telemetry) -> bool,
    /// The attributes that are kept. None contains text by a person or a model.
    pub keep: &'static [&'static str],
    /// Where the settings belong, for people.
    pub place: &'static str,
    /// The settings, with the placeholders `@ENDPOINT@` and `@TOKEN@`.
    pub settings: &'static str,
}

/// One log record, or one point of a metric.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Telemetry {
    /// Its name.
    pub name: String,
    /// When it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    /// The value of a metric.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// Its attributes.
    pub attributes: Map<String, Value>,
}

/// An entry for the journal (`via` is `telemetry`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TelemetryEntry {
    /// The agent that sent it.
    pub agent: &'static str,
    /// As JSON.
    pub payload: String,
    /// Equal for repetitions; used as a nonce, so that a repetition makes no second event.
    pub mark: Digest16,
}

/// The journal's entry for a telemetry event; `None` if no adapter keeps it.
#[must_use]
pub fn telemetry_entry(sent: &Telemetry) -> Option<TelemetryEntry> {
    let plans = all().iter().filter_map(|it| Some((it.descriptor().id, it.telemetry_plan()?)));
    let mut named = plans.filter_map(|(agent, plan)| {
        Some((agent, plan, sent.name.strip_prefix(plan.prefix)?.to_owned()))
    });
    let (agent, plan, name) = named.next()?;
    let short = Telemetry { name, ..sent.clone() };
    if short.id(plan.session).is_none() || !(plan.is_wanted)(&short) {
        return None;
    }
    let keep = |(name, value): (&String, &Value)| {
        let is_kept = plan.keep.contains(&name.as_str()) && is_short(value);
        is_kept.then(|| (name.clone(), value.clone()))
    };
    let attributes = sent.attributes.iter().filter_map(keep).collect();
    let payload = serde_json::to_string(&Telemetry { attributes, ..short }).ok()?;
    let whole = serde_json::to_string(sent).ok()?;
    let mark = hash::digest("telemetry", &[agent.as_bytes(), whole.as_bytes()]);
    Some(TelemetryEntry { agent, payload, mark })
}

/// Whether a value is a word, a number or a flag, not a longer text.
fn is_short(value: &Value) -> bool {
    match value {
        Value::String(text) => text.len() <= LONGEST_ID,
        Value::Number(_) | Value::Bool(_) => true,
        Value::Null | Value::Array(_) | Value::Object(_) => false,
    }
}

impl Telemetry {
    /// A text that is not empty.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.attributes.get(name)?.as_str().filter(|text| !text.is_empty())
    }

    /// A whole number in any written form.
    #[must_use]
    pub fn whole(&self, name: &str) -> Option<u64> {
        let value = self.attributes.get(name)?;
        value.as_u64().or_else(|| value.as_str()?.parse().ok())
    }

    /// An id.
    pub(crate) fn id(&self, name: &str) -> Option<&str> {
        self.text(name).filter(|id| id.len() <= LONGEST_ID)
    }

    /// Settles the request about the named call, if it names one.
    pub(crate) fn settles(&self, name: &str) -> Signal {
        match self.id(name) {
            Some(call) => Signal::Settled { call: call.to_owned(), input: String::new() },
            None => Signal::Alive,
        }
    }
}

/// The meaning of a telemetry event.
pub(crate) struct Meaning {
    pub(crate) who: RuntimeIdentity,
    /// The parent session.
    pub(crate) parent: Option<RuntimeIdentity>,
    pub(crate) signal: Signal,
    pub(crate) usage: Option<NewUsage>,
}

/// Reads a journal entry from telemetry.
pub(crate) fn read_entry(
    sink: &mut EntrySink<'_, '_>,
    plan: &TelemetryPlan,
    meaning: fn(&Telemetry) -> Option<Meaning>,
) {
    let sent = serde_json::from_str::<Telemetry>(sink.entry.payload.get()).ok();
    let Some((sent, meant)) = sent.and_then(|it| meaning(&it).map(|meant| (it, meant))) else {
        return sink.unknown("telemetry/unreadable");
    };
    let mut draft = sink.draft(0, Kind::Heartbeat);
    draft.signal = Some(meant.signal);
    draft.at = sent.at.or(draft.at);
    draft.confidence = sent.at.map_or(Confidence::Low, |_| Confidence::High);
    draft.text = Some(Cow::Borrowed(&sent.name));
    draft.detail = detail(&sent, plan);
    sink.add_facts(&meant.who, Facts { parent: meant.parent, ..Facts::default() });
    sink.emit(&meant.who, draft);
    if let Some(usage) = meant.usage {
        sink.add_usage(&meant.who, usage);
    }
}

fn detail<'d>(sent: &'d Telemetry, plan: &TelemetryPlan) -> Detail<'d> {
    let is_detail = |name: &&&str| **name != plan.session;
    let kept = plan.keep.iter().filter(is_detail);
    let kept = kept.filter_map(|name| Some((*name, sent.attributes.get(*name)?.clone())));
    let value = sent.value.map(|it| ("value", it.into()));
    let fields = kept.chain(value).collect();
    Detail::Live { field: "telemetry", name: Cow::Borrowed(&sent.name), fields }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_id;
    use serde_json::json;
    use taffrail_model::journal::Entry;
    use taffrail_model::{AgentId, Cursor, Draft, EventId, Origin, Record, Sink, Tokens, TurnId};

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
            assert_eq!(
                read_payload("codex", payload).unknown,
                ["telemetry/unreadable"],
                "{payload}"
            );
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
        for name in names.iter().flat_map(|it| {
            ["claude_code", "codex", "gemini_cli"].map(|agent| format!("{agent}.{it}"))
        }) {
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
        let tokens =
            Tokens { output: 30, input: 602, cache_read: 100, cache_write: 0, reasoning: 5 };
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
}
