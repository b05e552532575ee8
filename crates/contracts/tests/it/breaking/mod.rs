//! Breaks one rule of a valid document.

use crate::support::{documents, folder};
use serde_json::{Value, json};
use taffrail_contracts::{Contract, Strictness, validate};

/// A document that breaks this rule, made from the complete one.
pub(crate) fn broken(contract: &Contract, rule: &str) -> Value {
    let good = documents(&folder(contract).join("good"));
    let whole = good.into_iter().find(|(name, _)| name == "whole").expect("a whole document").1;
    if let Some(broken) = by_hand(contract.name, rule, &whole) {
        return broken;
    }
    let (place, kind) = rule.rsplit_once('.').expect("a rule has a place and a kind");
    let pointer = pointer_to(&whole, place);
    let tries = wrong_values(kind).into_iter().map(|wrong| {
        let mut value = whole.clone();
        put(&mut value, &pointer, wrong);
        value
    });
    let breaks = |value: &Value| {
        let report = validate(contract, value, Strictness::Strict);
        report.faults.iter().chain(&report.warnings).any(|fault| fault.rule == rule)
    };
    let mut tries = tries.filter(breaks);
    tries.next().unwrap_or_else(|| panic!("{}: nothing breaks {rule} at {pointer}", contract.name))
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
        *value = wrong.expect("a document cannot be taken away");
        return;
    };
    let all = value.pointer_mut(place).and_then(Value::as_object_mut).expect("an object");
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
        other => panic!("no wrong value for {other}"),
    };
    wrong.into_iter().map(Some).collect()
}

fn by_hand(contract: &str, rule: &str, whole: &Value) -> Option<Value> {
    let with = |changes: &[(&str, Value)]| {
        let mut value = whole.clone();
        for (pointer, new) in changes {
            put(&mut value, pointer, Some(new.clone()));
        }
        Some(value)
    };
    match (contract, rule) {
        (_, "document.unknown") => with(&[("/invented", json!(1))]),
        ("ecc", "aggregates.workerCount.derived") => with(&[("/aggregates/workerCount", json!(7))]),
        ("ecc", "aggregates.states.derived") => {
            with(&[("/aggregates/states", json!({ "running": 2 }))])
        }
        ("ecc", "aggregates.healths.derived") => {
            with(&[("/aggregates/healths", json!({ "healthy": 7 }))])
        }
        ("ecc", "workers.health.empty") => with(&[
            ("/workers/0/health", json!("")),
            ("/aggregates/healths", json!({ "": 1, "healthy": 1 })),
        ]),
        ("ecc", "workers.id.unique") => {
            let mut value = whole.clone();
            value["workers"][1]["id"] = value["workers"][0]["id"].clone();
            Some(value)
        }
        ("ecc", "workers.state.empty") => {
            let mut value = whole.clone();
            value["workers"][0]["state"] = json!("");
            value["aggregates"]["states"] = json!({ "": 1, "completed": 1 });
            Some(value)
        }
        ("state", "goal.sentences") => with(&[("/goal", json!("One. Two. Three. Four."))]),
        ("state", "updated_at.order") => {
            with(&[("/updated_at", json!("2026-03-01T00:00:00.000Z"))])
        }
        ("state", "agents.id.unique") => {
            let mut value = whole.clone();
            value["agents"][1]["id"] = json!("main");
            value["agents"][0]["blocking_on"] = Value::Null;
            Some(value)
        }
        ("state", "agents.blocking_on.known") => {
            let mut value = whole.clone();
            value["agents"][0]["blocking_on"] = json!("nobody");
            Some(value)
        }
        ("state", "files_modified.agent_id.known") => {
            let mut value = whole.clone();
            value["files_modified"][0]["agent_id"] = json!("nobody");
            Some(value)
        }
        ("binding", "current_executor_peer_id.required") => {
            let mut value = with(&[("/status", json!("detached"))])?;
            put(&mut value, "/current_executor_peer_id", None);
            Some(value)
        }
        ("binding", "status.active") => with(&[("/current_executor_peer_id", Value::Null)]),
        ("binding", "status.resumable") => {
            with(&[("/status", json!("resumable")), ("/runtime_session_id", Value::Null)])
        }
        ("binding", "status.lost") => {
            with(&[("/status", json!("lost")), ("/runtime_source_uri", Value::Null)])
        }
        ("binding", "provenance.unavailable") => {
            with(&[("/provenance/source_kind", json!("runtime_unavailable"))])
        }
        ("binding", "last_seen_at.order") => {
            with(&[("/last_seen_at", json!("2026-03-01T00:00:00Z"))])
        }
        ("binding", "document.body") => {
            with(&[("/metadata", json!({ "excerpt": "and so on ".repeat(120) }))])
        }
        ("event", "provider.renamed") => with(&[("/provider", json!("claude"))]),
        ("event", "text.long") => with(&[("/text", json!("line\n".repeat(4000)))]),
        (_, _) => None,
    }
}
