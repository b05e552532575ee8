//! Redacts JSON, where a name and its value are separate.

use super::replace::{find, redact, replace};
use serde_json::Value;
use std::borrow::Cow;
use std::ops::Range;

/// The deepest JSON that is read; anything deeper is removed whole.
const DEPTH_LIMIT: usize = 64;

/// The value of a field with its secrets replaced: the name helps where the value alone does not.
#[must_use]
pub fn redact_field<'a>(name: &str, value: &'a str) -> Cow<'a, str> {
    if name.is_empty() {
        return redact(value);
    }
    let before = format!("{name}: \"");
    let inside = |(range, kind): (Range<usize>, _)| {
        let begin = range.start.checked_sub(before.len())?;
        Some((begin..(range.end - before.len()).min(value.len()), kind))
    };
    let found: Vec<_> =
        find(&format!("{before}{value}\"")).into_iter().filter_map(inside).collect();
    replace(value, &found)
}

/// Replaces the secrets in every string of a JSON value, including the names of fields.
pub fn redact_value(value: &mut Value) {
    within("", value, 0);
}

fn within(name: &str, value: &mut Value, depth: usize) {
    if depth > DEPTH_LIMIT {
        *value = Value::Null;
        return;
    }
    match value {
        Value::String(text) => {
            if let Cow::Owned(new) = redact_field(name, text) {
                *text = new;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|it| within(name, it, depth + 1)),
        Value::Object(fields) => {
            fields.iter_mut().for_each(|(name, it)| within(name, it, depth + 1));
            if fields.keys().any(|it| !find(it).is_empty()) {
                let old = std::mem::take(fields);
                fields.extend(old.into_iter().map(|(name, it)| (redact(&name).into_owned(), it)));
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_name_tells_what_its_value_is() {
        let drawn = ["q8Zt4nWc0R", "jX2mLp7Vb1"].concat();
        let check = |mut value: Value, expected: Value| {
            redact_value(&mut value);
            assert_eq!(value, expected);
        };
        check(json!({"api_key": drawn}), json!({"api_key": "[redacted:secret]"}));
        check(json!({"name": drawn}), json!({"name": drawn}));
        check(json!({"password": ["hunter2", 7]}), json!({"password": ["[redacted:password]", 7]}));
        check(
            json!({"command": format!("API_KEY={drawn} make")}),
            json!({"command": "API_KEY=[redacted:secret] make"}),
        );
        check(
            json!({"headers": {"Authorization": format!("Bearer {drawn}")}}),
            json!({"headers": {"Authorization": "Bearer [redacted:authorization]"}}),
        );
        let token = format!("ghp_{}", "a1B2c3D4e5F6".repeat(3));
        check(json!({(token): 1}), json!({"[redacted:github-token]": 1}));
        check(
            json!({"max_tokens": 4096, "token": "none"}),
            json!({"max_tokens": 4096, "token": "none"}),
        );
    }
}
