//! The note of an event: small, but enough for every finding.

use super::commands::{self, Purpose};
use super::edits::{Edit, edits_of};
use super::errors::{Class, class_of};
use super::event_view::EventView;
use super::outputs::{self, Sign};
use super::status_line;
use crate::hash::{self, Digest16};
use crate::journal::TRIED;
use crate::observed::Marks;
use crate::{Confidence, EventId, Kind, Origin, Signal, Timestamp};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;

/// The longest stored command or message, in bytes.
const KEPT: usize = 160;

/// Orders notes by time, and notes of the same instant by position.
pub(super) type Place = (Timestamp, bool, u64, u64, EventId);

/// The note of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Note {
    pub(super) id: EventId,
    pub(super) at: Timestamp,
    pub(super) says: Says,
    /// The source is a hook that also reports when the work stops.
    pub(super) is_hooked: bool,
}

/// The content of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Says {
    /// A person sent a prompt.
    Prompt,
    /// The agent wrote a message.
    Spoke,
    /// A tool was called.
    Call(Box<Call>),
    /// A tool returned a result.
    Answer(Box<Answer>),
    /// A failure of the agent.
    Failure(Box<Failure>),
    /// The turn is over.
    Over(How),
    /// The context was compacted; for automatic compaction, the token count before it.
    Folded(Option<u64>),
    /// The agent opened or resumed the session.
    Began,
    /// The agent ended the session.
    Ended,
    /// The process is gone.
    Died,
    /// The agent asks a person for an approval.
    AskedApproval,
    /// The agent asks a person a question.
    Asked,
    /// The agent tried something that only a person may do.
    Tried(String),
    /// Tokens in use, and the size of the window.
    Context { used: u64, window: u64 },
}

/// How a turn ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum How {
    /// The agent stopped by itself.
    Done,
    /// A person stopped it.
    Interrupted,
    /// An error stopped it.
    Failed,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    /// Equal for the same tool with the same input.
    pub(super) mark: Digest16,
    pub(super) purpose: Purpose,
    /// The command line, else the subject of the call; truncated.
    pub(super) about: String,
    /// Identifies a check.
    pub(super) key: String,
    /// The program and its subcommand.
    pub(super) verb: String,
    pub(super) edits: Vec<Edit>,
}

/// A tool's result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) call: Option<EventId>,
    pub(super) failed: bool,
    /// Equal for equivalent results.
    pub(super) mark: Digest16,
    pub(super) signs: Vec<Sign>,
}

/// A failure of the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) class: Class,
    /// The agent retries.
    pub(super) retrying: bool,
    pub(super) words: String,
}

/// The note of an event and its place; `None` if no finding needs the event.
pub(super) fn note(event: &EventView<'_>) -> Option<(Place, Note)> {
    let says = if event.is_spoken() { spoken(event)? } else { live(event)? };
    let late = !event.is_spoken();
    let place = (event.at, late, event.place.0, event.place.1, event.id);
    let is_hooked = *event.origin == Origin::Hook && *event.confidence != Confidence::Low;
    Some((place, Note { id: event.id, at: event.at, says, is_hooked }))
}

/// The note of an event in the agent's own history.
fn spoken(event: &EventView<'_>) -> Option<Says> {
    let ends = event.marks.has(Marks::ENDS_TURN);
    let asks = matches!(event.signal, Some(Signal::Asked { .. }));
    Some(match event.kind {
        Kind::UserPrompt => Says::Prompt,
        Kind::AssistantMessage if ends => Says::Over(How::Done),
        Kind::AssistantMessage => Says::Spoke,
        Kind::ToolCall if asks => Says::Asked,
        Kind::ToolCall => Says::Call(Box::new(call(event))),
        Kind::ToolResult => Says::Answer(Box::new(answer(event))),
        Kind::Error => Says::Failure(Box::new(failure(event, ends))),
        Kind::AgentStopped if event.label == Some("interrupted") => Says::Over(How::Interrupted),
        Kind::AgentStopped if ends => Says::Over(How::Done),
        Kind::ContextCompacted => Says::Folded(folded_at(event)),
        Kind::SessionStarted => Says::Began,
        Kind::SessionExited => Says::Ended,
        Kind::ApprovalRequested => Says::AskedApproval,
        Kind::Heartbeat if event.label == Some(TRIED) => Says::Tried(kept(event.text)),
        _ => return None,
    })
}

