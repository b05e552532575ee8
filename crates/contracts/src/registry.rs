//! The list of contracts: each entry has a validation and a schema.

use crate::report::{Fault, Level, Report, Strictness};
use crate::rule::{self, Rule};
use crate::shape::Shape;
use crate::{ai_session, binding, check, craft, ecc, event, schema};
use serde_json::{Value, json};

/// A contract.
#[derive(Debug)]
pub struct Contract {
    /// Its name in `--contract`, and its folder in `docs/conformance`.
    pub name: &'static str,
    /// Its name in `schema`.
    pub schema_name: &'static str,
    /// The title of its documents.
    pub title: &'static str,
    /// How its documents are validated.
    pub reading: Reading,
}

/// How documents of a contract are validated.
#[derive(Debug)]
pub enum Reading {
    /// By a shape, and by rules that involve several fields.
    Shaped {
        /// The shape, built once.
        shape: fn() -> &'static Shape,
        /// The rules that no shape can express.
        rules: &'static [Rule],
    },
    /// By its own functions.
    Own {
        /// The validation.
        check: fn(&Value, Strictness) -> Report,
        /// The schema, without its head.
        schema: fn(Strictness) -> Value,
        /// The names of its rules.
        rules: fn() -> Vec<(String, Level)>,
    },
}

/// Every contract.
pub static ALL: &[Contract] = &[
    Contract {
        name: "ecc",
        schema_name: "ecc.session.v1",
        title: "Session snapshot, ecc.session.v1",
        reading: Reading::Shaped { shape: ecc::shape, rules: ecc::RULES },
    },
    Contract {
        name: "state",
        schema_name: "session-state-v1",
        title: "Session state 1.0.0",
        reading: Reading::Shaped { shape: craft::shape, rules: craft::RULES },
    },
    Contract {
        name: "ai-session",
        schema_name: "ai-session-v1",
        title: "Documents of an .ai-session directory, version 1.0",
        reading: Reading::Own {
            check: ai_session::validate_any,
            schema: ai_session::schema,
            rules: ai_session::rules,
        },
    },
    Contract {
        name: "binding",
        schema_name: "binding-v1",
        title: "Session binding with its provenance",
        reading: Reading::Shaped { shape: binding::shape, rules: binding::RULES },
    },
    Contract {
        name: "event",
        schema_name: "event-v1",
        title: "Captured event, or the notice that one was removed",
        reading: Reading::Shaped { shape: event::shape, rules: event::RULES },
    },
];

/// The contract with this name, as `--contract` or `schema` spells it.
#[must_use]
pub fn find(name: &str) -> Option<&'static Contract> {
    ALL.iter().find(|it| it.name == name || it.schema_name == name)
}

/// Validates a document and reports every fault.
#[must_use]
pub fn validate(contract: &Contract, value: &Value, strictness: Strictness) -> Report {
    match &contract.reading {
        Reading::Own { check, .. } => check(value, strictness),
        Reading::Shaped { shape, rules } => {
            let mut report = check::against(shape(), value, strictness);
            for rule in *rules {
                for (pointer, message) in (rule.broken)(value) {
                    let (rule_name, hint) = (rule.name.to_owned(), rule.hint.to_owned());
                    let fault = Fault { pointer, rule: rule_name, message, hint };
                    report.note(rule.level, strictness, fault);
                }
            }
            report
        }
    }
}

/// Validates a text. Invalid JSON is a fault too.
#[must_use]
pub fn validate_text(contract: &Contract, text: &str, strictness: Strictness) -> Report {
    match serde_json::from_str(text) {
        Ok(value) => validate(contract, &value, strictness),
        Err(error) => {
            let message = format!("This is not JSON: {error}.");
            let hint = "Write one JSON document in UTF-8.".to_owned();
            let fault =
                Fault { pointer: String::new(), rule: "document.json".to_owned(), message, hint };
            Report { faults: vec![fault], warnings: Vec::new() }
        }
    }
}

/// The contract as JSON Schema 2020-12, as far as JSON Schema can express what this strictness
/// requires.
#[must_use]
pub fn schema_of(contract: &Contract, strictness: Strictness) -> Value {
    let mut body = match &contract.reading {
        Reading::Own { schema, .. } => schema(strictness),
        Reading::Shaped { shape, rules } => {
            let mut body = schema::of(shape(), strictness);
            let said = rules.iter().filter(|rule| rule.level.binds(strictness));
            let said: Vec<_> = said.filter_map(|rule| rule.schema.map(|it| it())).collect();
            if let (false, Some(body)) = (said.is_empty(), body.as_object_mut()) {
                body.insert("allOf".to_owned(), Value::Array(said));
            }
            body
        }
    };
    if let Some(body) = body.as_object_mut() {
        body.insert("$schema".to_owned(), json!(schema::DIALECT));
        body.insert("title".to_owned(), json!(contract.title));
    }
    body
}

/// Every rule of a contract with its level, in document order.
#[must_use]
pub fn rules(contract: &Contract) -> Vec<(String, Level)> {
    match &contract.reading {
        Reading::Own { rules, .. } => rules(),
        Reading::Shaped { shape, rules } => {
            let mut out = Vec::new();
            rule::collect("", shape(), &mut out);
            out.extend(rules.iter().map(|rule| (rule.name.to_owned(), rule.level)));
            let mut seen = std::collections::BTreeSet::new();
            out.retain(|(name, _)| seen.insert(name.clone()));
            out
        }
    }
}
