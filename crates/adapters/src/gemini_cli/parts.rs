//! The parts of messages to and from the model.

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{IgnoredAny, MapAccess, SeqAccess};
use std::borrow::Cow;
use taffrail_kit::lenient::{Hope, Lenient, Text, filled, lenient, made_of_objects};

/// Prefixes of texts that the program itself adds to a person's prompt.
const CONTEXT_TAGS: [&str; 2] = ["<session_context>", "<hook_context>"];

/// A list of parts, which may also be written as a single part or as plain text.
#[derive(Default)]
pub(super) struct Parts<'a>(Vec<Part<'a>>);

/// One part: a text, a call, an answer, or something that is not text.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Part<'a> {
    #[serde(borrow, deserialize_with = "lenient")]
    text: Text<'a>,
    #[serde(deserialize_with = "lenient")]
    thought: Option<bool>,
    function_call: Option<IgnoredAny>,
    #[serde(borrow, deserialize_with = "lenient")]
    function_response: Option<FunctionResponse<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct FunctionResponse<'a> {
    #[serde(borrow, deserialize_with = "lenient")]
    response: Option<Answer<'a>>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Answer<'a> {
    #[serde(borrow, deserialize_with = "filled")]
    output: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    error: Text<'a>,
}

made_of_objects! { FunctionResponse<'de>, Answer<'de> }

impl<'a> Parts<'a> {
    fn of_one(part: Part<'a>) -> Self {
        Self(vec![part])
    }

    /// Whether there are no parts.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether any part is of this sort.
    pub(super) fn has(&self, sort: fn(&Part<'a>) -> bool) -> bool {
        self.0.iter().any(sort)
    }

    /// The texts of all parts, joined; `None` if there are none.
    pub(super) fn text(&self) -> Option<Cow<'_, str>> {
        joined(self.0.iter().filter_map(Part::said), "")
    }

    /// The results of tools, as far as they are text.
    pub(super) fn answer(&self) -> Option<Cow<'_, str>> {
        joined(self.0.iter().filter_map(Part::answered), "\n")
    }
}

impl Part<'_> {
    /// Whether the part is a tool call.
    pub(super) fn is_call(&self) -> bool {
        self.function_call.is_some()
    }

    /// Whether the part is a tool result.
    pub(super) fn is_answer(&self) -> bool {
        self.function_response.is_some()
    }

    /// Whether the part is from a person or the model, not added by the program.
    pub(super) fn is_own(&self) -> bool {
        self.text.is_none() || self.said().is_some()
    }

    /// The text, unless it is a thought or was added by the program.
    fn said(&self) -> Option<&str> {
        let text = self.text.as_deref().filter(|text| !text.is_empty())?;
        let injected = CONTEXT_TAGS.iter().any(|tag| text.starts_with(tag));
        (!injected && self.thought != Some(true)).then_some(text)
    }

    fn answered(&self) -> Option<&str> {
        let answer = self.function_response.as_ref()?.response.as_ref()?;
        answer.output.as_deref().or(answer.error.as_deref())
    }
}

impl<'de> Lenient<'de> for Parts<'de> {
    fn of_text(text: Cow<'de, str>) -> Option<Self> {
        Part::of_text(text).map(Self::of_one)
    }

    fn of_object<A: MapAccess<'de>>(object: A) -> Result<Option<Self>, A::Error> {
        Ok(Part::of_object(object)?.map(Self::of_one))
    }

    fn of_list<A: SeqAccess<'de>>(mut list: A) -> Result<Option<Self>, A::Error> {
        let mut parts = Vec::with_capacity(1);
        while let Some(part) = list.next_element_seed(Hope::default())? {
            parts.extend(part);
        }
        Ok(Some(Self(parts)))
    }
}

impl<'de> Lenient<'de> for Part<'de> {
    fn of_text(text: Cow<'de, str>) -> Option<Self> {
        Some(Self { text: Some(text), ..Self::default() })
    }

    fn of_object<A: MapAccess<'de>>(object: A) -> Result<Option<Self>, A::Error> {
        Self::deserialize(MapAccessDeserializer::new(object)).map(Some)
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
    use taffrail_kit::lenient::value_in;

    #[test]
    fn text_is_found_in_every_form() {
        let check = |json: &str, expected: Option<&str>| {
            let parts: Parts<'_> = value_in(json).unwrap_or_default();
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
