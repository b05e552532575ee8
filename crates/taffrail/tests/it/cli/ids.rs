//! Replaces ids that differ from run to run.

use serde_json::Value;
use std::collections::HashMap;

/// Numbers ids in their order of appearance, because they depend on the random device name.
pub(crate) fn steady_ids(mut value: Value) -> Value {
    let mut known = HashMap::new();
    number(&mut value, &mut known);
    value
}

fn number(value: &mut Value, known: &mut HashMap<String, usize>) {
    match value {
        Value::Object(fields) => fields.values_mut().for_each(|field| number(field, known)),
        Value::Array(items) => items.iter_mut().for_each(|item| number(item, known)),
        Value::String(text) if is_computed(text) => {
            let next = known.len() + 1;
            *text = format!("[id {}]", known.entry(text.clone()).or_insert(next));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Thirty-two hex digits, with or without dashes.
fn is_computed(text: &str) -> bool {
    let digits = text.chars().filter(|it| *it != '-');
    digits.clone().count() == 32 && digits.clone().all(|it| it.is_ascii_hexdigit())
}
