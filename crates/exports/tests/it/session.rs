//! Sessions written by hand: one call a line, a second between lines.

use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use taffrail_exports::{Amount, ModelAnswer, Recorded};
use taffrail_model::{
    AgentId, Confidence, Cursor, DeviceId, Event, EventId, Kind, Origin, Provenance,
    RuntimeIdentity, Timestamp, Tokens, TurnId,
};

/// A session of the agent `parrot` with this id of its own.
pub(crate) fn session(runtime_id: &str) -> Recorded {
    let who = RuntimeIdentity::new(AgentId::new("parrot"), "", runtime_id);
    Recorded {
        id: who.session(),
        agent: who.agent.clone(),
        agent_version: Some("1.2.3".to_owned()),
        runtime_id: who.id,
        title: Some("Mend it".to_owned()),
        project_path: None,
        git_branch: None,
        model: Some("claude-x-1".to_owned()),
        events: Vec::new(),
        questions: BTreeSet::new(),
        answers: Vec::new(),
        workers: Vec::new(),
    }
}

/// Adds an event at this second.
pub(crate) fn say(session: &mut Recorded, second: i64, kind: Kind, text: &str, data: Value) {
    let at = Timestamp::from_second(second).unwrap();
    let turn = match kind {
        Kind::UserPrompt => Some(TurnId::of(session.id, &second.to_string())),
        _ => session.events.last().and_then(|event| event.turn_id),
    };
    let data = match data {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    let event =
        Event { turn_id: turn, text: Some(text.to_owned()), data, ..bare_event(session, kind, at) };
    session.events.push(event);
}

/// Adds what an answer of that second cost: 100 tokens of input, 5 from the cache, 20 of output.
pub(crate) fn spend(session: &mut Recorded, second: i64) {
    session.answers.push(ModelAnswer {
        at: Timestamp::from_second(second).ok(),
        model: Some("claude-x-1".to_owned()),
        tokens: Tokens { input: 100, output: 20, cache_read: 5, ..Tokens::default() },
        cost: Some(Amount::Listed(1500)),
    });
}

/// A call that fails, its answer, and a last word.
pub(crate) fn one_turn() -> Recorded {
    let mut it = session("0f5c2d1e");
    say(&mut it, 10, Kind::UserPrompt, "run the zzwick", json!({}));
    let call = json!({"call_id": "c1", "tool": "Bash", "input": {"command": "ls zzwick"}});
    say(&mut it, 12, Kind::AssistantThinking, "I look first.", json!({"answer": "m1"}));
    say(&mut it, 13, Kind::ToolCall, "ls zzwick", call);
    spend(&mut it, 12);
    let failed = json!({"call_id": "c1", "failed": true, "exit_code": 2});
    say(&mut it, 15, Kind::ToolResult, "no zzwick", failed);
    let last = json!({"answer": "m2", "model": "claude-x-1", "stop_reason": "end_turn"});
    say(&mut it, 17, Kind::AssistantMessage, "There is none.", last);
    spend(&mut it, 17);
    it
}

/// An event with the fields that every event has, and an id by its place.
pub(crate) fn bare_event(session: &Recorded, kind: Kind, at: Timestamp) -> Event {
    let number = session.events.len() as u128;
    Event {
        id: EventId::from_bytes(number.to_le_bytes()),
        session_id: session.id,
        provider: session.agent.clone(),
        provider_session_id: session.runtime_id.clone(),
        source: Origin::Transcript,
        kind,
        created_at: at,
        observed_at: at,
        sequence: 1,
        generation: String::new(),
        revision: 1,
        turn_id: None,
        parent_id: None,
        text: None,
        answer: None,
        data: Map::new(),
        confidence: Confidence::High,
        provenance: Provenance {
            source_kind: "runtime_transcript".to_owned(),
            backend: session.agent.clone(),
            runtime_session_id: session.runtime_id.clone(),
            runtime_source_uri: String::new(),
            source_cursor: Cursor::Pointer { pointer: String::new() },
            source_event_id: None,
            observed_by_peer_id: DeviceId::new(""),
            observed_at: at,
        },
    }
}
