//! Finds all violations in a document of the directory.

use super::shapes::{Kind, kind_of};
use crate::check::against;
use crate::report::{Fault, Level, Report, Strictness, step};
use crate::rule::collect;
use serde_json::Value;
use std::collections::HashSet;

/// Validates a document of a known kind.
#[must_use]
pub fn validate(kind: Kind, value: &Value, strictness: Strictness) -> Report {
    let mut report = against(&kind.shape(), value, strictness);
    for (level, fault) in across(kind, value) {
        report.note(level, strictness, fault);
    }
    report
}

/// Validates a document of any kind, recognized by a field that only it has.
#[must_use]
pub fn validate_any(value: &Value, strictness: Strictness) -> Report {
    let Some(kind) = kind_of(value) else {
        let marks = "current_state, active_features, phases, error_context or command";
        let message = "This is not a document of an .ai-session directory.".to_owned();
        let hint = format!("Each has one of {marks}.");
        let fault =
            Fault { pointer: String::new(), rule: "document.kind".to_owned(), message, hint };
        return Report { faults: vec![fault], warnings: Vec::new() };
    };
    validate(kind, value, strictness)
}

/// The rules that involve several fields, with their levels.
const ACROSS: [(&str, Level); 6] = [
    ("last_updated.monotonic", Level::Must),
    ("last_active.monotonic", Level::Must),
    ("completed_at.monotonic", Level::Must),
    ("feature_id.unique", Level::Must),
    ("phase_id.unique", Level::Must),
    ("task_id.unique", Level::Must),
];

/// The name and level of every rule of every document.
#[must_use]
pub fn rules() -> Vec<(String, Level)> {
    let mut out = vec![("document.kind".to_owned(), Level::Must)];
    Kind::ALL.iter().for_each(|kind| collect("", &kind.shape(), &mut out));
    out.extend(ACROSS.iter().map(|(name, level)| ((*name).to_owned(), *level)));
    out.push(("completed_at.status".to_owned(), Level::Advice));
    let mut seen = HashSet::new();
    out.retain(|(name, _)| seen.insert(name.clone()));
    out
}

/// The violations of rules that involve several fields.
fn across(kind: Kind, value: &Value) -> Vec<(Level, Fault)> {
    match kind {
        Kind::State => ordered(value, "/current_state", ("started_at", "last_updated")),
        Kind::ActiveFeatures => active_features(value),
        Kind::Plan => plan(value),
        Kind::ErrorContext | Kind::Acknowledgment | Kind::HistoryLine => Vec::new(),
    }
}

fn active_features(value: &Value) -> Vec<(Level, Fault)> {
    let entries = elements(value, "/active_features");
    let mut out = repeated(&entries, "feature_id");
    for (pointer, _) in &entries {
        out.extend(ordered(value, pointer, ("started_at", "last_active")));
    }
    out
}

fn plan(value: &Value) -> Vec<(Level, Fault)> {
    let phases = elements(value, "/phases");
    let tasks = phases.iter().flat_map(|(at, _)| elements(value, &step(at, "tasks")));
    let tasks: Vec<_> = tasks.collect();
    let mut out = repeated(&phases, "phase_id");
    out.extend(repeated(&tasks, "task_id"));
    for (pointer, task) in &tasks {
        out.extend(ordered(value, pointer, ("started_at", "completed_at")));
        out.extend(dated(pointer, task));
    }
    out
}

/// The elements of an array, each with its pointer.
fn elements<'v>(value: &'v Value, pointer: &str) -> Vec<(String, &'v Value)> {
    let all = value.pointer(pointer).and_then(Value::as_array).into_iter().flatten();
    all.enumerate().map(|(index, it)| (step(pointer, &index.to_string()), it)).collect()
}

/// Checks that no two elements have the same id.
fn repeated(elements: &[(String, &Value)], field: &str) -> Vec<(Level, Fault)> {
    let mut seen = HashSet::new();
    let ids = elements.iter().filter_map(|(at, it)| Some((at, it.get(field)?.as_str()?)));
    let twice = ids.filter(|(_, id)| !seen.insert(*id));
    let fault = |(at, id): (&String, &str)| {
        let message = format!("{id:?} is there twice.");
        (
            Level::Must,
            fault(step(at, field), (field, "unique"), message, "Give each an id of its own."),
        )
    };
    twice.map(fault).collect()
}

/// Checks that the later instant is not before the earlier one.
fn ordered(value: &Value, at: &str, (earlier, later): (&str, &str)) -> Vec<(Level, Fault)> {
    let read = |field: &str| {
        let text = value.pointer(&step(at, field)).and_then(Value::as_str);
        text.and_then(super::instant)
    };
    let (Some(begin), Some(end)) = (read(earlier), read(later)) else { return Vec::new() };
    if end >= begin {
        return Vec::new();
    }
    let message = format!("`{later}` is before `{earlier}`.");
    let hint = "Timestamps never step back: write the later of the two.";
    vec![(Level::Must, fault(step(at, later), (later, "monotonic"), message, hint))]
}

/// Checks that a finished task has an end time.
fn dated(at: &str, task: &Value) -> Vec<(Level, Fault)> {
    let is_done = task.get("status").is_some_and(|it| it == "completed");
    let is_dated = task.get("completed_at").is_some_and(|it| !it.is_null());
    if is_done == is_dated {
        return Vec::new();
    }
    let message = "`completed_at` and a status of `completed` go together.".to_owned();
    let hint = "Write when it was finished, or null while it is not.";
    let at = step(at, "completed_at");
    vec![(Level::Advice, fault(at, ("completed_at", "status"), message, hint))]
}

fn fault(pointer: String, (field, rule): (&str, &str), message: String, hint: &str) -> Fault {
    Fault { pointer, rule: format!("{field}.{rule}"), message, hint: hint.to_owned() }
}
