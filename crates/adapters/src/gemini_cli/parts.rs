//! The parts that messages to and from the model are made of.

use super::record::Lenient;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use std::borrow::Cow;

/// Texts that the program itself puts beside what a person writes begin with one of these.
const CONTEXT_TAGS: [&str; 2] = ["<session_context>", "<hook_context>"];

/// A list of parts, which may also be written as a single part or as plain text.
#[derive(Default)]
pub(super) struct Parts(Vec<Part>);

/// One part: a text, a call, an answer, or something that is not text.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Part {
    text: Lenient<String>,
    thought: Lenient<bool>,
    function_call: Lenient<serde::de::IgnoredAny>,
    function_response: Lenient<FunctionResponse>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct FunctionResponse {
    response: Lenient<Answer>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Answer {
    output: Lenient<String>,
    error: Lenient<String>,
}

impl Parts {
    /// There is no part at all.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Some part is of this sort.
    pub(super) fn has(&self, sort: fn(&Part) -> bool) -> bool {
        self.0.iter().any(sort)
    }

    /// The texts of all parts in one, unless there is none.
    pub(super) fn text(&self) -> Option<Cow<'_, str>> {
        joined(self.0.iter().filter_map(Part::said), "")
    }

    /// What tools answered, as far as it is text.
    pub(super) fn answer(&self) -> Option<Cow<'_, str>> {
        joined(self.0.iter().filter_map(Part::answered), "\n")
    }
}

impl Part {
    /// The model calls a tool.
    pub(super) fn is_call(&self) -> bool {
        self.function_call.0.is_some()
    }

    /// A tool answers the model.
    pub(super) fn is_answer(&self) -> bool {
        self.function_response.0.is_some()
    }

    /// It was said or shown by somebody, not put in by the program.
    pub(super) fn is_own(&self) -> bool {
        self.text.0.is_none() || self.said().is_some()
    }

    /// Its text, unless it is a thought or was put in by the program.
    fn said(&self) -> Option<&str> {
        let text = self.text.text()?;
        let injected = CONTEXT_TAGS.iter().any(|tag| text.starts_with(tag));
        (!injected && self.thought.0 != Some(true)).then_some(text)
    }

    fn answered(&self) -> Option<&str> {
        let response = self.function_response.0.as_ref()?;
        let answer = response.response.0.as_ref()?;
        answer.output.text().or(answer.error.text())
    }
}

impl<'de> Deserialize<'de> for Parts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = <&RawValue>::deserialize(deserializer)?.get();
        let parts = match serde_json::from_str::<Vec<&RawValue>>(json) {
            Ok(list) => list.iter().filter_map(|part| part_of(part.get())).collect(),
            Err(_) => part_of(json).into_iter().collect(),
        };
        Ok(Self(parts))
    }
}

fn part_of(json: &str) -> Option<Part> {
    match serde_json::from_str(json) {
        Ok(text) => Some(Part { text: Lenient(Some(text)), ..Part::default() }),
        Err(_) => serde_json::from_str(json).ok(),
    }
}

fn joined<'a>(texts: impl Iterator<Item = &'a str>, between: &str) -> Option<Cow<'a, str>> {
    let texts: Vec<_> = texts.collect();
    match texts.as_slice() {
        [] => None,
        [text] => Some(Cow::Borrowed(text)),
        texts => Some(Cow::Owned(texts.join(between))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_found_in_every_form() {
        let check = |json: &str, expected: Option<&str>| {
            let parts: Parts = serde_json::from_str(json).unwrap();
            assert_eq!(parts.text().as_deref(), expected, "{json}");
        };
        check(r#""plain""#, Some("plain"));
        check(r#"{"text":"one part"}"#, Some("one part"));
        check(r#"[{"text":"two "},"parts",{"inlineData":{}}]"#, Some("two parts"));
        check(r#"[{"text":"mine"},{"text":"<hook_context>not mine"}]"#, Some("mine"));
        check(r#"[{"text":"I muse","thought":true}]"#, None);
        check("[]", None);
        check("null", None);
        check("7", None);
    }
}
