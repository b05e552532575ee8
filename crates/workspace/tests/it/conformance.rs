//! Checks the public conformance suite of `.ai-session`: every rule has a document that breaks it,
//! and the check, the schema and the types agree on all documents and on damaged ones.
//!
//! `TAFFRAIL_FULL=1` damages 100,000 documents; `TAFFRAIL_SEED` selects them.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use taffrail_contracts::ai_session::{
    ActiveFeature, Current, HistoryLine, Kind, Plan, kind_of, rules, schema, validate_any,
};
use taffrail_contracts::{Level, Report, Strictness};
use taffrail_testkit::{Chance, Scale};
use taffrail_workspace::{read_yaml, validate_path};

const BOTH: [Strictness; 2] = [Strictness::Lenient, Strictness::Strict];
/// Rules that no schema can express.
const ACROSS: [&str; 2] = ["monotonic", "unique"];
/// Rules about files and folders, not documents.
const OF_FILES: [&str; 6] = [
    "document.yaml",
    "line.json",
    "layout.file",
    "layout.active-features",
    "layout.path",
    "feature_id.folder",
];

fn suite(below: &str) -> Vec<(String, PathBuf)> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/conformance/ai-session").join(below);
    let mut out: Vec<_> = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    out.sort();
    let named = |path: PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        let rule = if path.is_dir() { name } else { name.rsplit_once('.').unwrap().0 };
        (rule.to_owned(), path)
    };
    out.into_iter().map(named).collect()
}

fn broken(report: &Report) -> BTreeSet<String> {
    report.faults.iter().map(|it| it.rule.clone()).collect()
}

#[test]
fn good_documents_conform() {
    for (name, path) in suite("good") {
        for strictness in BOTH {
            let report = validate_path(&path, strictness).unwrap();
            assert_eq!(report, Report::default(), "{name}");
        }
    }
}

#[test]
fn a_careful_reader_takes_what_the_letter_refuses() {
    for (name, path) in suite("lenient").into_iter().chain(suite("strict")) {
        let lenient = validate_path(&path, Strictness::Lenient).unwrap();
        assert_eq!((lenient.faults.len(), lenient.warnings.is_empty()), (0, false), "{name}");
        assert!(!validate_path(&path, Strictness::Strict).unwrap().is_valid(), "{name}");
    }
}

#[test]
fn every_rule_has_a_document_that_breaks_it() {
    let mut known: Vec<_> = rules();
    known.extend(OF_FILES.map(|rule| (rule.to_owned(), Level::Must)));
    for (level, folder) in
        [(Level::Must, "bad"), (Level::Strict, "strict"), (Level::Advice, "warned")]
    {
        let there: BTreeSet<_> = suite(folder).into_iter().map(|it| it.0).collect();
        let of_level = known.iter().filter(|it| it.1 == level).map(|it| it.0.clone());
        // A document that is not an object has no kind.
        let expected: BTreeSet<_> = of_level.filter(|rule| !is_told_apart(rule)).collect();
        assert_eq!(there, expected, "{folder}");
    }
    for (rule, path) in suite("bad").into_iter().chain(suite("strict")) {
        let report = validate_path(&path, Strictness::Strict).unwrap();
        assert!(broken(&report).contains(&rule), "{rule}: {:?}", report.faults);
        assert!(report.faults.iter().all(|it| !it.message.is_empty() && !it.hint.is_empty()));
    }
    for (rule, path) in suite("warned") {
        let report = validate_path(&path, Strictness::Strict).unwrap();
        assert!(report.is_valid() && report.warnings.iter().any(|it| it.rule == rule), "{rule}");
    }
}

/// Whether a rule requires the field that identifies a kind: without it, a document has no kind.
fn is_told_apart(rule: &str) -> bool {
    let marks = [
        "current_state",
        "active_features",
        "phases",
        "error_context",
        "contract_version",
        "command",
    ];
    rule == "document.type" || marks.iter().any(|mark| rule == format!("{mark}.required"))
}

#[test]
fn a_fault_is_told_where_it_is() {
    let check = |file: &str, pointer: &str| {
        let (_, path) = suite("bad").into_iter().find(|it| it.0 == file).unwrap();
        let report = validate_path(&path, Strictness::Lenient).unwrap();
        assert_eq!(report.faults[0].pointer, pointer, "{file}");
    };
    check("current_state.model_in_use.values", "/current_state/model_in_use");
    check("phases.tasks.status.values", "/phases/0/tasks/0/status");
    check("task_id.unique", "/phases/0/tasks/1/task_id");
    check("line.json", "/1");
    check("layout.file", "/ai-orchestrator-2025-01-09/state.yaml");
    check("feature_id.folder", "/other-2025-01-09/state.yaml/feature_id");
}

