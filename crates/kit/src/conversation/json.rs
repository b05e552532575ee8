//! Reads of a JSON value that never fail: what is of another type is absent.

use crate::records;
use serde_json::Value;
use std::borrow::Cow;
use taffrail_model::{Timestamp, Tokens};

/// A number above this is a time in milliseconds, below in seconds.
const FIRST_MILLISECOND: f64 = 100_000_000_000.0;

/// A text at a pointer that is not empty.
pub fn text<'v>(value: &'v Value, pointer: &str) -> Option<&'v str> {
    value.pointer(pointer)?.as_str().filter(|it| !it.is_empty())
}

/// The JSON in a text at a pointer, as databases keep it; a value that is not a text as it is.
pub fn nested(value: &Value, pointer: &str) -> Option<Value> {
    match value.pointer(pointer)? {
        Value::String(text) => serde_json::from_str(text).ok(),
        other => Some(other.clone()),
    }
}

/// The input of a call: JSON in a text, a text that is not JSON, or a value as it is.
pub fn arguments(value: &Value, pointer: &str) -> Option<Value> {
    nested(value, pointer).or_else(|| value.pointer(pointer).cloned())
}

/// The name and the value of a variant, as Rust programs write them: a text, or an object with one member.
pub fn variant(value: &Value) -> (&str, &Value) {
    let single = value.as_object().filter(|it| it.len() == 1).and_then(|it| it.iter().next());
    let name = value.as_str().unwrap_or_default();
    single.map_or((name, &Value::Null), |(name, inner)| (name.as_str(), inner))
}

/// A number at a pointer.
pub fn count(value: &Value, pointer: &str) -> u64 {
    value.pointer(pointer).and_then(Value::as_u64).unwrap_or_default()
}

/// Whether `true` is at a pointer.
pub fn flag(value: &Value, pointer: &str) -> bool {
    value.pointer(pointer) == Some(&Value::Bool(true))
}

/// The elements of a list at a pointer.
pub fn list<'v>(value: &'v Value, pointer: &str) -> &'v [Value] {
    value.pointer(pointer).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// A time at a pointer: a text, or a number of seconds or milliseconds.
pub fn time(value: &Value, pointer: &str) -> Option<Timestamp> {
    time_of(value.pointer(pointer)?)
}

/// A time: a text in UTC unless it says otherwise, or a number of seconds or milliseconds.
pub fn time_of(value: &Value) -> Option<Timestamp> {
    match value {
        Value::String(text) => records::time(text).or_else(|| records::time(&format!("{text}Z"))),
        Value::Number(number) => {
            let number = number.as_f64()?;
            let factor = if number.abs() >= FIRST_MILLISECOND { 1.0 } else { 1000.0 };
            // Out of range becomes the nearest number, which is not a valid time.
            records::time_ms((number * factor) as i64)
        }
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A text as it is, a list of texts and objects with a `text` as lines, anything else as JSON.
pub fn words(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Array(all) => {
            let lines: Vec<_> = all.iter().filter_map(line).collect();
            (!lines.is_empty()).then(|| Cow::Owned(lines.join("\n")))
        }
        Value::Object(_) if text(value, "/text").is_some() => {
            text(value, "/text").map(Cow::Borrowed)
        }
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => Some(Cow::Owned(value.to_string())),
    }
}

fn line(value: &Value) -> Option<&str> {
    value.as_str().or_else(|| text(value, "/text"))
}

/// Counts of tokens, where `input` includes what was read from the cache.
pub fn inclusive(input: u64, output: u64, cache_read: u64, cache_write: u64) -> Tokens {
    let input = input.saturating_sub(cache_read).saturating_sub(cache_write);
    Tokens { input, output, cache_read, cache_write, reasoning: 0 }
}

/// Counts of tokens, where `input` excludes the cache.
pub fn exclusive(input: u64, output: u64, cache_read: u64, cache_write: u64) -> Tokens {
    Tokens { input, output, cache_read, cache_write, reasoning: 0 }
}

/// Dollars as whole millionths.
pub fn microdollars(value: &Value, pointer: &str) -> Option<i64> {
    let dollars = value.pointer(pointer)?.as_f64().filter(|it| *it > 0.0)?;
    Some((dollars * 1_000_000.0).round() as i64)
}

/// The value of a key in lines of `key: value` or `key = "value"`, as simple YAML and TOML have.
pub fn setting<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.lines().find_map(|line| {
        let rest = line.trim_start().strip_prefix(key)?.trim_start();
        let value = rest.strip_prefix([':', '='])?.trim().trim_matches(['"', '\'']);
        (!value.is_empty()).then_some(value)
    })
}

