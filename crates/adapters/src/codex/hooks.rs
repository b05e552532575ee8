//! What Codex's hooks say.

use super::{identity, server, telemetry};
use crate::hooking::{Payload, Said};
use crate::journal::Heard;
use taffrail_model::{Kind, Origin, RuntimeIdentity, Signal};

/// Tools that ask a person something; they are no request to be allowed anything.
pub(super) const QUESTION_TOOLS: &[&str] = &["request_user_input"];

/// Hears an entry of the journal.
///
/// A sub-agent's hooks name the parent's session; the sub-agent's own thread is the `agent_id`.
pub(super) fn hear(heard: &mut Heard<'_, '_>) {
    match heard.entry.via {
        Origin::Telemetry => return telemetry::hear(heard),
        Origin::Registry => return server::hear_entry(heard),
        _ => {}
    }
    let Some(payload) = Payload::of(heard.entry.payload.get()) else {
        return heard.unknown("hook/unreadable");
    };
    let (who, parent) = whose(&payload);
    let facts = payload.facts(heard, parent);
    heard.learn(&who, facts);
    let said = meaning(&payload, heard);
    payload.tell(heard, &who, said);
}

/// The thread a hook speaks of, and the one it works for.
pub(super) fn whose(payload: &Payload<'_>) -> (RuntimeIdentity, Option<RuntimeIdentity>) {
    let session = identity(payload.session());
    match payload.worker() {
        Some(thread) => (identity(thread), Some(session)),
        None => (session, None),
    }
}

fn meaning<'p>(payload: &'p Payload<'_>, heard: &mut Heard<'_, '_>) -> Said<'p> {
    let name = payload.hook_event_name.as_deref().unwrap_or_default();
    let asks = payload.tool_name.as_deref().is_some_and(|tool| QUESTION_TOOLS.contains(&tool));
    let plain = |signal| Said { kind: Kind::Heartbeat, signal, text: None };
    match name {
        "PreToolUse" | "PermissionRequest" if asks => {
            Said { text: payload.question(), ..plain(Signal::Asked { call: payload.call() }) }
        }
        other => payload.said().unwrap_or_else(|| {
            heard.unknown(&format!("hook/{other}"));
            plain(Signal::Alive)
        }),
    }
}
