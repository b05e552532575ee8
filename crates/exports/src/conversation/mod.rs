//! The conversation of a session: prompts, model answers with their calls and results, and remarks.
//!
//! Agents record an answer in pieces: thoughts, texts and calls, each an event of its own. The
//! pieces of one answer share its id where the agent writes one. Otherwise an answer ends where its
//! input arrives: a result, a prompt, an error or a compaction.

mod answer_costs;
mod delegation;

use crate::{ModelAnswer, Recorded};
use delegation::callers;
use serde_json::Value;
use std::collections::HashMap;
use taffrail_model::event::is_said;
use taffrail_model::{Event, EventId, Kind, Timestamp};

/// One part of a conversation, in order.
#[derive(Debug)]
pub(crate) enum Part<'a> {
    /// Somebody prompted the agent.
    Prompt(&'a Event),
    /// A model answered.
    Answer(Answer<'a>),
    /// The agent program remarked something, failed, or compacted its context.
    Remark(&'a Event),
    /// A result whose call is not recorded.
    Result(&'a Event),
}

/// One answer of a model.
#[derive(Debug, Default)]
pub(crate) struct Answer<'a> {
    /// Its thoughts, texts and calls, in order; empty if only its cost is recorded.
    pub(crate) pieces: Vec<&'a Event>,
    /// Its calls, in order.
    pub(crate) calls: Vec<Call<'a>>,
    /// What it cost: several where the agent records answers less finely than their costs.
    pub(crate) spent: Vec<&'a ModelAnswer>,
}

/// A call of a tool.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) event: &'a Event,
    pub(crate) results: Vec<&'a Event>,
    /// The sub-agents that it started.
    pub(crate) workers: Vec<&'a Recorded>,
}

impl Call<'_> {
    /// Whether one of its results reports a failure.
    pub(crate) fn has_failed(&self) -> bool {
        let is_failure = |event: &&Event| {
            let code = event.data.get("exit_code").and_then(Value::as_i64);
            let failed = event.data.get("failed").and_then(Value::as_bool);
            failed == Some(true) || code.is_some_and(|it| it != 0)
        };
        self.results.iter().any(is_failure)
    }

    /// Whether somebody refused it.
    pub(crate) fn was_denied(&self) -> bool {
        let denied = |event: &&Event| event.data.get("denied").and_then(Value::as_bool);
        self.results.iter().any(|it| denied(it) == Some(true))
    }
}

impl Part<'_> {
    /// When it began.
    pub(crate) fn at(&self) -> Option<Timestamp> {
        match self {
            Self::Prompt(event) | Self::Remark(event) | Self::Result(event) => {
                Some(event.created_at)
            }
            Self::Answer(answer) => answer.began(),
        }
    }

    /// Whether it is a copy of a part of another session.
    pub(crate) fn is_copied(&self) -> bool {
        match self {
            Self::Prompt(event) | Self::Remark(event) | Self::Result(event) => is_copied(event),
            Self::Answer(answer) => answer.is_copied(),
        }
    }
}

impl<'a> Answer<'a> {
    /// When its first piece was recorded, else when its cost was.
    pub(crate) fn began(&self) -> Option<Timestamp> {
        let spent = || self.spent.first().and_then(|it| it.at);
        self.pieces.first().map(|event| event.created_at).or_else(spent)
    }

    /// When its last piece was recorded.
    pub(crate) fn ended(&self) -> Option<Timestamp> {
        self.pieces.last().map(|event| event.created_at).or_else(|| self.began())
    }

    pub(crate) fn is_copied(&self) -> bool {
        self.pieces.first().is_some_and(|event| is_copied(event))
    }

    /// Whether it consists of calls.
    pub(crate) fn has_only_calls(&self) -> bool {
        self.pieces.iter().all(|event| event.kind == Kind::ToolCall)
    }

    /// The texts of its pieces of a kind, in order.
    pub(crate) fn texts(&self, kind: &Kind) -> Vec<&'a str> {
        let of_kind = self.pieces.iter().filter(|event| event.kind == *kind);
        of_kind.filter_map(|event| event.text.as_deref()).filter(|it| !it.is_empty()).collect()
    }

    /// A field of its pieces, the latest that is known.
    pub(crate) fn field(&self, name: &str) -> Option<&'a str> {
        self.pieces.iter().rev().find_map(|event| event.data.get(name)?.as_str())
    }

    /// The model that wrote it.
    pub(crate) fn model(&self) -> Option<&'a str> {
        self.field("model").or_else(|| self.spent.iter().find_map(|it| it.model.as_deref()))
    }

    fn add(&mut self, event: &'a Event) {
        self.pieces.push(event);
        if event.kind == Kind::ToolCall {
            self.calls.push(Call { event, results: Vec::new(), workers: Vec::new() });
        }
    }

    /// Adds the pieces of another answer that turned out to be the same one.
    pub(crate) fn join(&mut self, other: Self) {
        self.pieces.extend(other.pieces);
        self.calls.extend(other.calls);
        self.spent.extend(other.spent);
    }
}

