//! The spans of a session.
//!
//! Agents record when an answer was written, not when its model was asked. The span of an answer
//! begins with the input that it answers: the prompt or the result right before it.

use super::Content;
use super::attributes::{call_attributes, chat_attributes, common, turn_attributes};
use super::names::{CHAT, ERROR_TYPE, EXECUTE_TOOL, INVOKE_AGENT, OTHER_ERROR};
use super::shape::{Attributes, Nanos, Span, SpanKind, Status};
use crate::Recorded;
use crate::conversation::{Answer, Call, Part, parts};
use serde_json::Value;
use std::collections::BTreeSet;
use taffrail_model::hash::{digest, to_hex};
use taffrail_model::{Event, Kind, SessionId, Timestamp, TurnId};

/// All spans of a session and its sub-agents, each after its parent.
pub(super) fn spans(session: &Recorded, content: Content) -> Vec<Span> {
    let trace = to_hex(&digest("otel-trace", &[session.id.as_bytes()]));
    let root = span_id(session.id, "session", &[]);
    let mut all = Vec::new();
    Writer::new(session, (&trace, content), &root, &mut all).conversation();
    let start = all.iter().map(|span| span.start_time_unix_nano).min();
    let end = all.iter().map(|span| span.end_time_unix_nano).max();
    let (Some(start), Some(end)) = (start, end) else { return Vec::new() };
    let name = format!("session {}", session.agent.as_str());
    let root = Span {
        trace_id: trace,
        span_id: root,
        parent_span_id: None,
        name,
        kind: SpanKind::Internal,
        start_time_unix_nano: start,
        end_time_unix_nano: end,
        attributes: common(session),
        status: None,
    };
    std::iter::once(root).chain(all).collect()
}

/// An id that is the same whenever it is computed.
fn span_id(session: SessionId, kind: &str, id: &[u8]) -> String {
    let hash = digest("otel-span", &[session.as_bytes(), kind.as_bytes(), id]);
    to_hex(&hash).chars().take(16).collect()
}

fn nanos(at: Timestamp) -> Nanos {
    Nanos(u64::try_from(at.as_nanosecond()).unwrap_or_default())
}

/// Writes the spans of one session below a span.
struct Writer<'a, 'w> {
    session: &'a Recorded,
    trace: &'w str,
    content: Content,
    /// The span above those of the session.
    above: &'w str,
    spans: &'w mut Vec<Span>,
    turn: Option<OpenTurn<'a>>,
    /// When inputs of models arrived.
    inputs: BTreeSet<Timestamp>,
}

/// The turn that is being written.
struct OpenTurn<'a> {
    id: Option<TurnId>,
    /// Its place among the spans.
    place: usize,
    span: String,
    /// The error that the turn stopped at.
    failure: Option<&'a Event>,
}

/// A span before it has a trace.
struct NewSpan<'s> {
    id: String,
    parent: &'s str,
    name: (&'s str, Option<&'s str>),
    kind: SpanKind,
    times: (Timestamp, Timestamp),
    attributes: Attributes,
    failure: Option<&'s str>,
}

