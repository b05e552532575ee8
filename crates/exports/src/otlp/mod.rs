//! A session as OpenTelemetry spans of the GenAI conventions, in the JSON form of OTLP.
//!
//! One trace is one session with its sub-agents: a span for the session, one for each turn in it, and
//! in a turn one for each model answer and each call. Every id is computed, so sending a session
//! again sends the same spans. Copies of another session's records stay in the trace of that one.

mod attributes;
mod messages;
mod names;
mod shape;
mod spans;

use crate::Recorded;
use shape::{Attributes, Request, Resource, ResourceSpans, Scope, ScopeSpans, Span};
use spans::spans;

/// The most spans in one request.
const MOST_SPANS: usize = 500;
/// The most bytes of spans in one request, unless a single span has more.
const MOST_BYTES: usize = 2 * 1024 * 1024;
const NAME: &str = "taffrail";

/// Whether spans carry what was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    /// Prompts, answers, inputs and results.
    Sent,
    /// Names, times, models and counts.
    LeftOut,
}

/// A session, ready to be sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Traces {
    /// The bodies of the requests, in order, each a JSON document.
    pub requests: Vec<String>,
    /// The number of spans in all of them.
    pub spans: usize,
}

/// The spans of a session and its sub-agents. `version` is that of this program.
#[must_use]
pub fn traces(session: &Recorded, content: Content, version: &str) -> Traces {
    let all = spans(session, content);
    let requests = batches(&all).into_iter().map(|it| request(it, version)).collect();
    Traces { requests, spans: all.len() }
}

/// Cuts spans into pieces that a collector takes.
fn batches(spans: &[Span]) -> Vec<&[Span]> {
    let (mut out, mut start, mut bytes) = (Vec::new(), 0, 0);
    for (at, span) in spans.iter().enumerate() {
        let size = written(span).len();
        if at > start && (at - start >= MOST_SPANS || bytes + size > MOST_BYTES) {
            out.extend(spans.get(start..at));
            (start, bytes) = (at, 0);
        }
        bytes += size;
    }
    out.extend(spans.get(start..).filter(|it| !it.is_empty()));
    out
}

fn request(spans: &[Span], version: &str) -> String {
    let mut attributes = Attributes::default();
    attributes.text("service.name", Some(NAME));
    attributes.text("service.version", Some(version));
    let scope_spans = [ScopeSpans { scope: Scope { name: NAME, version }, spans }];
    let resource_spans = [ResourceSpans { resource: Resource { attributes }, scope_spans }];
    written(&Request { resource_spans })
}

/// Plain fields always serialize.
fn written(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
