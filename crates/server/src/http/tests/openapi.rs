//! The description names every route, and every route it names exists.

use super::Machine;
use crate::http::openapi::{PLAIN, description};
use crate::http::routes::ROUTES;
use serde_json::Value;
use std::collections::BTreeSet;

pub(super) fn described() -> Value {
    serde_json::to_value(description()).unwrap()
}

#[test]
fn the_contracts_paths_are_described_beside_ours() {
    let document = described();
    let paths = document["paths"].as_object().unwrap();
    for path in PLAIN {
        assert!(paths.contains_key(path), "{path}");
        assert!(paths.contains_key(path.trim_start_matches("/api")), "{path}");
    }
    assert_eq!(paths.len(), ROUTES.len() + PLAIN.len(), "a path has one row");
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"), "{}", document["openapi"]);
}

#[test]
fn operations_have_names_that_a_generated_client_can_use() {
    let document = described();
    let of = |path: &str, method: &str| document["paths"][path][method]["operationId"].clone();
    assert_eq!(of("/api/sessions", "get"), "listSessions");
    assert_eq!(of("/api/receipts/{id}", "get"), "getReceipt");
    assert_eq!(of("/api/receipts/{id}", "delete"), "cancelPrompt");
    assert_eq!(of("/peers", "get"), "listPeersAlias");
}

#[test]
fn every_method_that_is_described_answers_and_no_other() {
    let machine = Machine::new();
    for (path, item) in described()["paths"].as_object().unwrap() {
        let path = path.replace("{id}", "@last");
        let described: BTreeSet<_> =
            item.as_object().unwrap().keys().map(|it| it.to_uppercase()).collect();
        for method in ["GET", "POST", "PUT", "DELETE", "PATCH"] {
            if described.contains(method) {
                continue;
            }
            let answer = machine.ask(method, &path, "Content-Type: application/json\r\n", "{}");
            assert_eq!(answer.status, 405, "{method} {path}");
            assert_eq!(answer.json()["error"]["kind"], "usage", "{method} {path}");
        }
    }
    assert_eq!(machine.get("/nothing").json()["error"]["kind"], "not_found");
}

/// The types of the pages are generated from this file (`npm run types` in `web/`).
#[test]
#[expect(clippy::disallowed_methods, reason = "only a person asks for new expectations")]
fn the_pages_know_the_routes_as_they_are() {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/openapi.json");
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    if update {
        std::fs::write(&file, serde_json::to_string_pretty(&described()).unwrap() + "\n").unwrap();
    }
    let known: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    assert!(
        known == described(),
        "update it with UPDATE_GOLDEN=1, then run `npm run types` in web/"
    );
}

#[test]
fn everything_that_is_named_is_there() {
    let document = described();
    let mut references = BTreeSet::new();
    references_in(&document, &mut references);
    assert!(references.len() > 20, "{references:?}");
    for reference in references {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
    let mut names = BTreeSet::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let name = operation["operationId"].as_str().unwrap();
            assert!(names.insert(name.to_owned()), "{name} stands twice");
            let summary = operation["summary"].as_str().unwrap_or_default();
            assert!(summary.ends_with('.'), "{method} {path}: {summary}");
            let error = &operation["responses"]["default"]["content"]["application/json"]["schema"];
            assert_eq!(error["$ref"], "#/components/schemas/Envelope", "{method} {path}");
            for part in path.split('/').filter(|it| it.starts_with('{')) {
                let part = part.trim_matches(['{', '}']);
                let parameters = operation["parameters"].as_array().unwrap();
                let found = parameters.iter().any(|it| it["name"] == part && it["in"] == "path");
                assert!(found, "{method} {path}: {part}");
            }
        }
    }
}

fn references_in(value: &Value, out: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            out.extend(fields.get("$ref").and_then(Value::as_str).map(str::to_owned));
            fields.values().for_each(|it| references_in(it, out));
        }
        Value::Array(items) => items.iter().for_each(|it| references_in(it, out)),
        _ => {}
    }
}

/// Where a value does not match a schema.
pub(super) fn faults(document: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let found = document.pointer(reference.strip_prefix('#').unwrap()).unwrap();
        return faults(document, found, value, at);
    }
    for (word, every) in [("oneOf", false), ("anyOf", false), ("allOf", true)] {
        if let Some(parts) = schema[word].as_array() {
            let part = |it: &Value| faults(document, it, value, at);
            let found: Vec<_> = parts.iter().map(part).collect();
            return match every {
                // Each part of a flattened object knows only its own fields.
                true => found.concat().into_iter().filter(|it| !it.ends_with("unknown")).collect(),
                false if found.iter().any(Vec::is_empty) => Vec::new(),
                false => found.concat(),
            };
        }
    }
    let mut out = Vec::new();
    if !is_of_type(&schema["type"], value) {
        out.push(format!("{at}: {value} is no {}", schema["type"]));
    }
    if let Some(words) = schema["enum"].as_array()
        && !words.contains(value)
    {
        out.push(format!("{at}: {value} is none of {words:?}"));
    }
    if let (Some(items), schema) = (value.as_array(), &schema["items"])
        && schema.is_object()
    {
        out.extend(items.iter().flat_map(|it| faults(document, schema, it, &format!("{at}[]"))));
    }
    if let (Some(fields), Some(known)) = (value.as_object(), schema["properties"].as_object()) {
        for (name, field) in fields {
            match known.get(name) {
                Some(schema) => {
                    out.extend(faults(document, schema, field, &format!("{at}.{name}")));
                }
                None => out.push(format!("{at}.{name} is unknown")),
            }
        }
        for name in schema["required"].as_array().into_iter().flatten() {
            if !fields.contains_key(name.as_str().unwrap()) {
                out.push(format!("{at}.{name} is missing"));
            }
        }
    }
    out
}

fn is_of_type(wanted: &Value, value: &Value) -> bool {
    let is = |word: &str| match word {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        other => panic!("{other}"),
    };
    match wanted {
        Value::String(word) => is(word),
        Value::Array(words) => words.iter().any(|it| is(it.as_str().unwrap())),
        _ => true,
    }
}
