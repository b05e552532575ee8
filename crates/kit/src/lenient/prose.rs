//! Text in any of its written forms.

use super::{Hope, Lenient, Text, lenient};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, SeqAccess};
use std::borrow::Cow;

/// Replaces an image, whose bytes are never read.
const IMAGE: &str = "[image]";

/// A text in one of its forms: a string, a block with a text, or a list of either.
#[derive(Debug, PartialEq, Eq)]
pub struct Prose<'a>(pub Cow<'a, str>);

/// Reads a text in any of its forms; for `deserialize_with`.
pub fn prose<'de, D: Deserializer<'de>>(from: D) -> Result<Text<'de>, D::Error> {
    lenient(from).map(|prose: Option<Prose<'de>>| prose.map(|Prose(text)| text))
}

/// Appends the second text on a new line.
pub fn joined<'a>(first: Text<'a>, second: Text<'a>) -> Text<'a> {
    match (first, second) {
        (Some(first), Some(second)) => {
            let mut out = first.into_owned();
            out.push('\n');
            out.push_str(&second);
            Some(Cow::Owned(out))
        }
        (first, second) => first.or(second),
    }
}

impl<'de> Lenient<'de> for Prose<'de> {
    fn of_text(text: Cow<'de, str>) -> Option<Self> {
        Some(Self(text))
    }

    fn of_list<A: SeqAccess<'de>>(mut list: A) -> Result<Option<Self>, A::Error> {
        let mut out = None;
        while let Some(piece) = list.next_element_seed(Hope::<Self>::default())? {
            let piece = piece.map(|Self(text)| text);
            out = joined(out, piece.filter(|text| !text.is_empty()));
        }
        Ok(out.map(Self))
    }

    fn of_object<A: MapAccess<'de>>(object: A) -> Result<Option<Self>, A::Error> {
        let block = Block::deserialize(MapAccessDeserializer::new(object))?;
        Ok(block.into_text().map(Self))
    }
}

/// A block of a message or of a tool's output.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Block<'a> {
    #[serde(borrow, rename = "type", deserialize_with = "lenient")]
    kind: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    text: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    content: Text<'a>,
}

impl<'a> Block<'a> {
    fn into_text(self) -> Text<'a> {
        let is_image = |kind: Cow<'_, str>| kind.to_ascii_lowercase().contains("image");
        let image = || self.kind.is_some_and(is_image).then_some(Cow::Borrowed(IMAGE));
        self.text.or(self.content).or_else(image)
    }
}

#[cfg(test)]
mod tests {
    use super::super::value_in;
    use super::*;

    #[test]
    fn prose_is_found_however_it_is_packed() {
        let check = |json: &str, expected: Option<&str>| {
            let expected = expected.map(|text| Prose(text.into()));
            assert_eq!(value_in::<Prose<'_>>(json), expected, "{json}");
        };
        check(r#""plain""#, Some("plain"));
        check(r#""a\nb""#, Some("a\nb"));
        check(r#""""#, Some(""));
        check(r#"[{"type":"Text","text":"a"},{"text":"b"}]"#, Some("a\nb"));
        check(r#"["a","","b",""]"#, Some("a\nb"));
        check(r#"[["a"],[{"text":"b"}]]"#, Some("a\nb"));
        check(r#"[{"type":"input_image","image_url":"x"}]"#, Some("[image]"));
        check(r#"{"content":"old","success":true}"#, Some("old"));
        check("[]", None);
        check("[1,null,{}]", None);
        check("null", None);
        check("7.5", None);
    }
}
