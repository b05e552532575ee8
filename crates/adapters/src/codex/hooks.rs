//! The events of Codex's hooks.

use super::{identity, server, telemetry};
use taffrail_kit::hook_carried;
use taffrail_kit::hook_payload::{HookMeaning, Payload};
use taffrail_kit::journal::EntrySink;
use taffrail_model::{Kind, Origin, RuntimeIdentity, Signal};

/// Tools that ask the user a question; a call of one is not an approval request.
pub(super) const QUESTION_TOOLS: &[&str] = &["request_user_input"];

/// Reads an entry of the journal.
///
/// A sub-agent's hooks name the parent's session; the sub-agent's own thread is the `agent_id`.
pub(super) fn read_entry(sink: &mut EntrySink<'_, '_>) {
    match sink.entry.via {
        Origin::Telemetry => return telemetry::read_entry(sink),
        Origin::Registry => return server::read_entry(sink),
        _ => {}
    }
    let Some(payload) = Payload::of(sink.entry.payload.get()) else {
        return sink.unknown("hook/unreadable");
    };
    let (who, parent) = whose(&payload);
    let facts = payload.facts(sink, parent);
    sink.add_facts(&who, facts);
    let meaning = meaning(&payload, sink);
    payload.emit(sink, &who, meaning);
    hook_carried::emit(&payload, sink, &who);
}

/// The thread of a hook, and its parent if the thread is a sub-agent's.
pub(super) fn whose(payload: &Payload<'_>) -> (RuntimeIdentity, Option<RuntimeIdentity>) {
    let session = identity(payload.session());
    match payload.worker() {
        Some(thread) => (identity(thread), Some(session)),
        None => (session, None),
    }
}

fn meaning<'p>(payload: &'p Payload<'_>, sink: &mut EntrySink<'_, '_>) -> HookMeaning<'p> {
    let name = payload.hook_event_name.as_deref().unwrap_or_default();
    let asks = payload.tool_name.as_deref().is_some_and(|tool| QUESTION_TOOLS.contains(&tool));
    let plain = |signal| HookMeaning { kind: Kind::Heartbeat, signal, text: None };
    match name {
        "PreToolUse" | "PermissionRequest" if asks => {
            HookMeaning { text: payload.question(), ..plain(payload.question_signal()) }
        }
        other => payload.meaning().unwrap_or_else(|| {
            sink.unknown(&format!("hook/{other}"));
            plain(Signal::Alive)
        }),
    }
}
