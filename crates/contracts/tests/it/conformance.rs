//! Checks the public conformance suite: every rule has a document that breaks only this rule, and
//! check, schema and types agree on all documents.

use crate::support;

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use support::{documents, expressible, independent, through_types};
use taffrail_contracts::kit::folder_of;
use taffrail_contracts::{ALL, Contract, Level, Reading, Strictness, find};
use taffrail_contracts::{rules, validate};

const BOTH: [Strictness; 2] = [Strictness::Lenient, Strictness::Strict];

#[test]
fn good_documents_conform() {
    for contract in shaped() {
        let good = documents(contract, "good");
        assert!(good.len() > 2, "{}", contract.name);
        for (name, value) in good {
            for strictness in BOTH {
                let report = validate(contract, &value, strictness);
                assert_eq!(report.faults, [], "{} {name} {strictness:?}", contract.name);
            }
        }
    }
}

#[test]
fn what_examples_do_is_allowed_with_a_warning() {
    for contract in shaped() {
        let lenient = documents(contract, "lenient");
        assert!(!lenient.is_empty(), "{}", contract.name);
        for (name, value) in lenient {
            let report = validate(contract, &value, Strictness::Lenient);
            assert_eq!(report.faults, [], "{} {name}", contract.name);
            assert!(!report.warnings.is_empty(), "{} {name}", contract.name);
            assert!(!validate(contract, &value, Strictness::Strict).is_valid(), "{name}");
        }
    }
}

#[test]
fn every_rule_has_a_document_that_breaks_it() {
    for contract in shaped() {
        for level in [Level::Must, Level::Strict, Level::Advice] {
            let of_level = rules(contract).into_iter().filter(|it| it.1 == level);
            let expected: BTreeSet<_> = of_level.map(|it| it.0).collect();
            let there = documents(contract, folder_of(level)).into_iter().map(|it| it.0);
            assert_eq!(there.collect::<BTreeSet<_>>(), expected, "{} {level:?}", contract.name);
        }
    }
}

#[test]
fn a_bad_document_breaks_the_rule_it_is_named_after() {
    for contract in shaped() {
        let known = rules(contract);
        for level in [Level::Must, Level::Strict, Level::Advice] {
            for (name, value) in documents(contract, folder_of(level)) {
                assert!(known.contains(&(name.clone(), level)), "{}: {name}", contract.name);
                for strictness in BOTH {
                    check_broken(contract, (&name, level), &value, strictness);
                }
            }
        }
    }
}

fn check_broken(contract: &Contract, (rule, level): (&str, Level), value: &Value, how: Strictness) {
    let report = validate(contract, value, how);
    let (told, silent) = match level.binds(how) {
        true => (&report.faults, &report.warnings),
        false => (&report.warnings, &report.faults),
    };
    let about = format!("{} {rule} {how:?}: {report:?}", contract.name);
    assert!(told.iter().any(|fault| fault.rule == rule), "{about}");
    assert!(silent.iter().all(|fault| fault.rule != rule), "{about}");
    assert_eq!(report.is_valid(), !level.binds(how), "{about}");
    for fault in told.iter().filter(|fault| fault.rule != rule) {
        let derived = fault.rule.ends_with(".derived") || fault.rule.ends_with(".known");
        assert!(derived || fault.rule.starts_with("status."), "it breaks another rule: {about}");
    }
    for fault in told {
        assert!(fault.message.ends_with('.') && fault.hint.ends_with('.'), "{about}");
        let place = fault.pointer.rsplit_once('/').map_or("", |(place, _)| place);
        assert!(value.pointer(place).is_some(), "{about}");
    }
}

#[test]
fn an_independent_validator_agrees_on_every_document() {
    let mut seen = 0;
    for contract in shaped() {
        for strictness in BOTH {
            let independent = independent(contract, strictness);
            for kind in ["good", "lenient", "bad", "strict", "warned"] {
                for (name, value) in documents(contract, kind) {
                    let report = validate(contract, &value, strictness);
                    let ours = expressible(contract, &report).is_empty();
                    let theirs = independent.is_valid(&value);
                    assert_eq!(ours, theirs, "{} {kind}/{name} {strictness:?}", contract.name);
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 400, "{seen}");
}

#[test]
fn types_read_and_write_what_conforms() {
    for contract in shaped() {
        for kind in ["good", "lenient", "strict", "warned"] {
            for (name, value) in documents(contract, kind) {
                let again = through_types(contract.name, &value);
                assert_eq!(again.as_ref().unwrap(), &value, "{} {kind}/{name}", contract.name);
            }
        }
    }
}

#[test]
fn another_major_version_is_refused_and_a_minor_one_is_not() {
    let check = |contract: &str, field: &str, version: &str, expected: Option<&str>| {
        let contract = find(contract).unwrap();
        let good = documents(contract, "good");
        let mut value = good.into_iter().find(|(name, _)| name == "whole").unwrap().1;
        value[field] = version.into();
        let report = validate(contract, &value, Strictness::Lenient);
        let rule = report.faults.first().map(|fault| fault.rule.as_str());
        assert_eq!(rule, expected, "{version}");
    };
    check("state", "schema_version", "1.0.0", None);
    check("state", "schema_version", "1.9.3", None);
    check("state", "schema_version", "2.0.0", Some("schema_version.major"));
    check("state", "schema_version", "10.0.0", Some("schema_version.major"));
    check("state", "schema_version", "1", Some("schema_version.semver"));
    check("ecc", "schemaVersion", "ecc.session.v1", None);
    check("ecc", "schemaVersion", "ecc.session.v2", Some("schemaVersion.values"));
}

/// Contracts of single JSON documents; directories have their own suite.
fn shaped() -> impl Iterator<Item = &'static Contract> {
    ALL.iter().filter(|it| matches!(it.reading, Reading::Shaped { .. }))
}

/// The page that lists a test for each rule names only existing tests.
#[test]
fn the_page_of_contracts_names_tests_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/contracts.md")).unwrap();
    let mut code = String::new();
    code_below(&root.join("crates"), &mut code);
    let names: Vec<_> = page
        .split('`')
        .skip(1)
        .step_by(2)
        .filter(|it| {
            it.matches('_').count() > 2 && it.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
        })
        .filter(|it| *it != "current_executor_peer_id" && *it != "observed_by_peer_id")
        .collect();
    assert!(names.len() > 40, "{names:?}");
    for name in names {
        assert!(code.contains(&format!("fn {name}(")), "{name}");
    }
    let files = page.split('`').skip(1).step_by(2).filter_map(|it| it.strip_suffix(".json"));
    for (kind, name) in files.filter_map(|it| it.rsplit_once('/')) {
        let has = |contract| documents(contract, kind).iter().any(|it| it.0 == name);
        assert!(shaped().any(has), "{kind}/{name}");
    }
}

fn code_below(folder: &Path, out: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            code_below(&path, out);
        } else if path.extension().is_some_and(|it| it == "rs") {
            out.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
}
