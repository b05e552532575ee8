//! A shape as JSON Schema 2020-12.

use crate::report::{Level, Strictness};
use crate::shape::{Field, Form, Object, Shape, Switch, Unknown};
use serde_json::{Map, Value, json};

/// The dialect of every schema.
pub const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// A shape as a schema, with the requirements of this strictness.
#[must_use]
pub fn of(shape: &Shape, strictness: Strictness) -> Value {
    match shape {
        Shape::Any => json!({}),
        Shape::Null => json!({ "type": "null" }),
        Shape::Flag => json!({ "type": "boolean" }),
        Shape::Text(forms) => text(forms, strictness),
        Shape::Word(words, level) if level.binds(strictness) => {
            json!({ "type": "string", "enum": words })
        }
        Shape::Word(words, _) => json!({ "type": "string", "examples": words }),
        Shape::Whole(Some(least)) => json!({ "type": "integer", "minimum": least }),
        Shape::Whole(None) => json!({ "type": "integer" }),
        Shape::Number(Some((least, most))) => {
            json!({ "type": "number", "minimum": least, "maximum": most })
        }
        Shape::Number(None) => json!({ "type": "number" }),
        Shape::List(item) => json!({ "type": "array", "items": of(item, strictness) }),
        Shape::Map(item) => {
            json!({ "type": "object", "additionalProperties": of(item, strictness) })
        }
        Shape::Object(shape) => object(shape, strictness),
        Shape::Either(shapes) => {
            let all: Vec<_> = shapes.iter().map(|shape| of(shape, strictness)).collect();
            json!({ "anyOf": all })
        }
        Shape::Switch(it) => switch(it, strictness),
    }
}

fn text(forms: &[Form], strictness: Strictness) -> Value {
    let binding = forms.iter().filter(|form| form.level.binds(strictness));
    let patterns: Vec<_> = binding.map(|form| form.pattern).collect();
    match patterns.as_slice() {
        [] => json!({ "type": "string" }),
        [one] => json!({ "type": "string", "pattern": one }),
        several => {
            let all: Vec<_> = several.iter().map(|it| json!({ "pattern": it })).collect();
            json!({ "type": "string", "allOf": all })
        }
    }
}

fn object(object: &Object, strictness: Strictness) -> Value {
    let properties = object.fields.iter();
    let properties: Map<_, _> =
        properties.map(|field| (field.name.to_owned(), of(&field.shape, strictness))).collect();
    let needed = |field: &&Field| field.need.is_some_and(|level| level.binds(strictness));
    let required: Vec<_> = object.fields.iter().filter(needed).map(|field| field.name).collect();
    let mut out = json!({ "type": "object", "properties": properties, "required": required });
    if refuses(object.unknown, strictness)
        && let Some(out) = out.as_object_mut()
    {
        out.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    out
}

fn refuses(unknown: Unknown, strictness: Strictness) -> bool {
    let level = match unknown {
        Unknown::Kept => Level::Advice,
        Unknown::Refused(level) => level,
    };
    level.binds(strictness)
}

fn switch(switch: &Switch, strictness: Strictness) -> Value {
    let matches = json!({
        "required": [switch.field],
        "properties": { switch.field: { "const": switch.word } },
    });
    json!({
        "type": "object",
        "oneOf": [
            { "allOf": [matches, of(&switch.then, strictness)] },
            { "allOf": [{ "not": matches }, of(&switch.otherwise, strictness)] },
        ],
    })
}
