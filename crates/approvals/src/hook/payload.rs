//! A payload as the journal keeps it: JSON on one line, of limited length.

use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use std::borrow::Cow;
use std::collections::BTreeMap;
use taffrail_model::journal::PAYLOAD_LIMIT;

/// Strings are cut to each of these lengths in turn until the payload is short enough.
const CUTS: [usize; 4] = [4096, 1024, 256, 64];
/// Fields up to this length stay unchanged, whatever is beside them.
const SMALL: usize = 1024;

/// A payload to keep.
#[derive(Debug)]
pub(super) struct Payload {
    pub(super) json: Box<RawValue>,
    /// True if the payload was longer.
    pub(super) shortened: bool,
}

/// Returns what to keep of the bytes an agent sent: `None` for an empty payload. Text that is not
/// JSON becomes a string, so that it stays visible.
pub(super) fn kept(bytes: &[u8]) -> Option<Payload> {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim();
    if text.is_empty() {
        return None;
    }
    // Text that is not JSON is kept as a string.
    let Ok(raw) = serde_json::from_str::<&RawValue>(text) else { return as_string(text) };
    if text.len() > PAYLOAD_LIMIT {
        return shortened(raw);
    }
    // Line breaks between JSON tokens are only whitespace; inside a string they are escaped.
    let line = if text.contains(['\n', '\r']) {
        Cow::Owned(text.replace(['\n', '\r'], " "))
    } else {
        Cow::Borrowed(text)
    };
    let json = RawValue::from_string(line.into_owned()).ok()?;
    Some(Payload { json, shortened: false })
}

fn as_string(text: &str) -> Option<Payload> {
    let head = cut(text, SMALL);
    let json = to_raw_value(&head).ok()?;
    Some(Payload { json, shortened: head.len() < text.len() })
}

/// Keeps small fields unchanged, and cuts the strings in large ones.
fn shortened(raw: &RawValue) -> Option<Payload> {
    // As above.
    let Ok(fields) = serde_json::from_str::<BTreeMap<Cow<'_, str>, &RawValue>>(raw.get()) else {
        return as_string(raw.get());
    };
    // Values nested too deep to parse are left out.
    let read = |it: &RawValue| serde_json::from_str::<Value>(it.get()).ok();
    let mut fields: BTreeMap<_, _> =
        fields.iter().filter_map(|(name, it)| Some((name.as_ref(), read(it)?))).collect();
    for longest in CUTS {
        fields.values_mut().filter(|it| size(it) > SMALL).for_each(|it| cut_strings(it, longest));
        if let Some(json) = short_enough(&fields) {
            return Some(Payload { json, shortened: true });
        }
    }
    loop {
        // Even with short strings the payload is too long: drop the largest field, then the next.
        let largest = *fields.iter().max_by_key(|(_, it)| size(it))?.0;
        fields.remove(largest);
        if let Some(json) = short_enough(&fields) {
            return Some(Payload { json, shortened: true });
        }
    }
}

fn short_enough(fields: &BTreeMap<&str, Value>) -> Option<Box<RawValue>> {
    to_raw_value(fields).ok().filter(|it| it.get().len() <= PAYLOAD_LIMIT)
}

fn size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        Value::String(text) => text.len() + 2,
        Value::Array(items) => items.iter().map(|it| size(it) + 1).sum::<usize>() + 2,
        Value::Object(fields) => {
            fields.iter().map(|(name, it)| name.len() + size(it) + 4).sum::<usize>() + 2
        }
    }
}

fn cut_strings(value: &mut Value, longest: usize) {
    match value {
        Value::String(text) => {
            if text.len() > longest {
                *text = format!("{}…", cut(text, longest));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|it| cut_strings(it, longest)),
        Value::Object(fields) => fields.values_mut().for_each(|it| cut_strings(it, longest)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn cut(text: &str, longest: usize) -> &str {
    text.get(..text.floor_char_boundary(longest)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn check(sent: &str, expected: Option<(&str, bool)>) {
        let got = kept(sent.as_bytes());
        let got = got.as_ref().map(|it| (it.json.get(), it.shortened));
        assert_eq!(got, expected, "{sent:?}");
    }

    #[test]
    fn json_stays_as_it_was_on_one_line() {
        check(r#"{"b":1,"a":"x\ny","b":2}"#, Some((r#"{"b":1,"a":"x\ny","b":2}"#, false)));
        check("\n{\n\"a\":\r\n1.50}\n", Some(("{ \"a\":  1.50}", false)));
        check("null", Some(("null", false)));
        check(r#"{"a":"\ud800"}"#, Some((r#"{"a":"\ud800"}"#, false)));
    }

    #[test]
    fn silence_leaves_nothing_and_noise_a_string() {
        check("", None);
        check(" \n", None);
        check("{\"a\":", Some((r#""{\"a\":""#, false)));
        check("two\nlines", Some((r#""two\nlines""#, false)));
        let got = kept(b"\xff\xfe").unwrap();
        assert_eq!(got.json.get(), "\"\u{fffd}\u{fffd}\"");
        let long = kept("x".repeat(100_000).as_bytes()).unwrap();
        assert_eq!((long.json.get().len(), long.shortened), (SMALL + 2, true));
    }

    #[test]
    fn the_small_fields_of_a_long_payload_survive() {
        let check = |large: Value| {
            let mut payload = json!({
                "session_id": "8f3a", "hook_event_name": "Stop", "tool_use_id": "toolu_1",
                "background_tasks": [{"id": "a1", "status": "running", "description": "x"}],
            });
            payload["tool_response"] = large;
            let sent = payload.to_string();
            assert!(sent.len() > PAYLOAD_LIMIT);
            let got = kept(sent.as_bytes()).unwrap();
            assert!(got.shortened && got.json.get().len() <= PAYLOAD_LIMIT);
            let mut got: Value = serde_json::from_str(got.json.get()).unwrap();
            let fields = got.as_object_mut().unwrap();
            fields.remove("tool_response");
            payload.as_object_mut().unwrap().remove("tool_response");
            assert_eq!(got, payload);
        };
        check(json!("ü".repeat(200_000)));
        check(json!({"stdout": "x".repeat(3_000_000), "stderr": ""}));
        check(json!(vec!["line"; 100_000]));
        check(json!(vec!["y".repeat(900); 200]));
    }

    #[test]
    fn what_is_nested_too_deep_is_left_out() {
        let deep = format!("{}{}", "[".repeat(70_000), "]".repeat(70_000));
        let got = kept(format!("{{\"session_id\":\"8f3a\",\"deep\":{deep}}}").as_bytes()).unwrap();
        assert_eq!((got.json.get(), got.shortened), (r#"{"session_id":"8f3a"}"#, true));
    }

    proptest! {
        #[test]
        fn whatever_is_sent_fits_on_a_line(bytes in prop::collection::vec(any::<u8>(), 0..300), times in 1_usize..600) {
            if let Some(it) = kept(&bytes.repeat(times)) {
                prop_assert!(it.json.get().len() <= PAYLOAD_LIMIT);
                prop_assert!(!it.json.get().contains(['\n', '\r']));
            }
        }
    }
}
