//! The events of Qwen Code's hooks.
//!
//! It asks before it calls: `PermissionRequest` comes first and names no call, `PreToolUse` only once the call is
//! allowed. So the call that follows a request settles it, by the same input.

use super::ID;
use serde::Deserialize;
use taffrail_kit::hook_carried;
use taffrail_kit::hook_payload::{HookMeaning, Payload};
use taffrail_kit::journal::EntrySink;
use taffrail_kit::lenient::{self, Text, lenient, made_of_objects};
use taffrail_model::{AgentId, Kind, RuntimeIdentity, Signal};

/// Tools that ask the user a question; a call of one is not an approval request.
pub(super) const QUESTION_TOOLS: &[&str] = &["ask_user_question", "exit_plan_mode"];
/// Hooks that only prove that the agent is alive.
const SIGNS_OF_LIFE: &[&str] = &[
    "InstructionsLoaded",
    "MessageDisplay",
    "PostToolBatch",
    "SessionDelete",
    "TodoCompleted",
    "TodoCreated",
    "UserPromptExpansion",
];
/// The number of the event that settles a request, after the hook's own and what it carries.
const SETTLES: u32 = 2;

/// The fields that other agents send in another way, or not at all.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Own<'a> {
    #[serde(borrow, deserialize_with = "lenient")]
    transcript_path: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    submitted_prompt: Text<'a>,
}

made_of_objects! { Own<'de> }

/// Reads an entry of the journal.
pub(super) fn read_entry(sink: &mut EntrySink<'_, '_>) {
    let json = sink.entry.payload.get();
    let Some(payload) = Payload::of(json) else {
        return sink.unknown("hook/unreadable");
    };
    let own: Own<'_> = lenient::value_in(json).unwrap_or_default();
    if is_of_no_session(&payload, &own) {
        return;
    }
    let (who, parent) = whose(&payload);
    let facts = payload.facts(sink, parent);
    sink.add_facts(&who, facts);
    let meaning = meaning(&payload, &own, sink);
    payload.emit(sink, &who, meaning);
    hook_carried::emit(&payload, sink, &who);
    if payload.hook_event_name.as_deref() == Some("PreToolUse") {
        payload.emit_part(sink, &who, (SETTLES, settled(&payload)));
    }
}

/// Whether this is an end of the session that a program for editors opens for itself. Nothing was ever said in it, and it
/// has no transcript; the session of the user ends beside it.
fn is_of_no_session(payload: &Payload<'_>, own: &Own<'_>) -> bool {
    let ends = payload.hook_event_name.as_deref() == Some("SessionEnd");
    ends && own.transcript_path.as_deref() == Some("")
}

/// Whether Qwen Code itself sent this: its transcripts are in the `chats` of a project.
pub(super) fn is_own(payload: &str) -> bool {
    let own: Own<'_> = lenient::value_in(payload).unwrap_or_default();
    own.transcript_path.as_deref().is_none_or(|path| path.is_empty() || is_transcript(path))
}

/// Whether a path is that of a transcript of this agent, wherever its home is.
pub fn is_transcript(path: &str) -> bool {
    let mut above = path.rsplit(['/', '\\']).skip(1).skip_while(|it| *it == "archive");
    path.ends_with(".jsonl") && above.next() == Some("chats") && above.nth(1) == Some("projects")
}

/// The session of a hook, and its parent if the session is a sub-agent's.
pub(super) fn whose(payload: &Payload<'_>) -> (RuntimeIdentity, Option<RuntimeIdentity>) {
    let named = |scope: &str, id: &str| RuntimeIdentity::new(AgentId::new(ID), scope, id);
    let session = named("", payload.session());
    match payload.worker() {
        Some(agent) => (named(payload.session(), agent), Some(session)),
        None => (session, None),
    }
}

fn meaning<'p>(
    payload: &'p Payload<'_>,
    own: &Own<'_>,
    sink: &mut EntrySink<'_, '_>,
) -> HookMeaning<'p> {
    match payload.hook_event_name.as_deref().unwrap_or_default() {
        // All results of a round go back to the model in the name of the user.
        "UserPromptSubmit" if !is_prompt(payload, own) => plain(Signal::Busy),
        "PermissionRequest" if asks(payload) => {
            let signal = Signal::Asked { call: payload.input_mark(), options: payload.options() };
            HookMeaning { text: payload.question(), ..plain(signal) }
        }
        "PermissionDenied" => HookMeaning {
            kind: Kind::ApprovalResolved,
            signal: Signal::Settled { call: payload.call(), input: payload.input_mark() },
            text: payload.request(),
        },
        "StopFailure" => {
            HookMeaning { kind: Kind::Error, signal: Signal::Failed, text: payload.failure() }
        }
        "Notification" => {
            let kind = payload.notification_type.as_deref().unwrap_or_default();
            HookMeaning { kind: Kind::Notice, signal: reminder(kind), text: payload.remark() }
        }
        known if SIGNS_OF_LIFE.contains(&known) => plain(Signal::Alive),
        other => payload.meaning().unwrap_or_else(|| {
            sink.unknown(&format!("hook/{other}"));
            plain(Signal::Alive)
        }),
    }
}

/// Whether a person said something. A prompt through an editor has no `submitted_prompt`, a picture alone no text.
fn is_prompt(payload: &Payload<'_>, own: &Own<'_>) -> bool {
    let says = payload.prompt.as_deref().is_some_and(|it| !it.trim().is_empty());
    says || own.submitted_prompt.is_some()
}

fn asks(payload: &Payload<'_>) -> bool {
    payload.tool_name.as_deref().is_some_and(|tool| QUESTION_TOOLS.contains(&tool))
}

/// A call runs only after its request was allowed, or its question answered.
fn settled<'p>(payload: &Payload<'_>) -> HookMeaning<'p> {
    let input = payload.input_mark();
    match asks(payload) {
        true => plain(Signal::Answered { call: input }),
        false => plain(Signal::Settled { call: String::new(), input }),
    }
}

/// The signal of a notification, which comes just after its cause.
fn reminder(kind: &str) -> Signal {
    match kind {
        "permission_prompt" => Signal::AskedApproval { input: String::new() },
        "idle_prompt" => Signal::Quiet,
        "elicitation_dialog" => Signal::Asked { call: String::new(), options: Vec::new() },
        _ => Signal::Alive,
    }
}

fn plain<'p>(signal: Signal) -> HookMeaning<'p> {
    HookMeaning { kind: Kind::Heartbeat, signal, text: None }
}

#[cfg(test)]
mod tests;
