//! One part of a conversation as a step.

use super::joined;
use super::metrics::metrics;
use super::shape::{Observation, ObservationResult, Source, Step, SubagentRef, ToolCall};
use crate::Recorded;
use crate::conversation::{Answer, Call, Part, call_id};
use serde_json::{Map, Value};
use std::collections::HashSet;
use taffrail_model::{Event, Kind, SessionId};

/// The fields of a result that its step keeps.
const RESULT_FIELDS: [&str; 6] =
    ["failed", "exit_code", "duration_ms", "truncated", "full_bytes", "stale"];
/// The name of an input that is not an object.
const INPUT: &str = "input";

pub(super) fn step(number: u64, part: &Part<'_>, embedded: &HashSet<SessionId>) -> Step {
    let bare = Step {
        step_id: number,
        timestamp: part.at(),
        source: Source::System,
        model_name: None,
        message: String::new(),
        reasoning_content: None,
        tool_calls: Vec::new(),
        observation: None,
        metrics: None,
        llm_call_count: None,
        is_copied_context: part.is_copied().then_some(true),
        extra: Map::new(),
    };
    match part {
        Part::Prompt(event) => Step { source: Source::User, message: text(event), ..bare },
        Part::Remark(event) => Step { message: text(event), extra: kind(event), ..bare },
        Part::Result(event) => {
            let results = vec![result(event, None)];
            Step { observation: Some(Observation { results }), ..bare }
        }
        Part::Answer(it) => answer(it, embedded, bare),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "what an answer does not say is taken from it")]
fn answer(it: &Answer<'_>, embedded: &HashSet<SessionId>, bare: Step) -> Step {
    let ids = ids(&it.calls);
    let numbered = || ids.iter().zip(&it.calls);
    let results = numbered().flat_map(|(id, call)| results(id, call, embedded));
    let results: Vec<_> = results.collect();
    let reasoning = joined(it, &Kind::AssistantThinking);
    Step {
        source: Source::Agent,
        model_name: it.model().map(str::to_owned),
        message: joined(it, &Kind::AssistantMessage),
        reasoning_content: Some(reasoning).filter(|it| !it.is_empty()),
        tool_calls: numbered().map(|(id, call)| tool_call(id, call)).collect(),
        observation: (!results.is_empty()).then_some(Observation { results }),
        metrics: metrics(&it.spent),
        llm_call_count: Some(it.spent.len()).filter(|it| *it > 0),
        extra: stop_reason(it),
        ..bare
    }
}

/// The ids of calls: the agent's own or, where that is missing or repeated, the event's.
fn ids(calls: &[Call<'_>]) -> Vec<String> {
    let mut met = HashSet::new();
    let id = |call: &Call<'_>| {
        let own = call_id(call.event).filter(|it| met.insert((*it).to_owned()));
        own.map_or_else(|| call.event.id.to_string(), str::to_owned)
    };
    calls.iter().map(id).collect()
}

fn tool_call(id: &str, call: &Call<'_>) -> ToolCall {
    let data = &call.event.data;
    let arguments = match data.get("input") {
        Some(Value::Object(fields)) => fields.clone(),
        None | Some(Value::Null) => Map::new(),
        Some(other) => Map::from_iter([(INPUT.to_owned(), other.clone())]),
    };
    let tool = data.get("tool").or_else(|| data.get("label")).and_then(Value::as_str);
    let function_name = tool.unwrap_or_default().to_owned();
    ToolCall { tool_call_id: id.to_owned(), function_name, arguments }
}

/// The results of a call. A sub-agent without a recorded result still has a place to be named.
fn results(id: &str, call: &Call<'_>, embedded: &HashSet<SessionId>) -> Vec<ObservationResult> {
    let workers = call.workers.iter().filter(|worker| embedded.contains(&worker.id));
    let refs: Vec<_> = workers.map(|worker| subagent(worker)).collect();
    let mut out: Vec<_> = call.results.iter().map(|event| result(event, Some(id))).collect();
    if out.is_empty() && !refs.is_empty() {
        out.push(ObservationResult {
            source_call_id: Some(id.to_owned()),
            content: None,
            subagent_trajectory_ref: Vec::new(),
            extra: Map::new(),
        });
    }
    if let Some(first) = out.first_mut() {
        first.subagent_trajectory_ref = refs;
    }
    out
}

fn subagent(worker: &Recorded) -> SubagentRef {
    SubagentRef {
        trajectory_id: worker.id.to_string(),
        session_id: worker.runtime_id.as_str().to_owned(),
    }
}

fn result(event: &Event, call: Option<&str>) -> ObservationResult {
    let kept = RESULT_FIELDS.iter().filter_map(|it| Some((*it, event.data.get(*it)?.clone())));
    ObservationResult {
        source_call_id: call.map(str::to_owned),
        content: event.text.clone(),
        subagent_trajectory_ref: Vec::new(),
        extra: kept.map(|(name, value)| (name.to_owned(), value)).collect(),
    }
}

fn text(event: &Event) -> String {
    event.text.clone().unwrap_or_default()
}

/// What a remark is.
fn kind(event: &Event) -> Map<String, Value> {
    let label = event.data.get("label").or_else(|| event.data.get("code"));
    let known = [("kind", Some(event.kind.as_str().into())), ("label", label.cloned())];
    known.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

fn stop_reason(answer: &Answer<'_>) -> Map<String, Value> {
    let reason = answer.field("stop_reason");
    reason.map(|it| ("stop_reason".to_owned(), it.into())).into_iter().collect()
}
