//! Where the time of a session went: spans of its model, tools, sub-agents and of people it waited for.
//!
//! The span of an answer begins with the input that it answers, as in the spans for a collector; that
//! of a tool lasts from the call to its result. A question to a person is waiting, although the agent
//! asks it with a tool.

use crate::conversation::{Answer, Call, Part, call_id, parts};
use crate::{ModelAnswer, Recorded};
use serde_json::Value;
use std::collections::BTreeSet;
use taffrail_model::cost::plus;
use taffrail_model::{Event, EventId, Kind, SessionId, Timestamp, Tokens};

/// The kind of a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
    /// A model answered.
    Model,
    /// A tool worked.
    Tool,
    /// A sub-agent worked.
    Agent,
    /// Somebody was asked and had not decided, or answered.
    Human,
}

impl SpanKind {
    /// The word used in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Tool => "tool",
            Self::Agent => "agent",
            Self::Human => "human",
        }
    }
}

/// A part of the time of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Its id, the same whenever it is computed.
    pub id: String,
    /// The id of the span that it is part of.
    pub parent: Option<String>,
    /// Its kind.
    pub kind: SpanKind,
    /// The model, the tool, the sub-agent, or the tool that somebody was asked about or with.
    pub name: String,
    /// When it began.
    pub from: Timestamp,
    /// When it ended.
    pub to: Timestamp,
    /// The tokens of an answer, or of all answers of a sub-agent.
    pub tokens: Option<Tokens>,
    /// What they cost, in millionths of a dollar.
    pub cost_microdollars: Option<i64>,
    /// The call failed.
    pub failed: bool,
    /// Somebody refused the call, which did not run.
    pub denied: bool,
    /// The event it begins with.
    pub event: Option<EventId>,
    /// The session of a sub-agent.
    pub session: Option<SessionId>,
}

impl Span {
    /// Whether it is the question that a wait reports, too.
    fn is_question_of(&self, wait: &Self) -> bool {
        let is_within = self.from <= wait.from && wait.to <= self.to;
        self.kind == SpanKind::Human && self.name == wait.name && is_within
    }
}

/// The spans of a session and of its sub-agents, the earliest first.
#[must_use]
pub fn trace(session: &Recorded) -> Vec<Span> {
    let mut tracer = Tracer { session, above: None, inputs: BTreeSet::new(), spans: Vec::new() };
    tracer.conversation();
    tracer.spans
}

struct Tracer<'a> {
    session: &'a Recorded,
    /// The span of this session.
    above: Option<String>,
    /// When inputs of models arrived.
    inputs: BTreeSet<Timestamp>,
    spans: Vec<Span>,
}

impl<'a> Tracer<'a> {
    fn conversation(&mut self) {
        let mut linked = Vec::new();
        for part in parts(self.session) {
            match part {
                Part::Prompt(event) | Part::Result(event) => {
                    self.inputs.insert(event.created_at);
                }
                Part::Answer(answer) => self.answer(&answer, &mut linked),
                Part::Remark(_) => {}
            }
        }
        let rest = self.session.workers.iter().filter(|it| !linked.contains(&it.id));
        for worker in rest {
            self.worker(worker, self.above.clone());
        }
        let mut waits = waits(&self.session.events, self.above.as_ref());
        // A question is a wait itself, whoever else reports it.
        waits.retain(|wait| !self.spans.iter().any(|it| it.is_question_of(wait)));
        self.spans.extend(waits);
        self.spans.sort_by_key(|it| it.from);
    }

    fn answer(&mut self, answer: &Answer<'a>, linked: &mut Vec<SessionId>) {
        let (Some(began), Some(ended)) = (answer.began(), answer.ended()) else { return };
        let asked = self.inputs.range(..=began).next_back().copied().unwrap_or(began);
        let event = answer.pieces.first().map(|it| it.id);
        let at = || format!("{}.{}", began.as_microsecond(), self.spans.len());
        let id = format!("model:{}", event.map_or_else(at, |it| it.to_string()));
        let (tokens, cost_microdollars) = spent(answer.spent.iter().copied());
        self.spans.push(Span {
            id,
            parent: self.above.clone(),
            kind: SpanKind::Model,
            name: answer.model().or(self.session.model.as_deref()).unwrap_or("model").to_owned(),
            from: asked,
            to: ended,
            tokens,
            cost_microdollars,
            failed: false,
            denied: false,
            event,
            session: None,
        });
        for call in &answer.calls {
            self.call(call);
            linked.extend(call.workers.iter().map(|it| it.id));
        }
    }

