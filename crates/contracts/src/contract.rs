//! The contracts there are, each one row: how it is checked and what its schema is.

use crate::report::{Fault, Level, Report, Strictness};
use crate::shape::{Field, Form, Shape, Unknown};
use crate::{ai_session, binding, check, craft, ecc, event, schema};
use serde_json::{Value, json};

/// A contract.
#[derive(Debug)]
pub struct Contract {
    /// As `--contract` names it, and its folder in `docs/conformance`.
    pub name: &'static str,
    /// As `schema` names it.
    pub schema_name: &'static str,
    /// What its documents are.
    pub title: &'static str,
    /// How its documents are read.
    pub reading: Reading,
}

/// How documents of a contract are read.
#[derive(Debug)]
pub enum Reading {
    /// By a shape, and by rules that join several places.
    Shaped {
        /// The shape, made once.
        shape: fn() -> &'static Shape,
        /// The rules no shape can tell.
        rules: &'static [Rule],
    },
    /// By functions of its own.
    Own {
        /// The check.
        check: fn(&Value, Strictness) -> Report,
        /// The schema, without its head.
        schema: fn(Strictness) -> Value,
        /// The names of its rules.
        rules: fn() -> Vec<(String, Level)>,
    },
}

/// A rule that joins several places of a document.
#[derive(Debug)]
pub struct Rule {
    /// Its name.
    pub name: &'static str,
    /// Its weight.
    pub level: Level,
    /// Where it is broken, and in which words. Silent where the shape is broken already.
    pub broken: fn(&Value) -> Vec<(String, String)>,
    /// What to do.
    pub hint: &'static str,
    /// The same as a schema, where JSON Schema can say it.
    pub schema: Option<fn() -> Value>,
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
        title: "Captured event, or the notice that one no longer stands",
        reading: Reading::Shaped { shape: event::shape, rules: event::RULES },
    },
];

/// The contract of a name, as `--contract` or as `schema` writes it.
#[must_use]
pub fn find(name: &str) -> Option<&'static Contract> {
    ALL.iter().find(|it| it.name == name || it.schema_name == name)
}

/// Checks a document and tells every fault.
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

/// Checks a text: what is no JSON is a fault, too.
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

/// The contract as JSON Schema 2020-12, with what a reading of this strictness asks for and a
/// schema can say.
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

/// Every rule of a contract with its weight, in the order of its documents.
#[must_use]
pub fn rules(contract: &Contract) -> Vec<(String, Level)> {
    match &contract.reading {
        Reading::Own { rules, .. } => rules(),
        Reading::Shaped { shape, rules } => {
            let mut out = Vec::new();
            collect("", shape(), &mut out);
            out.extend(rules.iter().map(|rule| (rule.name.to_owned(), rule.level)));
            let mut seen = std::collections::BTreeSet::new();
            out.retain(|(name, _)| seen.insert(name.clone()));
            out
        }
    }
}

pub(crate) fn collect(place: &str, shape: &Shape, out: &mut Vec<(String, Level)>) {
    let of = if place.is_empty() { "document" } else { place };
    let mut add = |kind: &str, level| out.push((format!("{of}.{kind}"), level));
    if !matches!(shape, Shape::Any) {
        add("type", Level::Must);
    }
    match shape {
        Shape::Any | Shape::Null | Shape::Flag | Shape::Whole(None) | Shape::Number(None) => {}
        Shape::Text(forms) => forms.iter().for_each(|Form { rule, level, .. }| add(rule, *level)),
        Shape::Word(_, level) => add("values", *level),
        Shape::Whole(Some(_)) | Shape::Number(Some(_)) => add("range", Level::Must),
        Shape::List(of) => collect(place, of, out),
        Shape::Map(of) => collect(&joined(place, "*"), of, out),
        Shape::Object(object) => {
            if let Unknown::Refused(level) = object.unknown {
                add("unknown", level);
            }
            for Field { name, need, shape } in &object.fields {
                let place = joined(place, name);
                out.extend(need.map(|level| (format!("{place}.required"), level)));
                collect(&place, shape, out);
            }
        }
        Shape::Either(shapes) => shapes.iter().for_each(|shape| collect(place, shape, out)),
        Shape::Switch(switch) => {
            collect(place, &switch.otherwise, out);
            collect(place, &switch.then, out);
        }
    }
}

fn joined(place: &str, name: &str) -> String {
    if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") }
}
