//! Damaged documents: the check never panics, it agrees with an independent validator of our
//! schema, and our types read and write every accepted document without loss.
//!
//! `TAFFRAIL_FULL=1` tries a hundred thousand documents of each contract, `TAFFRAIL_SEED` selects
//! them.

use crate::support;

use serde_json::{Value, json};
use support::{documents, expressible, independent, through_types};
use taffrail_contracts::{Contract, Strictness, find, validate, validate_text};
use taffrail_testkit::mutate::{Lengths, Mutator};
use taffrail_testkit::{Chance, Scale};

#[test]
fn snapshots_survive() {
    check("ecc");
}

#[test]
fn states_survive() {
    check("state");
}

#[test]
fn bindings_survive() {
    check("binding");
}

#[test]
fn events_survive() {
    check("event");
}

fn check(name: &str) {
    let contract = find(name).unwrap();
    let scale = Scale::from_env();
    let mut all = Vec::new();
    for kind in ["good", "lenient", "bad", "strict", "warned"] {
        all.extend(documents(contract, kind).into_iter().map(|(_, value)| value));
    }
    let readings =
        [Strictness::Lenient, Strictness::Strict].map(|it| (it, independent(contract, it)));
    let mut chance = scale.chance(name);
    let mut mutator =
        Mutator::new(scale.chance("bytes"), Lengths { usual: (2_000, 100_000), extreme: None });
    let (mut valid, mut read) = (0, 0);
    for _ in 0..scale.pick(4_000, 100_000) {
        let one = chance.pick(&all).clone();
        let document = if chance.one_in(4) {
            let other = chance.pick(&all).to_string();
            let bytes = mutator.mutate(one.to_string().as_bytes(), other.as_bytes());
            let text = String::from_utf8_lossy(&bytes);
            let told = validate_text(contract, &text, Strictness::Lenient).is_valid();
            let Ok(value) = serde_json::from_str(&text) else {
                assert!(!told, "{text}");
                continue;
            };
            value
        } else {
            changed(one, &all, &mut chance)
        };
        read += 1;
        valid += usize::from(agree(contract, &readings, &document));
    }
    assert!(valid > read / 20 && valid < read, "{valid} of {read} were valid: nothing is tried");
}

/// Whether the document is valid in lenient validation; all validators must agree.
fn agree(
    contract: &Contract,
    readings: &[(Strictness, jsonschema::Validator); 2],
    document: &Value,
) -> bool {
    for (strictness, schema) in readings {
        let report = validate(contract, document, *strictness);
        let ours = expressible(contract, &report);
        let theirs = schema.is_valid(document);
        assert_eq!(ours.is_empty(), theirs, "{strictness:?}: {ours:?} {document}");
    }
    let valid = validate(contract, document, Strictness::Lenient).is_valid();
    if valid {
        let again = through_types(contract.name, document);
        assert_eq!(again.as_ref().ok(), Some(document), "{again:?}");
    }
    valid
}

/// A document with a few of its values changed: removed, replaced, duplicated, or taken from
/// another.
fn changed(mut document: Value, all: &[Value], chance: &mut Chance) -> Value {
    for _ in 0..chance.between(0, 3) {
        let places = places(&document);
        let at = chance.pick(&places).clone();
        let other = chance.pick(all);
        let borrowed = {
            let places = crate::mutations::places(other);
            other.pointer(chance.pick(&places).as_str()).unwrap().clone()
        };
        match chance.below(4) {
            0 => remove(&mut document, &at),
            1 => insert(&mut document, &at, chance),
            2 => *document.pointer_mut(&at).unwrap() = borrowed,
            _ => *document.pointer_mut(&at).unwrap() = chance.pick(&values()).clone(),
        }
    }
    document
}

/// Every pointer into a document.
fn places(document: &Value) -> Vec<String> {
    let mut out = vec![String::new()];
    let mut next = 0;
    while let Some(at) = out.get(next).cloned() {
        next += 1;
        match document.pointer(&at) {
            Some(Value::Array(all)) => {
                out.extend((0..all.len()).map(|index| format!("{at}/{index}")));
            }
            Some(Value::Object(all)) => {
                let escaped = |name: &String| name.replace('~', "~0").replace('/', "~1");
                out.extend(all.keys().map(|name| format!("{at}/{}", escaped(name))));
            }
            _ => {}
        }
    }
    out
}

fn remove(document: &mut Value, at: &str) {
    let Some((place, name)) = at.rsplit_once('/') else { return };
    match document.pointer_mut(place) {
        Some(Value::Object(all)) => {
            all.remove(&name.replace("~1", "/").replace("~0", "~"));
        }
        Some(Value::Array(all)) => {
            all.remove(name.parse().unwrap());
        }
        _ => {}
    }
}

fn insert(document: &mut Value, at: &str, chance: &mut Chance) {
    let value = chance.pick(&values()).clone();
    match document.pointer_mut(at) {
        Some(Value::Object(all)) => {
            all.insert(chance.pick(&["x_future", "", "a/b~c", "id"]).to_string(), value);
        }
        Some(Value::Array(all)) => all.push(value),
        _ => {}
    }
}

fn values() -> Vec<Value> {
    let numbers = [json!(0), json!(1), json!(-1), json!(0.5), json!(1.0), json!(-0.0), json!(1.5)];
    let large = [json!(1e300), json!(u64::MAX), json!(i64::MIN), json!(9_007_199_254_740_993_u64)];
    let words =
        ["", "x", "active", "lost", "resumable", "completed", "event.removed", "tool.call", "high"];
    let forms = [
        "2026-02-29T00:00:00Z",
        "2024-02-29T23:59:59.5+23:59",
        "2026-03-02T09:15:00.000Z",
        "6e01275b-6d80-422b-8fb5-b11280437c67",
        "1.2.3",
        "/abs",
        "x:y\nz",
        "é\u{1F600}",
        "2026-03-02T09:15:00.000Z\n",
        "٢٠٢٦-٠٣-٠٢T٠٩:١٥:٠٠Z",
    ];
    let others = [
        Value::Null,
        json!(true),
        json!(false),
        json!([]),
        json!({}),
        json!([7]),
        json!({ "x": "y" }),
    ];
    let texts = words.into_iter().chain(forms).map(Value::from);
    numbers.into_iter().chain(large).chain(texts).chain(others).collect()
}