impl<'a, 'w> Writer<'a, 'w> {
    fn new(
        session: &'a Recorded,
        (trace, content): (&'w str, Content),
        above: &'w str,
        spans: &'w mut Vec<Span>,
    ) -> Self {
        let (turn, inputs) = (None, BTreeSet::new());
        Self { session, trace, content, above, spans, turn, inputs }
    }

    fn conversation(&mut self) {
        let parts = parts(self.session);
        let own = parts.iter().filter(|part| !part.is_copied());
        let mut linked = Vec::new();
        for part in own {
            match part {
                Part::Prompt(event) => self.prompt(event),
                Part::Answer(answer) => self.answer(answer, &mut linked),
                Part::Remark(event) if event.kind == Kind::Error => self.fail(event),
                Part::Remark(_) => {}
                Part::Result(event) => self.arrived(event.created_at),
            }
        }
        self.close();
        let rest = self.session.workers.iter().filter(|it| !linked.contains(&it.id));
        for worker in rest {
            self.worker(worker, self.above);
        }
    }

    /// A prompt that steers the turn it falls into begins no other.
    fn prompt(&mut self, event: &'a Event) {
        self.inputs.insert(event.created_at);
        let steers = |it: &OpenTurn<'_>| it.id.is_some() && it.id == event.turn_id;
        if self.turn.as_ref().is_some_and(steers) {
            return;
        }
        self.close();
        let span = span_id(self.session.id, INVOKE_AGENT, event.id.as_bytes());
        let place = self.spans.len();
        self.push(NewSpan {
            id: span.clone(),
            parent: self.above,
            name: (INVOKE_AGENT, Some(self.session.agent.as_str())),
            kind: SpanKind::Internal,
            times: (event.created_at, event.created_at),
            attributes: turn_attributes(self.session, event, self.content),
            failure: None,
        });
        self.turn = Some(OpenTurn { id: event.turn_id, place, span, failure: None });
    }

    fn answer(&mut self, answer: &Answer<'a>, linked: &mut Vec<SessionId>) {
        let (Some(began), Some(ended)) = (answer.began(), answer.ended()) else { return };
        let asked = self.inputs.range(..=began).next_back().copied().unwrap_or(began);
        if let Some(turn) = &mut self.turn {
            turn.failure = None;
        }
        let parent = self.parent();
        self.push(NewSpan {
            id: self.answer_id(answer, began),
            parent: &parent,
            name: (CHAT, answer.model()),
            kind: SpanKind::Client,
            times: (asked, ended),
            attributes: chat_attributes(self.session, answer, self.content),
            failure: None,
        });
        for call in &answer.calls {
            self.call(call, &parent);
            linked.extend(call.workers.iter().map(|it| it.id));
        }
        self.extend(ended);
    }

    /// The span of an answer is known by its first piece, else by its time and its number there.
    fn answer_id(&self, answer: &Answer<'_>, began: Timestamp) -> String {
        if let Some(first) = answer.pieces.first() {
            return span_id(self.session.id, CHAT, first.id.as_bytes());
        }
        let ids = (0_u64..).map(|number| {
            let at = began.as_microsecond().to_le_bytes();
            span_id(self.session.id, CHAT, &[at, number.to_le_bytes()].concat())
        });
        let is_free = |id: &String| self.spans.iter().all(|span| span.span_id != *id);
        ids.into_iter().find(is_free).unwrap_or_default()
    }

    fn call(&mut self, call: &Call<'a>, parent: &str) {
        let began = call.event.created_at;
        let ended = call.results.iter().map(|it| it.created_at).max().unwrap_or(began).max(began);
        let tool = call.event.data.get("tool").and_then(Value::as_str);
        let id = span_id(self.session.id, EXECUTE_TOOL, call.event.id.as_bytes());
        self.push(NewSpan {
            id: id.clone(),
            parent,
            name: (EXECUTE_TOOL, tool),
            kind: SpanKind::Internal,
            times: (began, ended),
            attributes: call_attributes(self.session, call, self.content),
            failure: call.has_failed().then_some(OTHER_ERROR),
        });
        self.inputs.extend(call.results.iter().map(|it| it.created_at));
        self.extend(ended);
        for worker in &call.workers {
            self.worker(worker, &id);
        }
    }

    fn worker(&mut self, worker: &Recorded, above: &str) {
        Writer::new(worker, (self.trace, self.content), above, self.spans).conversation();
    }

    fn fail(&mut self, event: &'a Event) {
        if let Some(turn) = &mut self.turn {
            turn.failure = Some(event);
        }
        self.extend(event.created_at);
    }

    fn arrived(&mut self, at: Timestamp) {
        self.inputs.insert(at);
        self.extend(at);
    }

    fn parent(&self) -> String {
        self.turn.as_ref().map_or_else(|| self.above.to_owned(), |it| it.span.clone())
    }

    /// The turn lasts at least until this time.
    fn extend(&mut self, at: Timestamp) {
        let span = self.turn.as_ref().and_then(|turn| self.spans.get_mut(turn.place));
        if let Some(span) = span {
            span.end_time_unix_nano = span.end_time_unix_nano.max(nanos(at));
        }
    }

    fn close(&mut self) {
        let Some(OpenTurn { place, failure: Some(error), .. }) = self.turn.take() else { return };
        let code = error.data.get("code").and_then(Value::as_str).unwrap_or(OTHER_ERROR);
        if let Some(span) = self.spans.get_mut(place) {
            span.attributes.text(ERROR_TYPE, Some(code));
            span.status = Some(Status::ERROR);
        }
    }

    fn push(&mut self, mut new: NewSpan<'_>) {
        let (operation, of) = new.name;
        new.attributes.text(ERROR_TYPE, new.failure);
        self.spans.push(Span {
            trace_id: self.trace.to_owned(),
            span_id: new.id,
            parent_span_id: Some(new.parent.to_owned()),
            name: of.map_or_else(|| operation.to_owned(), |it| format!("{operation} {it}")),
            kind: new.kind,
            start_time_unix_nano: nanos(new.times.0),
            end_time_unix_nano: nanos(new.times.1),
            attributes: new.attributes,
            status: new.failure.map(|_| Status::ERROR),
        });
    }
}
