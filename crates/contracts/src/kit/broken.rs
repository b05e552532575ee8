//! Breaks one rule of a complete document.

use crate::registry::{Contract, validate};
use crate::report::Strictness;
use serde_json::{Value, json};

/// A document that breaks this rule, made from the complete one; `None` if nothing is known to break
/// it.
#[must_use]
pub fn broken(contract: &Contract, whole: &Value, rule: &str) -> Option<Value> {
    if let Some(changes) = changes(contract.name, rule) {
        return Some(changed(whole, &changes));
    }
    let (place, kind) = rule.rsplit_once('.')?;
    let pointer = pointer_to(whole, place);
    let tries = wrong_values(kind).into_iter().map(|wrong| changed(whole, &[(&pointer, wrong)]));
    let breaks = |value: &Value| {
        let report = validate(contract, value, Strictness::Strict);
        report.faults.iter().chain(&report.warnings).any(|fault| fault.rule == rule)
    };
    tries.into_iter().find(breaks)
}

/// The document with some places set, or removed.
fn changed(whole: &Value, changes: &[(&str, Option<Value>)]) -> Value {
    let mut value = whole.clone();
    for (pointer, new) in changes {
        put(&mut value, pointer, new.clone());
    }
    value
}

/// The first place where a rule applies: in lists, the first element.
fn pointer_to(value: &Value, place: &str) -> String {
    let mut pointer = String::new();
    if place == "document" {
        return pointer;
    }
    for name in place.split('.') {
        while value.pointer(&pointer).is_some_and(Value::is_array) {
            pointer.push_str("/0");
        }
        let all = value.pointer(&pointer).and_then(Value::as_object);
        let first = all.and_then(|all| all.keys().next().cloned()).unwrap_or_default();
        pointer = format!("{pointer}/{}", if name == "*" { &first } else { name });
    }
    pointer
}

/// Sets a value; `None` removes it.
fn put(value: &mut Value, pointer: &str, wrong: Option<Value>) {
    let Some((place, name)) = pointer.rsplit_once('/') else {
        *value = wrong.unwrap_or_default();
        return;
    };
    let Some(all) = value.pointer_mut(place).and_then(Value::as_object_mut) else { return };
    match wrong {
        Some(wrong) => all.insert(name.to_owned(), wrong),
        None => all.remove(name),
    };
}

fn wrong_values(kind: &str) -> Vec<Option<Value>> {
    let wrong = match kind {
        "required" => return vec![None],
        "type" => vec![json!(7), json!("seven"), json!(true), json!([7])],
        "values" => vec![json!("no-such-word")],
        "range" => vec![json!(-1)],
        "timestamp" => vec![json!("yesterday")],
        "timestamp-ms" => vec![json!("2026-03-02T10:00:00+01:00")],
        "uuid-v4" => vec![json!("mend-parser-1")],
        "sha256" | "sha1" => vec![json!("a1b2c3"), json!(["a1b2c3"])],
        "absolute" => vec![json!("app")],
        "relative" => vec![json!("/w/app/src/parse.rs")],
        "email" => vec![json!(["ada"])],
        "semver" => vec![json!("1.0")],
        "major" => vec![json!("2.0.0")],
        "locator" => vec![json!("The user asked for a parser.")],
        "empty" => vec![json!("")],
        _ => Vec::new(),
    };
    wrong.into_iter().map(Some).collect()
}

/// The changes that break a rule which no single wrong value breaks.
fn changes(contract: &str, rule: &str) -> Option<Vec<(&'static str, Option<Value>)>> {
    Some(match (contract, rule) {
        (_, "document.unknown") => vec![set("/invented", json!(1))],
        ("ecc", rule) => of_snapshot(rule)?,
        ("state", rule) => of_state(rule)?,
        ("binding", rule) => of_binding(rule)?,
        ("event", "provider.renamed") => vec![set("/provider", json!("claude"))],
        ("event", "text.long") => vec![set("/text", json!("line\n".repeat(4000)))],
        (_, _) => return None,
    })
}

fn set(pointer: &'static str, value: Value) -> (&'static str, Option<Value>) {
    (pointer, Some(value))
}

fn of_snapshot(rule: &str) -> Option<Vec<(&'static str, Option<Value>)>> {
    Some(match rule {
        "aggregates.workerCount.derived" => vec![set("/aggregates/workerCount", json!(7))],
        "aggregates.states.derived" => {
            vec![set("/aggregates/states", json!({ "running": 2 }))]
        }
        "aggregates.healths.derived" => {
            vec![set("/aggregates/healths", json!({ "healthy": 7 }))]
        }
        "workers.health.empty" => vec![
            set("/workers/0/health", json!("")),
            set("/aggregates/healths", json!({ "": 1, "healthy": 1 })),
        ],
        "workers.id.unique" => {
            vec![set("/workers/0/id", json!("one")), set("/workers/1/id", json!("one"))]
        }
        "workers.state.empty" => vec![
            set("/workers/0/state", json!("")),
            set("/aggregates/states", json!({ "": 1, "completed": 1 })),
        ],
        _ => return None,
    })
}

fn of_state(rule: &str) -> Option<Vec<(&'static str, Option<Value>)>> {
    Some(match rule {
        "goal.sentences" => vec![set("/goal", json!("One. Two. Three. Four."))],
        "updated_at.order" => vec![set("/updated_at", json!("2026-03-01T00:00:00.000Z"))],
        "agents.id.unique" => {
            vec![set("/agents/1/id", json!("main")), set("/agents/0/blocking_on", Value::Null)]
        }
        "agents.blocking_on.known" => vec![set("/agents/0/blocking_on", json!("nobody"))],
        "files_modified.agent_id.known" => {
            vec![set("/files_modified/0/agent_id", json!("nobody"))]
        }
        _ => return None,
    })
}

fn of_binding(rule: &str) -> Option<Vec<(&'static str, Option<Value>)>> {
    Some(match rule {
        "current_executor_peer_id.required" => {
            vec![set("/status", json!("detached")), ("/current_executor_peer_id", None)]
        }
        "status.active" => vec![set("/current_executor_peer_id", Value::Null)],
        "status.resumable" => {
            vec![set("/status", json!("resumable")), set("/runtime_session_id", Value::Null)]
        }
        "status.lost" => {
            vec![set("/status", json!("lost")), set("/runtime_source_uri", Value::Null)]
        }
        "provenance.unavailable" => {
            vec![set("/provenance/source_kind", json!("runtime_unavailable"))]
        }
        "last_seen_at.order" => vec![set("/last_seen_at", json!("2026-03-01T00:00:00Z"))],
        "document.body" => {
            vec![set("/metadata", json!({ "excerpt": "and so on ".repeat(120) }))]
        }
        _ => return None,
    })
}