/// Whether an event is a copy of another session's.
pub(crate) fn is_copied(event: &Event) -> bool {
    event.data.contains_key("inherited_from")
}

/// The conversation of a session, in order of time.
pub(crate) fn parts(session: &Recorded) -> Vec<Part<'_>> {
    let mut fold = Fold::default();
    for event in &session.events {
        if is_said(&event.source, &event.kind) {
            fold.add(event);
        }
    }
    for (call, worker) in callers(session) {
        fold.note_worker(call, worker);
    }
    answer_costs::assign(fold.parts, &session.answers)
}

#[derive(Default)]
struct Fold<'a> {
    parts: Vec<Part<'a>>,
    /// Where each call is: the part, and the call in it.
    calls: HashMap<EventId, (usize, usize)>,
    /// The latest call with each of the agent's own ids.
    ids: HashMap<&'a str, EventId>,
    /// The latest answer, and whether its input has arrived since.
    latest: Option<(usize, IsOver)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum IsOver {
    Yes,
    No,
}

impl<'a> Fold<'a> {
    fn add(&mut self, event: &'a Event) {
        match event.kind {
            Kind::UserPrompt => {
                self.parts.push(Part::Prompt(event));
                self.latest = None;
            }
            Kind::AssistantMessage | Kind::AssistantThinking | Kind::ToolCall => self.piece(event),
            Kind::ToolResult => {
                self.result(event);
                self.close();
            }
            Kind::Error | Kind::ContextCompacted => {
                self.parts.push(Part::Remark(event));
                self.close();
            }
            Kind::Notice if event.text.as_deref().is_some_and(|it| !it.is_empty()) => {
                self.parts.push(Part::Remark(event));
            }
            // Notices without a text, and reports about the session, are not said in it.
            _ => {}
        }
    }

    fn close(&mut self) {
        self.latest = self.latest.map(|(at, _)| (at, IsOver::Yes));
    }

    fn piece(&mut self, event: &'a Event) {
        let latest = self.latest.filter(|it| self.continues(*it, event));
        let (at, _) = latest.unwrap_or_else(|| {
            self.parts.push(Part::Answer(Answer::default()));
            (self.parts.len() - 1, IsOver::No)
        });
        let Some(Part::Answer(answer)) = self.parts.get_mut(at) else { return };
        answer.add(event);
        if event.kind == Kind::ToolCall {
            self.calls.insert(event.id, (at, answer.calls.len() - 1));
            if let Some(id) = call_id(event) {
                self.ids.insert(id, event.id);
            }
        }
        self.latest = Some((at, latest.map_or(IsOver::No, |(_, is_over)| is_over)));
    }

    fn continues(&self, (at, is_over): (usize, IsOver), event: &Event) -> bool {
        let Some(Part::Answer(answer)) = self.parts.get(at) else { return false };
        if answer.is_copied() != is_copied(event) {
            return false;
        }
        match (answer.field("answer"), event.data.get("answer").and_then(Value::as_str)) {
            (Some(known), Some(id)) => known == id,
            _ => is_over == IsOver::No,
        }
    }

    fn result(&mut self, event: &'a Event) {
        let by_id = || self.ids.get(call_id(event)?).copied();
        let call = event.parent_id.filter(|it| self.calls.contains_key(it)).or_else(by_id);
        match call.and_then(|it| self.call(it)) {
            Some(call) => call.results.push(event),
            None => self.parts.push(Part::Result(event)),
        }
    }

    fn note_worker(&mut self, call: EventId, worker: &'a Recorded) {
        if let Some(call) = self.call(call) {
            call.workers.push(worker);
        }
    }

    fn call(&mut self, id: EventId) -> Option<&mut Call<'a>> {
        let (part, call) = *self.calls.get(&id)?;
        match self.parts.get_mut(part)? {
            Part::Answer(answer) => answer.calls.get_mut(call),
            Part::Prompt(_) | Part::Remark(_) | Part::Result(_) => None,
        }
    }
}

/// The agent's own id of a call or of the call that a result answers.
pub(crate) fn call_id(event: &Event) -> Option<&str> {
    event.data.get("call_id")?.as_str().filter(|it| !it.is_empty())
}
