//! What may be published of an event and of a session: either the content without secrets, or
//! metadata alone.

use crate::teleport::Reduce;
use serde_json::{Map, Value};
use std::borrow::Cow;
use taffrail_capture::Body;
use taffrail_model::observed::Marks;
use taffrail_model::redact::{redact, redact_value};
use taffrail_model::replication::{RelayedEvent, RelayedFacts, TEXT_LIMIT};
use taffrail_model::text::cut;
use taffrail_model::{Facts, Kind, Signal};
use taffrail_store::EventRow;

/// Longer names of tools and models are left out.
const LONGEST_NAME: usize = 128;

/// The facts of a session to publish.
pub(super) fn facts(known: &Facts, bodies: bool) -> RelayedFacts {
    let mut told = RelayedFacts::of(known);
    if let Some(title) = &mut told.title {
        clean(&mut title.text);
    }
    if !bodies {
        // Titles derive from the conversation, and a path reveals more than a project's name.
        told.title = None;
        told.project = told.project.as_deref().map(name_of);
    }
    for text in [&mut told.project, &mut told.branch].into_iter().flatten() {
        clean(text);
    }
    told
}

/// The facts of a session for the readers of a share.
pub(super) fn shared_facts(facts: RelayedFacts, reduce: &Reduce) -> RelayedFacts {
    let mut told = facts.shared();
    if let Some(title) = &mut told.title {
        title.text = reduce.text(&title.text);
    }
    told
}

/// An event for the readers of a share, with reduced paths.
pub(super) fn shared_event(event: RelayedEvent, reduce: &Reduce) -> RelayedEvent {
    let mut detail = Value::Object(event.detail);
    reduce.walk(&mut detail);
    let detail = match detail {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    let reduced = |text: Option<String>| text.map(|it| reduce.text(&it));
    let (text, label) = (reduced(event.text), reduced(event.label));
    RelayedEvent { detail, text, label, signal: None, ..event }
}

fn name_of(path: &str) -> String {
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path).to_owned()
}

/// An event with its text, if there is one to publish.
pub(super) fn event(row: &EventRow, body: Option<Body>) -> RelayedEvent {
    let plain = plain(row);
    let Some(Body { text, mut data, .. }) = body else { return plain };
    // Whole files stay here: the call says what changed in them.
    data.remove("change");
    redact_map(&mut data);
    let text = text.map(|text| shortened(&text, &mut data));
    let mut label = row.label.clone();
    label.iter_mut().for_each(clean);
    let signal = row.signal.as_ref().map(told_signal);
    RelayedEvent { text, detail: bounded(data), label, signal, kept: false, ..plain }
}

/// Leaves out the options of a question: they are content, and go with the session's status.
fn told_signal(signal: &Signal) -> String {
    match signal {
        Signal::Asked { call, .. } => {
            Signal::Asked { call: call.clone(), options: Vec::new() }.to_text()
        }
        other => other.to_text(),
    }
}

/// An event without any content.
fn plain(row: &EventRow) -> RelayedEvent {
    RelayedEvent {
        id: row.id,
        kind: row.kind.clone(),
        part: row.part,
        at: row.at,
        turn: row.turn,
        opens: row.marks.has(Marks::OPENS_TURN),
        ends: row.marks.has(Marks::ENDS_TURN),
        failed: row.marks.has(Marks::FAILED),
        parent: row.parent,
        label: row.label.clone().filter(|it| is_named(&row.kind) && it.len() <= LONGEST_NAME),
        signal: None,
        confidence: row.confidence.clone(),
        origin: row.origin.clone(),
        source_event_id: row.source_event_id.clone(),
        detail: Map::new(),
        text: None,
        kept: !row.excerpt.is_empty(),
    }
}

/// True if the label is the name of a tool or a model, and never content.
fn is_named(kind: &Kind) -> bool {
    matches!(kind, Kind::ToolCall | Kind::AssistantMessage | Kind::AssistantThinking)
}

fn redact_map(data: &mut Map<String, Value>) {
    let mut value = Value::Object(std::mem::take(data));
    redact_value(&mut value);
    if let Value::Object(clean) = value {
        *data = clean;
    }
}

/// A text without its secrets, truncated if too long; `data` records the truncation.
fn shortened(text: &str, data: &mut Map<String, Value>) -> String {
    let clean = redact(text);
    if clean.len() > TEXT_LIMIT {
        data.insert("truncated".to_owned(), true.into());
        data.entry("full_bytes").or_insert_with(|| text.len().into());
    }
    cut(&clean, TEXT_LIMIT).to_owned()
}

/// The other fields, without the largest one if they are too long.
fn bounded(mut data: Map<String, Value>) -> Map<String, Value> {
    let size = |(name, value): (&String, &Value)| name.len() + value.to_string().len();
    while data.iter().map(size).sum::<usize>() > TEXT_LIMIT {
        let largest = data.iter().max_by_key(|it| size(*it)).map(|(name, _)| name.clone());
        let Some(largest) = largest else { break };
        data.remove(&largest);
        data.insert("truncated".to_owned(), true.into());
    }
    data
}

fn clean(text: &mut String) {
    if let Cow::Owned(new) = redact(text) {
        *text = new;
    }
}
