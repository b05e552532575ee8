//! Fields whose type may change tomorrow: a surprise is an absent value, never an error.
//!
//! Everything is read in one pass and borrowed where the text has no escapes.

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// Answers `None` for the named kinds of JSON values.
macro_rules! absent {
    ($($kind:ident)+) => { $(absent!(@$kind);)+ };
    (@bool) => {
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> { Ok(None) }
    };
    (@number) => {
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> { Ok(None) }
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> { Ok(None) }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> { Ok(None) }
    };
    (@null) => {
        fn visit_unit<E>(self) -> Result<Self::Value, E> { Ok(None) }
    };
    (@string) => {
        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> { Ok(None) }
    };
    (@array) => {
        fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Self::Value, A::Error> {
            while array.next_element::<IgnoredAny>()?.is_some() {}
            Ok(None)
        }
    };
    (@object) => {
        fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
            while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok(None)
        }
    };
}

/// Says what a visitor hopes for; nobody reads it, because nothing is an error.
macro_rules! expecting {
    ($what:literal) => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str($what)
        }
    };
}

/// Reads a string.
pub(super) fn text<'de: 'a, 'a, D>(from: D) -> Result<Option<Cow<'a, str>>, D::Error>
where
    D: Deserializer<'de>,
{
    from.deserialize_any(TextVisitor)
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Option<Cow<'de, str>>;
    expecting!("a string");
    absent!(bool number null array object);

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(text.to_owned())))
    }
}

/// Reads a whole number that fits.
pub(super) fn number<'de, D, N>(from: D) -> Result<Option<N>, D::Error>
where
    D: Deserializer<'de>,
    N: TryFrom<i64> + TryFrom<u64>,
{
    from.deserialize_any(NumberVisitor(PhantomData))
}

struct NumberVisitor<N>(PhantomData<N>);

impl<'de, N: TryFrom<i64> + TryFrom<u64>> Visitor<'de> for NumberVisitor<N> {
    type Value = Option<N>;
    expecting!("a whole number");
    absent!(bool null string array object);

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(N::try_from(number).ok())
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(N::try_from(number).ok())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }
}

/// Reads a truth value.
pub(super) fn flag<'de, D: Deserializer<'de>>(from: D) -> Result<Option<bool>, D::Error> {
    from.deserialize_any(FlagVisitor)
}

struct FlagVisitor;

impl<'de> Visitor<'de> for FlagVisitor {
    type Value = Option<bool>;
    expecting!("true or false");
    absent!(number null string array object);

    fn visit_bool<E>(self, flag: bool) -> Result<Self::Value, E> {
        Ok(Some(flag))
    }
}

/// Reads an object.
pub(super) fn object<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    from.deserialize_any(ObjectVisitor(PhantomData))
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Option<T>;
    expecting!("an object");
    absent!(bool number null string array);

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Self::Value, A::Error> {
        T::deserialize(MapAccessDeserializer::new(object)).map(Some)
    }
}

/// Reads text however it is packed: a string, a block with a text, or an array of either.
pub(super) fn prose<'de: 'a, 'a, D>(from: D) -> Result<Option<Cow<'a, str>>, D::Error>
where
    D: Deserializer<'de>,
{
    from.deserialize_any(ProseVisitor)
}

/// Text however it is packed, where it stands by itself.
#[derive(Debug)]
pub(super) struct Prose<'a>(pub(super) Option<Cow<'a, str>>);

impl<'de: 'a, 'a> Deserialize<'de> for Prose<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        prose(from).map(Self)
    }
}

/// A block of a message or of a tool's output.
#[derive(Default, serde::Deserialize)]
#[serde(default)]
struct Block<'a> {
    #[serde(borrow, rename = "type", deserialize_with = "text")]
    kind: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    text: Option<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    content: Option<Cow<'a, str>>,
}

impl<'a> Block<'a> {
    fn into_text(self) -> Option<Cow<'a, str>> {
        let is_image = |kind: Cow<'_, str>| kind.to_ascii_lowercase().contains("image");
        let image = || self.kind.is_some_and(is_image).then(|| "[image]".into());
        self.text.or(self.content).or_else(image)
    }
}

struct ProseVisitor;

impl<'de> Visitor<'de> for ProseVisitor {
    type Value = Option<Cow<'de, str>>;
    expecting!("text");
    absent!(bool number null);

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(text.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Self::Value, A::Error> {
        let mut out = None;
        while let Some(Prose(piece)) = array.next_element()? {
            out = joined(out, piece);
        }
        Ok(out)
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Self::Value, A::Error> {
        Block::deserialize(MapAccessDeserializer::new(object)).map(Block::into_text)
    }
}

/// Puts the second text on a line below the first.
pub(super) fn joined<'a>(
    first: Option<Cow<'a, str>>,
    second: Option<Cow<'a, str>>,
) -> Option<Cow<'a, str>> {
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

/// Reads a list of words: an array of strings, or one string.
pub(super) fn words<'de: 'a, 'a, D>(from: D) -> Result<Option<Vec<Cow<'a, str>>>, D::Error>
where
    D: Deserializer<'de>,
{
    from.deserialize_any(WordsVisitor)
}

struct WordsVisitor;

impl<'de> Visitor<'de> for WordsVisitor {
    type Value = Option<Vec<Cow<'de, str>>>;
    expecting!("words");
    absent!(bool number null object);

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Some(vec![Cow::Borrowed(text)]))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(vec![Cow::Owned(text.to_owned())]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<Self::Value, A::Error> {
        let mut out = Vec::new();
        while let Some(Prose(word)) = array.next_element()? {
            out.extend(word);
        }
        Ok(Some(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, expected: Option<&str>) {
        let Prose(got) = serde_json::from_str(json).unwrap();
        assert_eq!(got.as_deref(), expected, "{json}");
    }

    #[test]
    fn prose_is_found_however_it_is_packed() {
        check(r#""plain""#, Some("plain"));
        check(r#""a\nb""#, Some("a\nb"));
        check(r#"[{"type":"Text","text":"a"},{"text":"b"}]"#, Some("a\nb"));
        check(r#"["a","b"]"#, Some("a\nb"));
        check(r#"[{"type":"input_image","image_url":"x"}]"#, Some("[image]"));
        check(r#"{"content":"old","success":true}"#, Some("old"));
        check("[]", None);
        check("[1,null,{}]", None);
        check("null", None);
        check("7.5", None);
    }
}
