//! The documents of `docs/conformance`, and an independent validator of our schemas.

pub(crate) mod recorded;

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use taffrail_contracts::Reading;
use taffrail_contracts::{Contract, Fault, Report, Strictness, schema_of};
use taffrail_contracts::{binding, craft, ecc, event, kit};

/// The folder of a contract's documents.
pub(crate) fn folder(contract: &Contract) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/conformance").join(contract.name)
}

/// The documents of one kind, by name: those that are written by hand, and those that the kit makes.
pub(crate) fn documents(contract: &Contract, kind: &str) -> Vec<(String, Value)> {
    let mut all: BTreeMap<_, _> = made(contract, kind).into_iter().collect();
    all.extend(written(&folder(contract).join(kind)));
    all.into_iter().collect()
}

/// The documents of one kind that the kit makes.
fn made(contract: &Contract, kind: &str) -> Vec<(String, Value)> {
    if kind == "good" || kind == "lenient" {
        return Vec::new();
    }
    let whole = written(&folder(contract).join("good")).into_iter().find(|it| it.0 == "whole");
    let all = kit::generated(contract, &whole.expect("a complete document").1).into_iter();
    let of_kind = all.filter_map(|(path, text)| {
        let (folder, file) = path.rsplit_once('/').unwrap();
        let name = file.strip_suffix(".json").unwrap().to_owned();
        folder.ends_with(kind).then(|| (name, serde_json::from_str(&text).unwrap()))
    });
    of_kind.collect()
}

/// The documents of one folder, by name.
fn written(folder: &Path) -> Vec<(String, Value)> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut out: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "json"))
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (name, serde_json::from_str(&text).unwrap())
        })
        .collect();
    out.sort_by(|a, b| a.0.cmp(&b.0));
    out
}

/// Our schema in a validator by another author.
pub(crate) fn independent(contract: &Contract, strictness: Strictness) -> jsonschema::Validator {
    let schema = schema_of(contract, strictness);
    jsonschema::meta::validate(&schema).expect("the schema is one");
    jsonschema::draft202012::new(&schema).expect("the schema is understood")
}

/// The faults a JSON Schema can express.
pub(crate) fn expressible(contract: &Contract, report: &Report) -> Vec<Fault> {
    let Reading::Shaped { rules, .. } = &contract.reading else { return report.faults.clone() };
    let hidden =
        |fault: &&Fault| rules.iter().any(|rule| rule.name == fault.rule && rule.schema.is_none());
    report.faults.iter().filter(|fault| !hidden(fault)).cloned().collect()
}

/// A document after reading and writing it with our types.
pub(crate) fn through_types(contract: &str, value: &Value) -> serde_json::Result<Value> {
    fn through<T: serde::de::DeserializeOwned + serde::Serialize>(
        value: &Value,
    ) -> serde_json::Result<Value> {
        serde_json::to_value(serde_json::from_value::<T>(value.clone())?)
    }
    match contract {
        "ecc" => through::<ecc::Snapshot>(value),
        "state" => through::<craft::State>(value),
        "binding" => through::<binding::Binding>(value),
        "event" if value.get("kind") == Some(&Value::from("event.removed")) => {
            through::<event::Removed>(value)
        }
        "event" => through::<event::Captured>(value),
        other => Err(serde::de::Error::custom(format!("no types for {other}"))),
    }
}