/// The path of a local file's URI. A file on another machine has no path here.
pub fn local_path(uri: &str) -> Option<String> {
    let mut bytes = uri.strip_prefix("file://")?.bytes();
    let mut path = Vec::with_capacity(uri.len());
    while let Some(byte) = bytes.next() {
        path.push(if byte == b'%' {
            let digits = [bytes.next()?, bytes.next()?];
            u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?
        } else {
            byte
        });
    }
    let path = String::from_utf8(path).ok()?;
    // On Windows: `/c:/w`.
    let is_drive = path.get(2..4) == Some(":/");
    Some(if is_drive { path.trim_start_matches('/').to_owned() } else { path })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn times_are_read_in_all_their_forms() {
        let expected = "2026-10-01T10:00:00Z".parse().ok();
        for value in [
            json!("2026-10-01T10:00:00.000Z"),
            json!("2026-10-01T10:00:00"),
            json!(1_790_848_800),
            json!(1_790_848_800.0),
            json!(1_790_848_800_000_u64),
        ] {
            assert_eq!(time_of(&value), expected, "{value}");
        }
        for value in [json!(null), json!("soon"), json!(1e300), json!([1])] {
            assert_eq!(time_of(&value), None, "{value}");
        }
    }

    #[test]
    fn json_within_a_text_is_read() {
        let value = json!({"a": "{\"n\":1}", "b": "ls", "c": {"n": 2}});
        assert_eq!(nested(&value, "/a"), Some(json!({"n": 1})));
        assert_eq!(nested(&value, "/b"), None);
        assert_eq!(nested(&value, "/c"), Some(json!({"n": 2})));
        assert_eq!(arguments(&value, "/b"), Some(json!("ls")));
        assert_eq!(arguments(&value, "/d"), None);
    }

    #[test]
    fn a_variant_is_a_text_or_an_object_with_one_member() {
        assert_eq!(variant(&json!("Resume")), ("Resume", &json!(null)));
        assert_eq!(variant(&json!({"Text": "a"})), ("Text", &json!("a")));
        assert_eq!(variant(&json!({"a": 1, "b": 2})), ("", &json!(null)));
    }

    #[test]
    fn a_local_file_has_a_path() {
        let check = |uri: &str, expected: Option<&str>| {
            assert_eq!(local_path(uri).as_deref(), expected, "{uri}");
        };
        check("file:///w/my%20app", Some("/w/my app"));
        check("file:///w/%C3%A9", Some("/w/é"));
        check("file:///c%3A/w", Some("c:/w"));
        check("file:///w/%", None);
        check("file:///w/%zz", None);
        check("file:///w/%FF", None);
        check("vscode-remote://ssh-remote%2Bbox/w/app", None);
    }

    #[test]
    fn words_are_lines() {
        let check = |value: Value, expected: Option<&str>| {
            assert_eq!(words(&value).as_deref(), expected, "{value}");
        };
        check(json!("a"), Some("a"));
        check(json!([{"type": "text", "text": "a"}, "b", 7]), Some("a\nb"));
        check(json!({"text": "a"}), Some("a"));
        check(json!({"n": 1}), Some(r#"{"n":1}"#));
        check(json!(null), None);
        check(json!([]), None);
    }

    #[test]
    fn a_setting_is_found_in_yaml_and_toml() {
        for text in ["cwd: /w\n", "a: b\n  cwd: '/w'\n", "[chat]\ncwd = \"/w\"\n"] {
            assert_eq!(setting(text, "cwd"), Some("/w"), "{text}");
        }
        assert_eq!(setting("cwd:\ncwds: /w", "cwd"), None);
    }
}
