//! The events of Copilot CLI's hooks.
//!
//! It calls `PermissionRequest` for every call, before its own rules. Only if these do not allow the call, its dialog opens,
//! with a `Notification`. So a request is open while its hook runs, which the log of the session tells, and while the
//! dialog is. No hook names a call: calls and requests are joined by their input.

use super::ID;
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;
use taffrail_kit::hook_carried;
use taffrail_kit::hook_payload::{HookMeaning, Payload};
use taffrail_kit::journal::EntrySink;
use taffrail_kit::lenient::{self, Raw, Text, filled, made_of_objects};
use taffrail_kit::records::LONGEST_ID;
use taffrail_model::approval::input_mark;
use taffrail_model::{AgentId, Kind, RuntimeIdentity, Signal};

/// The tool that asks the user a question, by both its names; a call of it is not an approval request.
pub(super) const QUESTION_TOOLS: &[&str] = &["AskUserQuestion", "ask_user"];
/// Hooks that only prove that the agent is alive. Those of a sub-agent name its parent's session.
const SIGNS_OF_LIFE: &[&str] = &["ErrorOccurred", "SubagentStart", "SubagentStop"];
/// The number of the event that settles a request, after the hook's own and what it carries.
const SETTLES: u32 = 2;

/// The keys of the program's own style, which requests and notifications have.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Own<'a> {
    #[serde(borrow, deserialize_with = "filled")]
    hook_name: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    session_id: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    tool_name: Text<'a>,
    #[serde(borrow)]
    tool_input: Raw<'a>,
}

/// Keys that tell the programs apart that run these hooks.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Sender<'a> {
    #[serde(borrow, rename = "hookEventName")]
    hook_event_name: Raw<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    transcript_path: Text<'a>,
}

made_of_objects! { Own<'de>, Sender<'de> }

/// Reads an entry of the journal.
pub(super) fn read_entry(sink: &mut EntrySink<'_, '_>) {
    let Some(payload) = payload_in(sink.entry.payload.get()) else {
        return sink.unknown("hook/unreadable");
    };
    let who = whose(&payload);
    let facts = payload.facts(sink, None);
    sink.add_facts(&who, facts);
    let meaning = meaning(&payload, sink);
    payload.emit(sink, &who, meaning);
    hook_carried::emit(&payload, sink, &who);
    if matches!(hook(&payload), "PostToolUse" | "PostToolUseFailure") {
        let settled = Signal::Settled { call: String::new(), input: payload.input_mark() };
        payload.emit_part(sink, &who, (SETTLES, plain(settled)));
    }
}

/// The payload in the shape that several agents share; `None` if it is torn, or lacks the hook's name or a valid
/// session id.
pub(super) fn payload_in(json: &str) -> Option<Payload<'_>> {
    let own: Own<'_> = lenient::value_in(json)?;
    let mut payload: Payload<'_> = lenient::value_in(json)?;
    payload.session_id = payload.session_id.or(own.session_id);
    payload.hook_event_name = payload.hook_event_name.or(own.hook_name.map(shared_name));
    payload.tool_name = payload.tool_name.or(own.tool_name).map(own_tool);
    payload.tool_input = payload.tool_input.or(own.tool_input);
    let is_named = payload.session_id.as_ref().is_some_and(|id| id.len() <= LONGEST_ID);
    (is_named && payload.hook_event_name.is_some()).then_some(payload)
}

fn shared_name(hook: Cow<'_, str>) -> Cow<'_, str> {
    if hook == "permissionRequest" { Cow::Borrowed("PermissionRequest") } else { hook }
}

/// Payloads in the shared shape name some tools as another agent does; the log and the requests do not.
fn own_tool(tool: Cow<'_, str>) -> Cow<'_, str> {
    if tool == "Bash" { Cow::Borrowed("bash") } else { tool }
}

/// Whether Copilot CLI itself sent this. An editor runs the same hooks, with other keys and other transcripts.
pub(super) fn is_own(payload: &str) -> bool {
    let sender: Sender<'_> = lenient::value_in(payload).unwrap_or_default();
    let path = sender.transcript_path.as_deref();
    sender.hook_event_name.is_none() && path.is_none_or(is_log)
}

/// Whether a path is that of a session's log, wherever the home is.
fn is_log(path: &str) -> bool {
    let mut names = path.rsplit(['/', '\\']);
    names.next() == Some("events.jsonl") && names.nth(1) == Some("session-state")
}

pub(super) fn whose(payload: &Payload<'_>) -> RuntimeIdentity {
    RuntimeIdentity::new(AgentId::new(ID), "", payload.session())
}

/// The digest of a request's input, as the log of the session has it.
pub(super) fn mark_in_log(input: &Value) -> Option<String> {
    let tool = input.get("toolName")?.as_str()?;
    Some(input_mark(tool, input.get("toolInput")?.clone()))
}

fn hook<'p>(payload: &'p Payload<'_>) -> &'p str {
    payload.hook_event_name.as_deref().unwrap_or_default()
}

fn meaning<'p>(payload: &'p Payload<'_>, sink: &mut EntrySink<'_, '_>) -> HookMeaning<'p> {
    match hook(payload) {
        "PermissionRequest" if asks(payload) => plain(Signal::Alive),
        // The log has the request if a person is asked; here it only counts for the status.
        "PermissionRequest" => {
            let signal = Signal::AskedApproval { input: payload.input_mark() };
            HookMeaning { text: payload.request(), ..plain(signal) }
        }
        "PreToolUse" if asks(payload) => {
            let signal = Signal::Asked { call: payload.input_mark(), options: payload.options() };
            HookMeaning { text: payload.question(), ..plain(signal) }
        }
        // Without its input: the call of the log has the id by which a decision is named.
        "PreToolUse" => {
            let signal = Signal::Called { call: payload.input_mark(), input: String::new() };
            HookMeaning { text: payload.gist(), ..plain(signal) }
        }
        "PostToolUse" | "PostToolUseFailure" => {
            plain(Signal::Answered { call: payload.input_mark() })
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

fn asks(payload: &Payload<'_>) -> bool {
    payload.tool_name.as_deref().is_some_and(|tool| QUESTION_TOOLS.contains(&tool))
}

/// The signal of a notification, which comes just after its cause.
fn reminder(kind: &str) -> Signal {
    match kind {
        "permission_prompt" => Signal::AskedApproval { input: String::new() },
        "elicitation_dialog" => Signal::Asked { call: String::new(), options: Vec::new() },
        _ => Signal::Alive,
    }
}

fn plain<'p>(signal: Signal) -> HookMeaning<'p> {
    HookMeaning { kind: Kind::Heartbeat, signal, text: None }
}

#[cfg(test)]
mod tests;
