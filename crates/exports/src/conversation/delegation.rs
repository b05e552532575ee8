//! Which call started a sub-agent.
//!
//! Agents record it in two ways: the result of the call names the sub-agent by its id, or the call
//! holds the words that the sub-agent begins with. Anything else leaves the call unknown.

use super::{call_id, is_copied};
use crate::Recorded;
use serde_json::Value;
use std::collections::HashSet;
use taffrail_model::{Event, EventId, Kind};

/// The shortest id that a text can name: a shorter one is a word like any other.
const SHORTEST_ID: usize = 8;

/// The call that started each sub-agent, where the session records it.
pub(super) fn callers(session: &Recorded) -> Vec<(EventId, &Recorded)> {
    let mut used = HashSet::new();
    let mut out = Vec::new();
    for worker in &session.workers {
        let found = by_result(session, worker).or_else(|| by_prompt(session, worker, &used));
        if let Some(call) = found {
            used.insert(call);
            out.push((call, worker));
        }
    }
    out
}

fn by_result(session: &Recorded, worker: &Recorded) -> Option<EventId> {
    let id = worker.runtime_id.as_str();
    let own = session.events.iter().filter(|event| !is_copied(event));
    let results = own.filter(|event| event.kind == Kind::ToolResult);
    let mut named = results.filter(|it| it.text.as_deref().is_some_and(|text| names(text, id)));
    named.find_map(|result| call_of(session, result))
}

/// Whether a text has the id as a whole word.
fn names(text: &str, id: &str) -> bool {
    let is_open = |next: Option<char>| !next.is_some_and(char::is_alphanumeric);
    let is_whole = |(at, found): (usize, &str)| {
        let before = text.get(..at).and_then(|it| it.chars().next_back());
        let after = text.get(at + found.len()..).and_then(|it| it.chars().next());
        is_open(before) && is_open(after)
    };
    id.len() >= SHORTEST_ID && text.match_indices(id).any(is_whole)
}

fn call_of(session: &Recorded, result: &Event) -> Option<EventId> {
    let is_call = |event: &&Event| {
        let is_parent = result.parent_id == Some(event.id);
        let is_named = call_id(result).is_some() && call_id(event) == call_id(result);
        event.kind == Kind::ToolCall && (is_parent || is_named)
    };
    session.events.iter().find(is_call).map(|event| event.id)
}

/// The first call whose input holds exactly the first prompt, and that started no other sub-agent.
fn by_prompt(session: &Recorded, worker: &Recorded, used: &HashSet<EventId>) -> Option<EventId> {
    let first = worker.events.iter().find(|event| event.kind == Kind::UserPrompt)?;
    let prompt = first.text.as_deref().map(str::trim).filter(|it| !it.is_empty())?;
    let calls = session.events.iter().filter(|event| event.kind == Kind::ToolCall);
    let mut free = calls.filter(|event| !used.contains(&event.id) && !is_copied(event));
    let holds_prompt = |event: &&Event| {
        event.created_at <= first.created_at
            && event.data.get("input").is_some_and(|input| has_text(input, prompt))
    };
    free.find(holds_prompt).map(|event| event.id)
}

fn has_text(value: &Value, text: &str) -> bool {
    match value {
        Value::String(it) => it.trim() == text,
        Value::Array(all) => all.iter().any(|it| has_text(it, text)),
        Value::Object(fields) => fields.values().any(|it| has_text(it, text)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
