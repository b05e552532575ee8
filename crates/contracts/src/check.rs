//! Validates a document against a shape and reports every difference.

use crate::report::{Fault, Level, Report, Strictness, step};
use crate::shape::{Field, Form, Object, Shape, Switch, Unknown};
use serde_json::{Map, Value};

/// The current position: in the document, and in the names of the rules.
#[derive(Clone, Default)]
struct Place {
    pointer: String,
    rule: String,
}

impl Place {
    fn at(&self, name: &str, rule: &str) -> Self {
        let rule = match (self.rule.as_str(), rule) {
            ("", rule) => rule.to_owned(),
            (outer, "") => outer.to_owned(),
            (outer, rule) => format!("{outer}.{rule}"),
        };
        Self { pointer: step(&self.pointer, name), rule }
    }

    fn rule(&self, kind: &str) -> String {
        let of = if self.rule.is_empty() { "document" } else { &self.rule };
        format!("{of}.{kind}")
    }
}

struct Reading {
    strictness: Strictness,
    report: Report,
}

/// Validates a document against a shape.
#[must_use]
pub fn against(shape: &Shape, value: &Value, strictness: Strictness) -> Report {
    let mut reading = Reading { strictness, report: Report::default() };
    reading.value(&Place::default(), shape, value);
    reading.report
}

impl Reading {
    fn value(&mut self, place: &Place, shape: &Shape, value: &Value) {
        match (shape, value) {
            (Shape::Any, _) | (Shape::Null, Value::Null) | (Shape::Flag, Value::Bool(_)) => {}
            (Shape::Text(forms), Value::String(text)) => self.forms(place, forms, text),
            (Shape::Word(words, level), Value::String(text)) => {
                self.word(place, words, *level, text);
            }
            (Shape::Whole(least), Value::Number(number)) if is_whole(number) => {
                self.least(place, *least, number);
            }
            (Shape::Number(bounds), Value::Number(number)) => self.bounds(place, *bounds, number),
            (Shape::List(of), Value::Array(all)) => {
                for (index, value) in all.iter().enumerate() {
                    self.value(&place.at(&index.to_string(), ""), of, value);
                }
            }
            (Shape::Map(of), Value::Object(all)) => {
                for (name, value) in all {
                    self.value(&place.at(name, "*"), of, value);
                }
            }
            (Shape::Object(object), Value::Object(all)) => self.object(place, object, all),
            (Shape::Switch(switch), Value::Object(_)) => {
                self.value(place, branch(switch, value), value);
            }
            (Shape::Either(shapes), _) => match shapes.iter().find(|it| is_kind_of(it, value)) {
                Some(shape) => self.value(place, shape, value),
                None => self.wrong_type(place, shape, value),
            },
            (
                Shape::Null
                | Shape::Flag
                | Shape::Text(_)
                | Shape::Word(..)
                | Shape::Whole(_)
                | Shape::Number(_)
                | Shape::List(_)
                | Shape::Map(_)
                | Shape::Object(_)
                | Shape::Switch(_),
                _,
            ) => self.wrong_type(place, shape, value),
        }
    }

    fn object(&mut self, place: &Place, object: &Object, all: &Map<String, Value>) {
        for field in &object.fields {
            let place = place.at(field.name, field.name);
            match (all.get(field.name), field.need) {
                (Some(value), _) => self.value(&place, &field.shape, value),
                (None, Some(level)) => self.missing(&place, field, level),
                (None, None) => {}
            }
        }
        let Unknown::Refused(level) = object.unknown else { return };
        let unknown = all.keys().filter(|name| object.fields.iter().all(|it| it.name != **name));
        for name in unknown {
            let message = format!("`{name}` is not a field of this contract.");
            let hint = "Move it into a nested object that is the producer's own.";
            let rule = place.rule("unknown");
            self.note(level, &place.at(name, ""), rule, (message, hint));
        }
    }

    fn missing(&mut self, place: &Place, field: &Field, level: Level) {
        let message = format!("`{}` is missing.", field.name);
        let hint = format!("Add it: {}.", field.shape.wanted());
        self.note(level, place, place.rule("required"), (message, &hint));
    }

    fn wrong_type(&mut self, place: &Place, shape: &Shape, value: &Value) {
        let message = format!("Expected {}, found {}.", shape.wanted(), kind_of(value));
        let hint = format!("Write {}.", shape.wanted());
        self.note(Level::Must, place, place.rule("type"), (message, &hint));
    }

    /// Later forms refine earlier ones, so the first violation is enough.
    fn forms(&mut self, place: &Place, forms: &[Form], text: &str) {
        if let Some(form) = forms.iter().find(|form| !form.fits(text)) {
            let message = format!("{} is not written as the contract asks.", shown(text));
            self.note(form.level, place, place.rule(form.rule), (message, form.hint));
        }
    }

    fn word(&mut self, place: &Place, words: &[&str], level: Level, text: &str) {
        if !words.contains(&text) {
            let message = format!("{} is not among the allowed words.", shown(text));
            let hint = format!("Write one of {}.", words.join(", "));
            self.note(level, place, place.rule("values"), (message, &hint));
        }
    }

    fn least(&mut self, place: &Place, least: Option<i64>, number: &serde_json::Number) {
        let Some(least) = least else { return };
        if number.as_f64().is_some_and(|number| number < least as f64) {
            let message = format!("{number} is below {least}.");
            let hint = format!("Write an integer of at least {least}.");
            self.note(Level::Must, place, place.rule("range"), (message, &hint));
        }
    }

    fn bounds(&mut self, place: &Place, bounds: Option<(f64, f64)>, number: &serde_json::Number) {
        let Some((least, most)) = bounds else { return };
        if number.as_f64().is_some_and(|number| number < least || number > most) {
            let message = format!("{number} is not between {least} and {most}.");
            let hint = format!("Write a number from {least} to {most}.");
            self.note(Level::Must, place, place.rule("range"), (message, &hint));
        }
    }

    fn note(&mut self, level: Level, place: &Place, rule: String, (message, hint): (String, &str)) {
        let pointer = place.pointer.clone();
        let fault = Fault { pointer, rule, message, hint: hint.to_owned() };
        self.report.note(level, self.strictness, fault);
    }
}

/// The selected object.
pub(crate) fn branch<'s>(switch: &'s Switch, value: &Value) -> &'s Shape {
    let word = value.get(switch.field).and_then(Value::as_str);
    if word == Some(switch.word) { &switch.then } else { &switch.otherwise }
}

fn is_kind_of(shape: &Shape, value: &Value) -> bool {
    match shape {
        Shape::Any => true,
        Shape::Null => value.is_null(),
        Shape::Flag => value.is_boolean(),
        Shape::Text(_) | Shape::Word(..) => value.is_string(),
        Shape::Whole(_) => value.as_number().is_some_and(is_whole),
        Shape::Number(_) => value.is_number(),
        Shape::List(_) => value.is_array(),
        Shape::Map(_) | Shape::Object(_) | Shape::Switch(_) => value.is_object(),
        Shape::Either(shapes) => shapes.iter().any(|shape| is_kind_of(shape, value)),
    }
}

/// As in JSON Schema, `1.0` is an integer.
fn is_whole(number: &serde_json::Number) -> bool {
    !number.is_f64() || number.as_f64().is_some_and(|number| number.fract() == 0.0)
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if is_whole(number) => "an integer",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn shown(text: &str) -> String {
    format!("{:?}", taffrail_model::text::cut(text, 80))
}
