//! Writes values as YAML in a plain style that every reader accepts: quoted text, one key per line.

use serde_json::{Map, Value};

/// The key orders of the contract.
const ORDERS: [&[&str]; 6] = [
    &["version", "feature_id", "implementation_plan", "history_log", "current_state"],
    &["active_task", "model_in_use", "started_at", "last_updated"],
    &["id", "name", "description", "created_at"],
    &["phase_id", "name", "tasks"],
    &["task_id", "description", "agent", "status", "started_at", "completed_at", "artifacts"],
    &["feature_id", "started_at", "last_active", "status"],
];

/// A document.
pub(crate) fn document(value: &Value) -> String {
    match value {
        Value::Object(fields) if !fields.is_empty() => block(value, 0) + "\n",
        other => flow(other) + "\n",
    }
}

/// A value in block style, its first line without indentation, the others with.
pub(crate) fn block(value: &Value, indent: usize) -> String {
    let pad = " ".repeat(indent);
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            let lines =
                in_order(fields).into_iter().map(|(name, value)| entry(name, value, indent));
            lines.collect::<Vec<_>>().join(&format!("\n{pad}"))
        }
        Value::Array(items) if items.iter().any(is_block) => {
            let lines = items.iter().map(|it| format!("- {}", block(it, indent + 2)));
            lines.collect::<Vec<_>>().join(&format!("\n{pad}"))
        }
        other => flow(other),
    }
}

/// A key with its value.
pub(crate) fn entry(name: &str, value: &Value, indent: usize) -> String {
    let name = key(name);
    if is_block(value) {
        let pad = " ".repeat(indent + 2);
        format!("{name}:\n{pad}{}", block(value, indent + 2))
    } else {
        format!("{name}: {}", flow(value))
    }
}

/// The keys of a map: in the contract's order if it is one of the contract's maps, else alphabetical.
fn in_order(fields: &Map<String, Value>) -> Vec<(&String, &Value)> {
    let mut out: Vec<_> = fields.iter().collect();
    let knows = |order: &&&[&str]| fields.keys().all(|name| order.contains(&name.as_str()));
    if let Some(order) = ORDERS.iter().find(knows) {
        out.sort_by_key(|(name, _)| order.iter().position(|it| it == name));
    }
    out
}

fn is_block(value: &Value) -> bool {
    match value {
        Value::Object(fields) => !fields.is_empty(),
        Value::Array(items) => items.iter().any(is_block),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// A value on one line.
pub(crate) fn flow(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => quoted(text),
        Value::Array(items) => {
            format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => {
            let all = in_order(fields).into_iter();
            let all = all.map(|(name, value)| format!("{}: {}", quoted(name), flow(value)));
            format!("{{{}}}", all.collect::<Vec<_>>().join(", "))
        }
    }
}

/// A key is unquoted only if no reader can mistake it.
fn key(name: &str) -> String {
    let is_plain = |it: char| it.is_ascii_lowercase() || it == '_';
    let is_word = !name.is_empty() && name.chars().all(is_plain);
    let reads_else =
        matches!(name, "true" | "false" | "null" | "yes" | "no" | "on" | "off" | "y" | "n");
    if is_word && !reads_else { name.to_owned() } else { quoted(name) }
}

/// JSON escapes are valid YAML; characters that YAML does not print are escaped too.
fn quoted(text: &str) -> String {
    let json = Value::from(text).to_string();
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            '\u{7f}'..='\u{a0}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{feff}'
            | '\u{fffe}'
            | '\u{ffff}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(character)));
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::read;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn documents_look_as_in_the_contract() {
        let plan = json!({
            "feature": {"id": "x", "name": "a \"b\""},
            "phases": [{"phase_id": "p", "tasks": [{"task_id": "t", "started_at": null, "artifacts": []}]}],
        });
        let expected = "feature:\n  id: \"x\"\n  name: \"a \\\"b\\\"\"\nphases:\n  - phase_id: \"p\"\n    \
            tasks:\n      - task_id: \"t\"\n        started_at: null\n        artifacts: []\n";
        assert_eq!(document(&plan), expected);
    }

    pub(crate) fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-1000_i64..1000).prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            "[a-z:#\\-\\[\\]{}'\" \n]{0,12}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::hash_map("[a-z_ :#-]{0,8}", inner, 0..4)
                    .prop_map(|it| Value::Object(it.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(value in values()) {
            let text = document(&value);
            prop_assert_eq!(read(&text), Ok(value), "{}", text);
        }
    }
}