/// Documents of one value each, parsed.
fn documents(folder: &str) -> Vec<Value> {
    let files = suite(folder).into_iter().filter(|(_, path)| path.is_file());
    let texts = files.map(|(_, path)| std::fs::read_to_string(path).unwrap());
    texts.filter_map(|text| read_yaml(&text).ok()).filter(Value::is_object).collect()
}

fn agree(value: &Value, strictness: Strictness, validator: &jsonschema::Validator) {
    let report = validate_any(value, strictness);
    let across = |rule: &str| ACROSS.iter().any(|it| rule.ends_with(it));
    let by_shape = report.faults.iter().all(|it| across(&it.rule));
    assert_eq!(by_shape, validator.is_valid(value), "{strictness:?} {value} {:?}", report.faults);
    if report.is_valid() {
        assert!(is_typed(value), "{value}");
    }
}

/// Whether a valid document can be read as its type.
fn is_typed(value: &Value) -> bool {
    fn reads<T: serde::de::DeserializeOwned>(value: &Value) -> bool {
        serde_json::from_value::<T>(value.clone()).is_ok()
    }
    match kind_of(value) {
        Some(Kind::State) => reads::<Current>(&value["current_state"]),
        Some(Kind::ActiveFeatures) => reads::<Vec<ActiveFeature>>(&value["active_features"]),
        Some(Kind::Plan) => reads::<Plan>(value),
        Some(Kind::HistoryLine) => reads::<HistoryLine>(value),
        Some(Kind::ErrorContext | Kind::Acknowledgment) => true,
        None => false,
    }
}

#[test]
fn check_schema_and_types_agree() {
    let validators = BOTH.map(|it| jsonschema::validator_for(&schema(it)).expect("a schema"));
    for folder in ["good", "lenient", "bad", "strict", "warned"] {
        for value in documents(folder) {
            BOTH.iter()
                .zip(&validators)
                .for_each(|(strictness, it)| agree(&value, *strictness, it));
        }
    }
}

#[test]
fn they_agree_on_damaged_documents() {
    let scale = Scale::from_env();
    let mut chance = scale.chance("ai-session");
    let validators = BOTH.map(|it| jsonschema::validator_for(&schema(it)).expect("a schema"));
    let good = documents("good");
    for _ in 0..scale.pick(3000, 100_000) {
        let mut value = chance.pick(&good).clone();
        for _ in 0..chance.between(1, 3) {
            damage(&mut value, &mut chance);
        }
        BOTH.iter().zip(&validators).for_each(|(strictness, it)| agree(&value, *strictness, it));
    }
}

/// Changes one place in a value.
fn damage(value: &mut Value, chance: &mut Chance) {
    let go_deeper = !chance.one_in(4);
    match value {
        Value::Object(fields) if !fields.is_empty() && go_deeper => {
            let names: Vec<_> = fields.keys().cloned().collect();
            let name = chance.pick(&names).clone();
            match chance.below(6) {
                0 => drop(fields.remove(&name)),
                1 => drop(fields.insert(name + "x", anything(chance))),
                _ => damage(&mut fields[&name], chance),
            }
        }
        Value::Array(items) if !items.is_empty() && go_deeper => {
            let index = chance.below(items.len());
            match chance.below(6) {
                0 => drop(items.remove(index)),
                1 => items.push(items[index].clone()),
                _ => damage(&mut items[index], chance),
            }
        }
        _ => *value = anything(chance),
    }
}

fn anything(chance: &mut Chance) -> Value {
    let pool = [
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1.0),
        json!(1.5),
        json!(1e300),
        json!([]),
        json!({}),
        json!([7]),
        json!(""),
        json!("opus"),
        json!("gpt"),
        json!("pending"),
        json!("completed"),
        json!("active"),
        json!("success"),
        json!("failure"),
        json!("read"),
        json!("1.0"),
        json!("2.0"),
        json!("2025-01-09"),
        json!("2025-01-09T10:00:00Z"),
        json!("2025-01-09T10:00:00"),
        json!("2025-02-30T10:00:00Z"),
        json!("2025-01-09T10:00:00.123456789+02:00"),
        json!("a\nb"),
        json!("a-2025-01-09"),
        json!("a-2025-02-29"),
        json!("a-2024-02-29\n"),
        json!("A-2024-02-29"),
    ];
    chance.pick(&pool).clone()
}
