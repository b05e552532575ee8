//! The events of Claude Code's hooks.

use super::{live, place, status_line, telemetry};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::borrow::Cow;
use taffrail_agents::qwen_code;
use taffrail_kit::hook_carried;
use taffrail_kit::hook_payload::{HookMeaning, Payload};
use taffrail_kit::journal::EntrySink;
use taffrail_model::{Kind, Origin, RuntimeIdentity, Signal};

/// Tools that ask the user a question; a call of one is not an approval request.
pub(super) const QUESTION_TOOLS: &[&str] = &["AskUserQuestion", "ExitPlanMode"];
/// Stands for the call of a question that a server asks through the agent.
const ELICITATION: &str = "elicitation";
/// Hooks that only prove that the agent is alive.
const SIGNS_OF_LIFE: &[&str] = &[
    "UserPromptExpansion",
    "TaskCreated",
    "TaskCompleted",
    "TeammateIdle",
    "ConfigChange",
    "CwdChanged",
    "DirectoryAdded",
    "FileChanged",
    "WorktreeCreate",
    "WorktreeRemove",
    "InstructionsLoaded",
    "Setup",
    "MessageDisplay",
    "PreModelSwitch",
    "PostModelSwitch",
];

/// Reads an entry of the journal.
pub(super) fn read_entry(sink: &mut EntrySink<'_, '_>) {
    match sink.entry.via {
        Origin::Registry => return live::read_entry(sink),
        Origin::Telemetry => return telemetry::read_entry(sink),
        _ => {}
    }
    if status_line::read_entry(sink) {
        return;
    }
    let payload = sink.entry.payload.get();
    let Some(payload) = Payload::of(payload) else {
        return sink.unknown("hook/unreadable");
    };
    let (who, parent) = whose(&payload);
    let facts = payload.facts(sink, parent);
    sink.add_facts(&who, facts);
    match payload.hook_event_name.as_deref() {
        Some("PostToolBatch") => emit_batch(&payload, &who, sink),
        _ => {
            let meaning = meaning(&payload, sink);
            payload.emit(sink, &who, meaning);
            hook_carried::emit(&payload, sink, &who);
        }
    }
}

/// Whether Claude Code itself sent this: its keys are in one style, and its transcripts are below `projects`. Other
/// agents run the hooks of its settings with keys of another style and transcripts of their own.
pub(super) fn is_own(payload: &str) -> bool {
    let Ok(keys) = serde_json::from_str::<Keys<'_>>(payload) else { return true };
    let foreign = [&keys.session_id, &keys.hook_event_name, &keys.tool_name];
    let is_foreign = foreign.iter().any(|it| it.is_some());
    !is_foreign && keys.transcript_path.as_deref().is_none_or(is_own_transcript)
}

/// Keys of another style, and where the transcript is; nothing else is read.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Keys<'a> {
    #[serde(rename = "sessionId")]
    session_id: Option<IgnoredAny>,
    #[serde(rename = "hookEventName")]
    hook_event_name: Option<IgnoredAny>,
    #[serde(rename = "toolName")]
    tool_name: Option<IgnoredAny>,
    #[serde(borrow)]
    transcript_path: Option<Cow<'a, str>>,
}

fn is_own_transcript(path: &str) -> bool {
    let is_below = path.ends_with(".jsonl") && path.split('/').any(|it| it == "projects");
    path.is_empty() || is_below && !qwen_code::is_transcript(path)
}

/// The session of a hook, and its parent if the session is a sub-agent's.
///
/// The agent that compacts the context has an id and no type; it does not count as a sub-agent.
pub(super) fn whose(payload: &Payload<'_>) -> (RuntimeIdentity, Option<RuntimeIdentity>) {
    let session = place::session(payload.session());
    match payload.worker().filter(|_| !is_folding(payload)) {
        Some(agent) => (place::worker(payload.session(), agent), Some(session)),
        None => (session, None),
    }
}

fn is_folding(payload: &Payload<'_>) -> bool {
    payload.agent_type.as_deref() == Some("")
}

fn meaning<'p>(payload: &'p Payload<'_>, sink: &mut EntrySink<'_, '_>) -> HookMeaning<'p> {
    let name = payload.hook_event_name.as_deref().unwrap_or_default();
    let asks = payload.tool_name.as_deref().is_some_and(|tool| QUESTION_TOOLS.contains(&tool));
    let plain = |signal| HookMeaning { kind: Kind::Heartbeat, signal, text: None };
    match name {
        "SubagentStart" | "SubagentStop" if is_folding(payload) => plain(Signal::Alive),
        "PreToolUse" | "PermissionRequest" if asks => {
            HookMeaning { text: payload.question(), ..plain(payload.question_signal()) }
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
        "Elicitation" => {
            let signal = Signal::Asked { call: ELICITATION.to_owned(), options: Vec::new() };
            HookMeaning { text: payload.remark(), ..plain(signal) }
        }
        "ElicitationResult" => plain(Signal::Answered { call: ELICITATION.to_owned() }),
        known if SIGNS_OF_LIFE.contains(&known) => plain(Signal::Alive),
        other => payload.meaning().unwrap_or_else(|| {
            sink.unknown(&format!("hook/{other}"));
            plain(Signal::Alive)
        }),
    }
}

/// The signal of a notification, which comes seconds after its cause.
fn reminder(kind: &str) -> Signal {
    match kind {
        "permission_prompt" => Signal::AskedApproval { input: String::new() },
        "idle_prompt" => Signal::Quiet,
        "elicitation_dialog" | "elicitation_url_dialog" | "agent_needs_input" => {
            Signal::Asked { call: String::new(), options: Vec::new() }
        }
        "elicitation_complete" | "elicitation_response" => {
            Signal::Answered { call: ELICITATION.to_owned() }
        }
        _ => Signal::Alive,
    }
}

/// Emits the results of several calls. No other hook reports a refused call.
fn emit_batch(payload: &Payload<'_>, who: &RuntimeIdentity, sink: &mut EntrySink<'_, '_>) {
    let calls = payload.batch();
    let plain = |signal| HookMeaning { kind: Kind::Heartbeat, signal, text: None };
    if calls.is_empty() {
        return payload.emit(sink, who, plain(Signal::Alive));
    }
    for (part, call) in (0..).zip(calls) {
        payload.emit_part(sink, who, (part, plain(Signal::Answered { call })));
    }
}

#[cfg(test)]
mod own_tests {
    use super::*;

    #[test]
    fn what_another_agent_says_is_not_claudes() {
        let check =
            |payload: &str, expected: bool| assert_eq!(is_own(payload), expected, "{payload}");
        let own = r#"{"session_id": "s", "hook_event_name": "Stop", "transcript_path": "/h/.claude/projects/-w/s.jsonl"}"#;
        check(own, true);
        check(&own.replace("/h/.claude", "/srv/second"), true);
        check(&own.replace("/h/.claude/projects/-w", "/h/.qwen/projects/-w/chats"), false);
        check(r#"{"session_id": "s", "hook_event_name": "Stop"}"#, true);
        check(r#"{"session_id": "s", "hook_event_name": "Stop", "transcript_path": ""}"#, true);
        check(
            &own.replace("/h/.claude/projects/-w/s.jsonl", "/h/.grok/sessions/s/chat.jsonl"),
            false,
        );
        check(
            r#"{"sessionId": "s", "session_id": "s", "hook_event_name": "PermissionRequest"}"#,
            false,
        );
        check(
            r#"{"sessionId": "s", "hookEventName": "PreToolUse", "transcript_path": "/h/x.jsonl"}"#,
            false,
        );
        check("not json", true);
    }
}
