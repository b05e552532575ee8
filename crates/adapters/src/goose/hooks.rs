//! The events of Goose's hooks.
//!
//! Goose calls no hook while it asks a person, nor when a person interrupts a turn. So a hook never
//! proves that work goes on: everything but the end of a turn and of a session counts a little.

use super::identity;
use serde::Deserialize;
use taffrail_kit::hook_payload::{HookMeaning, Payload};
use taffrail_kit::journal::EntrySink;
use taffrail_kit::lenient::{self, Raw, Text, filled, made_of_objects};
use taffrail_kit::records::LONGEST_ID;
use taffrail_model::{Confidence, Kind, Origin, Signal};

/// Hooks that only prove that the agent is alive.
const SIGNS_OF_LIFE: &[&str] = &[
    "PreToolUseResult",
    "BeforeReadFile",
    "AfterFileEdit",
    "BeforeShellExecution",
    "AfterShellExecution",
];

/// The payload as Goose writes it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Own<'a> {
    #[serde(borrow, deserialize_with = "filled")]
    event: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    session_id: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    message: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    tool_call_id: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    tool_name: Text<'a>,
    #[serde(borrow)]
    tool_input: Raw<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    last_assistant_message: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    working_dir: Text<'a>,
}

made_of_objects! { Own<'de> }

/// Reads an entry of the journal. Session ids are unique only within their store, so an entry that
/// names none is about no known session.
pub(super) fn read_entry(sink: &mut EntrySink<'_, '_>) {
    if sink.entry.via != Origin::Hook {
        return sink.unknown(&format!("journal/{}", sink.entry.via.as_str()));
    }
    let Some(payload) = payload_in(sink.entry.payload.get()) else {
        return sink.unknown("hook/unreadable");
    };
    let Some(scope) = sink.entry.scope() else { return sink.unknown("hook/no-store") };
    let who = identity(&scope, payload.session());
    let facts = payload.facts(sink, None);
    sink.add_facts(&who, facts);
    let meaning = meaning(&payload, sink);
    if !matches!(meaning.signal, Signal::Started | Signal::TurnOver | Signal::Ended) {
        sink.confidence = Confidence::Low;
    }
    payload.emit(sink, &who, meaning);
}

/// The payload in the shape that several agents share; `None` if it is torn, or lacks the hook's
/// name or a valid session id.
pub(super) fn payload_in(json: &str) -> Option<Payload<'_>> {
    let own: Own<'_> = lenient::value_in(json)?;
    let is_named = own.session_id.as_ref().is_some_and(|id| id.len() <= LONGEST_ID);
    if !is_named || own.event.is_none() {
        return None;
    }
    let mut payload = Payload::default();
    payload.hook_event_name = own.event;
    payload.session_id = own.session_id;
    payload.prompt = own.message;
    payload.tool_use_id = own.tool_call_id;
    payload.tool_name = own.tool_name;
    payload.tool_input = own.tool_input;
    payload.last_assistant_message = own.last_assistant_message;
    payload.cwd = own.working_dir;
    Some(payload)
}

fn meaning<'p>(payload: &'p Payload<'_>, sink: &mut EntrySink<'_, '_>) -> HookMeaning<'p> {
    let name = payload.hook_event_name.as_deref().unwrap_or_default();
    let plain = |signal| HookMeaning { kind: Kind::Heartbeat, signal, text: None };
    if SIGNS_OF_LIFE.contains(&name) {
        return plain(Signal::Alive);
    }
    payload.meaning().unwrap_or_else(|| {
        sink.unknown(&format!("hook/{name}"));
        plain(Signal::Alive)
    })
}
