//! The text for the search index.

use crate::draft::{Detail, Draft};
use crate::event::{Kind, Origin, is_said};
use crate::text::{TOOL_TEXT_BYTES, cut};
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt;

/// The longest indexed message, in bytes.
pub const SAID_BYTES: usize = 1024 * 1024;

/// Whether search holds the words of an event. The transcript holds the text that a hook repeats; a
/// finding has words of its own.
#[must_use]
pub fn is_searched(origin: &Origin, kind: &Kind) -> bool {
    is_said(origin, kind) || (*origin == Origin::Derived && *kind == Kind::FindingRaised)
}

/// The indexed text of an event: messages nearly whole, and the first 16 KiB of a tool's input or
/// output.
#[must_use]
pub fn searched<'a>(draft: &'a Draft<'_>) -> Cow<'a, str> {
    let text = draft.text.as_deref().unwrap_or_default();
    match (&draft.kind, &draft.detail) {
        (_, Detail::ToolCall { tool, input, input_text, .. }) => {
            let input = match (input, input_text) {
                (Some(input), _) => strings(input.get()),
                (None, Some(input)) => quoted(input),
                (None, None) => Cow::Borrowed(text),
            };
            Cow::Owned(format!("{tool}\n{input}"))
        }
        (Kind::ToolCall, Detail::Told { label, fields, .. }) => {
            let tool = label.as_deref().unwrap_or_default();
            Cow::Owned(format!("{tool}\n{}", told(fields, text)))
        }
        (Kind::ToolResult, _) => Cow::Borrowed(cut(text, TOOL_TEXT_BYTES)),
        _ => Cow::Borrowed(cut(text, SAID_BYTES)),
    }
}

/// The input of a call that another device published.
fn told<'a>(fields: &'a Map<String, Value>, text: &'a str) -> Cow<'a, str> {
    match fields.get("input") {
        Some(Value::String(input)) => quoted(input),
        Some(input) => strings(&input.to_string()),
        None => Cow::Borrowed(text),
    }
}

/// A text, or every string in it if it is JSON: otherwise the escape of a line feed would stick to
/// the first word of the next line.
fn quoted(input: &str) -> Cow<'_, str> {
    let is_json = input.trim_start().starts_with(['{', '['])
        && serde_json::from_str::<&RawValue>(input).is_ok();
    if is_json { strings(input) } else { Cow::Borrowed(cut(input, TOOL_TEXT_BYTES)) }
}

/// Every string in a JSON value, in order, one a line.
fn strings(input: &str) -> Cow<'static, str> {
    let mut out = String::new();
    let mut json = serde_json::Deserializer::from_str(input);
    // Stopping early is an error to serde; the strings found so far count.
    Strings(&mut out).deserialize(&mut json).ok();
    Cow::Owned(out)
}

/// Collects strings up to the limit.
struct Strings<'a>(&'a mut String);

impl Strings<'_> {
    fn push(&mut self, text: &str) {
        let room = TOOL_TEXT_BYTES.saturating_sub(self.0.len() + 1);
        if !self.0.is_empty() {
            self.0.push('\n');
        }
        self.0.push_str(cut(text, room));
    }

    fn is_full(&self) -> bool {
        self.0.len() + 1 >= TOOL_TEXT_BYTES
    }
}

impl<'de> DeserializeSeed<'de> for Strings<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strings<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_str<E: serde::de::Error>(mut self, text: &str) -> Result<(), E> {
        self.push(text);
        if self.is_full() { Err(E::custom("enough")) } else { Ok(()) }
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element_seed(Strings(self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while map.next_key::<IgnoredAny>()?.is_some() {
            map.next_value_seed(Strings(self.0))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RecordKey;

    fn call(input: &str) -> String {
        let raw: Box<RawValue> = serde_json::from_str(input).unwrap();
        let mut draft = Draft::new(RecordKey::Ordinal(1), 0, Kind::ToolCall);
        draft.text = Some("gist".into());
        draft.detail = Detail::ToolCall {
            call_id: "c".into(),
            tool: "Edit".into(),
            input: Some(&raw),
            input_text: None,
        };
        searched(&draft).into_owned()
    }

    #[test]
    fn a_call_is_found_by_every_string_of_its_input() {
        let check = |input: &str, expected: &str| assert_eq!(call(input), expected, "{input}");
        check(r#"{"a":"x\ty","b":[1,{"c":"z"}],"d":null}"#, "Edit\nx\ty\nz");
        check(r#""alone""#, "Edit\nalone");
        check("{}", "Edit\n");
        assert!(call(&format!(r#"["{}","b"]"#, "a".repeat(20_000))).len() <= TOOL_TEXT_BYTES + 5);
    }

    #[test]
    fn json_in_a_text_is_searched_as_json() {
        let check = |text: &str, expected: &str| {
            let mut draft = Draft::new(RecordKey::Ordinal(1), 0, Kind::ToolCall);
            draft.detail = Detail::ToolCall {
                call_id: "c".into(),
                tool: "shell".into(),
                input: None,
                input_text: Some(text.into()),
            };
            assert_eq!(searched(&draft), format!("shell\n{expected}"), "{text}");
        };
        check(r#"{"cmd":["a\nb",1]}"#, "a\nb");
        check(r#"{"cmd":"torn"#, r#"{"cmd":"torn"#);
        check("{ not json }", "{ not json }");
        check("*** Begin Patch\n+x", "*** Begin Patch\n+x");
        check("\"alone\"", "\"alone\"");
    }

    #[test]
    fn output_is_searched_at_its_beginning_and_a_prompt_whole() {
        let text = "ä".repeat(TOOL_TEXT_BYTES);
        let mut draft = Draft::new(RecordKey::Ordinal(1), 0, Kind::ToolResult);
        draft.text = Some(text.as_str().into());
        assert_eq!(searched(&draft).len(), TOOL_TEXT_BYTES);
        draft.kind = Kind::UserPrompt;
        assert_eq!(searched(&draft), text);
    }
}
