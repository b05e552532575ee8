//! The events of Gemini CLI's hooks.
//!
//! Its hooks name no call, so the subject of a call stands for it: the command or the file. The
//! request for approval names the same subject, and nothing else of the call.

use super::{identity, telemetry};
use serde::Deserialize;
use std::borrow::Cow;
use taffrail_kit::hook_payload::{HookMeaning, Payload};
use taffrail_kit::journal::EntrySink;
use taffrail_kit::lenient::{self, Text, filled, lenient, made_of_objects};
use taffrail_model::approval::input_mark;
use taffrail_model::{Confidence, Kind, Origin, Signal};

/// Tools that ask the user a question; a call of one is not an approval request.
pub(super) const QUESTION_TOOLS: &[&str] = &["ask_user", "exit_plan_mode"];
/// Hooks that only prove that the agent is alive. `PreCompress` runs before every request to the
/// model, whether or not the context is compacted.
const SIGNS_OF_LIFE: &[&str] = &["BeforeModel", "AfterModel", "BeforeToolSelection", "PreCompress"];

/// The fields that only this agent sends.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Own<'a> {
    #[serde(borrow, deserialize_with = "filled")]
    prompt_response: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    details: Option<Details<'a>>,
}

/// What a person is asked to confirm.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Details<'a> {
    #[serde(borrow, deserialize_with = "filled")]
    r#type: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    title: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    command: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    file_path: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    tool_name: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    prompt: Text<'a>,
}

made_of_objects! { Own<'de>, Details<'de> }

/// Reads an entry of the journal.
pub(super) fn read_entry(sink: &mut EntrySink<'_, '_>) {
    if sink.entry.via == Origin::Telemetry {
        return telemetry::read_entry(sink);
    }
    let json = sink.entry.payload.get();
    let Some(payload) = Payload::of(json) else {
        return sink.unknown("hook/unreadable");
    };
    let own: Own<'_> = lenient::value_in(json).unwrap_or_default();
    let who = identity(payload.session());
    let facts = payload.facts(sink, None);
    sink.add_facts(&who, facts);
    let meaning = meaning(&payload, &own, sink);
    if matches!(meaning.signal, Signal::AskedApproval { .. }) {
        // No hook reports the answer: until the tool returns, it may already run.
        sink.confidence = Confidence::Medium;
    }
    payload.emit(sink, &who, meaning);
}

/// Identifies a call by its subject: the command or the file, else its whole input.
fn mark(payload: &Payload<'_>) -> String {
    let subject = payload.command().or_else(|| payload.file());
    subject.map_or_else(|| payload.input_mark(), |it| subject_mark(&it))
}

fn subject_mark(subject: &str) -> String {
    input_mark("", subject.into())
}

fn meaning<'p>(
    payload: &'p Payload<'_>,
    own: &'p Own<'_>,
    sink: &mut EntrySink<'_, '_>,
) -> HookMeaning<'p> {
    let asks = payload.tool_name.as_deref().is_some_and(|tool| QUESTION_TOOLS.contains(&tool));
    let plain = |signal| HookMeaning { kind: Kind::Heartbeat, signal, text: None };
    let shared = |hook: &str| payload.meaning_of(hook).unwrap_or_else(|| plain(Signal::Alive));
    match payload.hook_event_name.as_deref().unwrap_or_default() {
        known @ ("SessionStart" | "SessionEnd") => shared(known),
        "BeforeAgent" => shared("UserPromptSubmit"),
        "AfterAgent" => {
            let text = own.prompt_response.as_deref().map(|it| Cow::Borrowed(it.trim_end()));
            HookMeaning { text, ..shared("Stop") }
        }
        "BeforeTool" if asks => {
            let signal = Signal::Asked { call: mark(payload), options: payload.options() };
            HookMeaning { text: payload.question(), ..plain(signal) }
        }
        "BeforeTool" => {
            let signal = Signal::Called { call: mark(payload), input: mark(payload) };
            HookMeaning { signal, ..shared("PreToolUse") }
        }
        "AfterTool" => HookMeaning {
            signal: Signal::Answered { call: mark(payload) },
            ..shared("PostToolUse")
        },
        "Notification" => notification(payload, own),
        known if SIGNS_OF_LIFE.contains(&known) => plain(Signal::Alive),
        other => {
            sink.unknown(&format!("hook/{other}"));
            plain(Signal::Alive)
        }
    }
}

fn notification<'p>(payload: &'p Payload<'_>, own: &'p Own<'_>) -> HookMeaning<'p> {
    let details = own
        .details
        .as_ref()
        .filter(|_| payload.notification_type.as_deref() == Some("ToolPermission"));
    let Some(details) = details else {
        return HookMeaning { kind: Kind::Notice, signal: Signal::Alive, text: payload.remark() };
    };
    let asks = details.r#type.as_deref().is_some_and(|it| QUESTION_TOOLS.contains(&it));
    if asks {
        let signal = Signal::Asked { call: String::new(), options: Vec::new() };
        return HookMeaning { kind: Kind::Notice, signal, text: None };
    }
    let input = details.subject().map(subject_mark).unwrap_or_default();
    let signal = Signal::AskedApproval { input };
    HookMeaning { kind: Kind::ApprovalRequested, signal, text: details.request() }
}

impl Details<'_> {
    /// What also identifies the call.
    fn subject(&self) -> Option<&str> {
        self.command.as_deref().or(self.file_path.as_deref())
    }

    /// The request: a whole command, else the kind of the request and its subject.
    fn request(&self) -> Option<Cow<'_, str>> {
        if let Some(command) = self.command.as_deref() {
            return Some(Cow::Borrowed(command));
        }
        let subjects = [&self.file_path, &self.tool_name, &self.prompt, &self.title];
        let subject = subjects.into_iter().find_map(|it| it.as_deref())?;
        let kind = self.r#type.as_deref().unwrap_or_default();
        Some(Cow::Owned(format!("{kind} {subject}").trim_start().to_owned()))
    }
}
