//! Rules that involve several fields of a document, and the names of the rules that a shape implies.

use crate::report::Level;
use crate::shape::{Field, Form, Shape, Unknown};
use serde_json::Value;

/// A rule that involves several fields of a document.
#[derive(Debug)]
pub struct Rule {
    /// Its name.
    pub name: &'static str,
    /// Its level.
    pub level: Level,
    /// The violations: pointer and message of each. Fields with the wrong shape are skipped.
    pub broken: fn(&Value) -> Vec<(String, String)>,
    /// How to fix a violation.
    pub hint: &'static str,
    /// The rule as a schema, if JSON Schema can express it.
    pub schema: Option<fn() -> Value>,
}

/// Collects the names and levels of the rules that a shape implies.
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