    fn call(&mut self, call: &Call<'a>) {
        let began = call.event.created_at;
        let ended = call.results.iter().map(|it| it.created_at).max().unwrap_or(began).max(began);
        let is_question = self.session.questions.contains(&call.event.id);
        let kind = if is_question { SpanKind::Human } else { SpanKind::Tool };
        let id = format!("{}:{}", kind.as_str(), call.event.id);
        self.spans.push(Span {
            id: id.clone(),
            parent: self.above.clone(),
            kind,
            name: tool_of(call.event).unwrap_or("tool").to_owned(),
            from: began,
            to: ended,
            tokens: None,
            cost_microdollars: None,
            failed: call.has_failed(),
            denied: call.was_denied(),
            event: Some(call.event.id),
            session: None,
        });
        self.inputs.extend(call.results.iter().map(|it| it.created_at));
        for worker in &call.workers {
            self.worker(worker, Some(id.clone()));
        }
    }

    fn worker(&mut self, worker: &'a Recorded, parent: Option<String>) {
        let times = || worker.events.iter().map(|it| it.created_at);
        let (Some(from), Some(to)) = (times().min(), times().max()) else { return };
        let id = format!("agent:{}", worker.id);
        let (tokens, cost_microdollars) = spent(&worker.answers);
        let name = worker.title.clone().unwrap_or_else(|| worker.agent.as_str().to_owned());
        self.spans.push(Span {
            id: id.clone(),
            parent,
            kind: SpanKind::Agent,
            name,
            from,
            to,
            tokens,
            cost_microdollars,
            failed: false,
            denied: false,
            event: None,
            session: Some(worker.id),
        });
        let (above, inputs, spans) = (Some(id), BTreeSet::new(), Vec::new());
        let mut below = Tracer { session: worker, above, inputs, spans };
        below.conversation();
        self.spans.append(&mut below.spans);
    }
}

/// What answers cost together; `None` without answers.
fn spent<'s>(answers: impl IntoIterator<Item = &'s ModelAnswer>) -> (Option<Tokens>, Option<i64>) {
    let (mut tokens, mut cost): (Option<Tokens>, _) = (None, None);
    for answer in answers {
        tokens = Some(tokens.unwrap_or_default().plus(answer.tokens));
        cost = plus(cost, answer.cost.map(crate::Amount::microdollars));
    }
    (tokens, cost)
}

fn tool_of(event: &Event) -> Option<&str> {
    event.data.get("tool").and_then(Value::as_str).filter(|it| !it.is_empty())
}

/// The spans from a request for approval to its decision. A second report of an open request opens
/// no other span; the call's result or the next prompt ends what nobody decided.
fn waits(events: &[Event], above: Option<&String>) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    // The open request, and the call it is about.
    let mut open: Option<(Span, Option<&str>)> = None;
    for event in events {
        let ends = match (&event.kind, &open) {
            (Kind::ApprovalRequested, None) => {
                open = Some((wait(event, above), call_id(event)));
                false
            }
            (Kind::ApprovalResolved | Kind::UserPrompt, Some(_)) => true,
            (Kind::ToolResult, Some((_, call))) => call.is_none() || *call == call_id(event),
            _ => false,
        };
        if ends && let Some((span, _)) = open.take() {
            spans.push(Span { to: event.created_at.max(span.from), ..span });
        }
    }
    let last = events.last().map(|it| it.created_at);
    spans.extend(open.map(|(span, _)| Span { to: last.unwrap_or(span.to).max(span.from), ..span }));
    spans
}

fn wait(event: &Event, above: Option<&String>) -> Span {
    Span {
        id: format!("human:{}", event.id),
        parent: above.cloned(),
        kind: SpanKind::Human,
        name: tool_of(event).unwrap_or("approval").to_owned(),
        from: event.created_at,
        to: event.created_at,
        tokens: None,
        cost_microdollars: None,
        failed: false,
        denied: false,
        event: Some(event.id),
        session: None,
    }
}