/// The note of a report by a hook, a registry or a probe: only its effect on the turn.
fn live(event: &EventView<'_>) -> Option<Says> {
    if event.label == Some(status_line::LABEL) {
        let count = |name: &str| event.data.get(name).and_then(Value::as_u64);
        let (used, window) = (count(status_line::USED)?, count(status_line::WINDOW)?);
        return Some(Says::Context { used, window });
    }
    Some(match event.says()? {
        Signal::Started | Signal::TookOver => Says::Began,
        Signal::Prompted => Says::Prompt,
        Signal::TurnOver => Says::Over(How::Done),
        Signal::Interrupted => Says::Over(How::Interrupted),
        Signal::Failed => Says::Failure(Box::new(failure(event, true))),
        Signal::AskedApproval { .. } => Says::AskedApproval,
        Signal::Asked { .. } => Says::Asked,
        Signal::Ended => Says::Ended,
        Signal::Died => Says::Died,
        Signal::Busy
        | Signal::Called { .. }
        | Signal::Answered { .. }
        | Signal::Settled { .. }
        | Signal::WorkingOn
        | Signal::Compacting
        | Signal::Compacted
        | Signal::Quiet
        | Signal::Alive
        | Signal::Unknown(_) => return None,
    })
}

fn call(event: &EventView<'_>) -> Call {
    let input = match event.data.get("input") {
        Some(Value::String(text)) if text.trim_start().starts_with('{') => {
            let read = serde_json::from_str(text).ok();
            read.map_or(Cow::Owned(Value::String(text.clone())), Cow::Owned)
        }
        Some(input) => Cow::Borrowed(input),
        None => Cow::Owned(Value::Null),
    };
    let tool = event.label.unwrap_or_default();
    let command = commands::command_of(&input);
    let line = command.as_deref();
    let exact = if input.is_null() { event.text.to_owned() } else { input.to_string() };
    Call {
        mark: hash::checksum(format!("{tool}\n{exact}").as_bytes()),
        purpose: commands::purpose(tool, line),
        about: kept(line.unwrap_or(event.text)),
        key: line.map(|it| kept(&commands::key_of(it))).unwrap_or_default(),
        verb: line.map(|it| kept(&commands::verb_of(it))).unwrap_or_default(),
        edits: edits_of(&input),
    }
}

fn answer(event: &EventView<'_>) -> Answer {
    let failed = event.marks.has(Marks::FAILED);
    Answer {
        call: event.parent,
        failed,
        mark: outputs::mark(event.text),
        signs: outputs::signs(event.text),
    }
}

fn failure(event: &EventView<'_>, ends: bool) -> Failure {
    let named = |name: &str| event.data.get(name).and_then(Value::as_str);
    let code = named("code").or(named("error")).or(event.label).unwrap_or_default();
    let retrying = event.data.get("retrying").and_then(Value::as_bool) == Some(true);
    let words = if event.text.trim().is_empty() { code } else { event.text };
    Failure { class: class_of(code, event.text), retrying: retrying && !ends, words: kept(words) }
}

/// The token count before an automatic compaction.
fn folded_at(event: &EventView<'_>) -> Option<u64> {
    let trigger = event.data.get("trigger").and_then(Value::as_str).or(event.label);
    let before = event.data.get("tokens_before").and_then(Value::as_u64);
    before.filter(|_| trigger != Some("manual"))
}

/// The beginning of a text, short enough to keep.
pub(super) fn kept(text: &str) -> String {
    crate::text::cut(text, KEPT).to_owned()
}
