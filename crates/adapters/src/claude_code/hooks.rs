//! What Claude Code's hooks say.

use super::{live, place, status_line, telemetry};
use crate::hooking::{Payload, Said};
use crate::journal::Heard;
use taffrail_model::{Kind, Origin, RuntimeIdentity, Signal};

/// Tools that ask a person something; they are no request to be allowed anything.
pub(super) const QUESTION_TOOLS: &[&str] = &["AskUserQuestion", "ExitPlanMode"];
/// Stands for the call of a question that a server asks through the agent.
const ELICITATION: &str = "elicitation";
/// Hooks that tell nothing but that the agent is there.
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

/// Hears an entry of the journal.
pub(super) fn hear(heard: &mut Heard<'_, '_>) {
    match heard.entry.via {
        Origin::Registry => return live::hear(heard),
        Origin::Telemetry => return telemetry::hear(heard),
        _ => {}
    }
    if status_line::hear(heard) {
        return;
    }
    let payload = heard.entry.payload.get();
    let Some(payload) = Payload::of(payload) else {
        return heard.unknown("hook/unreadable");
    };
    let (who, parent) = whose(&payload);
    let facts = payload.facts(heard, parent);
    heard.learn(&who, facts);
    match payload.hook_event_name.as_deref() {
        Some("PostToolBatch") => tell_batch(&payload, &who, heard),
        _ => {
            let said = meaning(&payload, heard);
            payload.tell(heard, &who, said);
        }
    }
}

/// The session a hook speaks of, and the one that works for it.
///
/// The agent that folds the context has an id and no type; it is no worker of anybody's.
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

fn meaning<'p>(payload: &'p Payload<'_>, heard: &mut Heard<'_, '_>) -> Said<'p> {
    let name = payload.hook_event_name.as_deref().unwrap_or_default();
    let asks = payload.tool_name.as_deref().is_some_and(|tool| QUESTION_TOOLS.contains(&tool));
    let plain = |signal| Said { kind: Kind::Heartbeat, signal, text: None };
    match name {
        "SubagentStart" | "SubagentStop" if is_folding(payload) => plain(Signal::Alive),
        "PreToolUse" | "PermissionRequest" if asks => {
            Said { text: payload.question(), ..plain(Signal::Asked { call: payload.call() }) }
        }
        "PermissionDenied" => Said {
            kind: Kind::ApprovalResolved,
            signal: Signal::Settled { call: payload.call(), input: payload.input_mark() },
            text: payload.request(),
        },
        "StopFailure" => {
            Said { kind: Kind::Error, signal: Signal::Failed, text: payload.failure() }
        }
        "Notification" => {
            let kind = payload.notification_type.as_deref().unwrap_or_default();
            Said { kind: Kind::Notice, signal: reminder(kind), text: payload.remark() }
        }
        "Elicitation" => {
            let signal = Signal::Asked { call: ELICITATION.to_owned() };
            Said { text: payload.remark(), ..plain(signal) }
        }
        "ElicitationResult" => plain(Signal::Answered { call: ELICITATION.to_owned() }),
        known if SIGNS_OF_LIFE.contains(&known) => plain(Signal::Alive),
        other => payload.said().unwrap_or_else(|| {
            heard.unknown(&format!("hook/{other}"));
            plain(Signal::Alive)
        }),
    }
}

/// What a notification reminds of. It comes seconds after what it speaks of.
fn reminder(kind: &str) -> Signal {
    match kind {
        "permission_prompt" => Signal::AskedApproval { input: String::new() },
        "idle_prompt" => Signal::Quiet,
        "elicitation_dialog" | "elicitation_url_dialog" | "agent_needs_input" => {
            Signal::Asked { call: String::new() }
        }
        "elicitation_complete" | "elicitation_response" => {
            Signal::Answered { call: ELICITATION.to_owned() }
        }
        _ => Signal::Alive,
    }
}

/// Several calls came back together; a refused one is told by nothing else.
fn tell_batch(payload: &Payload<'_>, who: &RuntimeIdentity, heard: &mut Heard<'_, '_>) {
    let calls = payload.batch();
    let plain = |signal| Said { kind: Kind::Heartbeat, signal, text: None };
    if calls.is_empty() {
        return payload.tell(heard, who, plain(Signal::Alive));
    }
    for (part, call) in (0..).zip(calls) {
        payload.tell_part(heard, who, (part, plain(Signal::Answered { call })));
    }
}
