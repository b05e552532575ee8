//! Reads JSON whose fields may be of another type tomorrow.
//!
//! The formats of agents are internal and change without notice, so here a field of an unexpected
//! type is an absent value, never an error: only the field is lost, and not its record. Every
//! adapter reads this way:
//!
//! ```text
//! #[derive(Default, Deserialize)]
//! #[serde(default)]
//! struct Answer<'a> {
//!     #[serde(borrow, deserialize_with = "lenient")]
//!     model: Text<'a>,
//!     #[serde(deserialize_with = "lenient")]
//!     tokens: Option<u64>,
//! }
//! made_of_objects! { Answer<'de> }
//!
//! let answer: Option<Answer<'_>> = lenient::record_in(record.bytes);
//! ```
//!
//! Everything is read in one pass, and borrowed where a text has no escapes. Nothing is buffered,
//! which rules out untagged enums and flattened structs: a value with several written forms
//! implements [`Lenient`] for each of them.

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

mod prose;

pub use prose::{Prose, joined, prose};

/// An optional text.
pub type Text<'a> = Option<Cow<'a, str>>;
/// An optional part of a record that is parsed on demand.
pub type Raw<'a> = Option<&'a RawValue>;

/// A value that knows which JSON types it can be built from; for any other type it is `None`.
pub trait Lenient<'de>: Sized {
    /// Builds it from a string.
    fn of_text(_: Cow<'de, str>) -> Option<Self> {
        None
    }

    /// Builds it from `true` or `false`.
    fn of_flag(_: bool) -> Option<Self> {
        None
    }

    /// Builds it from a non-negative integer.
    fn of_whole(_: u64) -> Option<Self> {
        None
    }

    /// Builds it from a negative integer.
    fn of_negative(_: i64) -> Option<Self> {
        None
    }

    /// Builds it from any other number.
    fn of_fraction(_: f64) -> Option<Self> {
        None
    }

    /// Builds it from an array, which must be read to its end.
    fn of_list<A: SeqAccess<'de>>(mut list: A) -> Result<Option<Self>, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    /// Builds it from an object, which must be read to its end.
    fn of_object<A: MapAccess<'de>>(mut object: A) -> Result<Option<Self>, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

/// Builds structs from objects, by their derived implementation.
#[macro_export]
macro_rules! made_of_objects {
    ($($name:ty),+ $(,)?) => {
        $(impl<'de> $crate::lenient::Lenient<'de> for $name {
            fn of_object<A: serde::de::MapAccess<'de>>(
                object: A,
            ) -> Result<Option<Self>, A::Error> {
                let object = serde::de::value::MapAccessDeserializer::new(object);
                <Self as serde::Deserialize>::deserialize(object).map(Some)
            }
        })+
    };
}

pub use crate::made_of_objects;

/// Reads a field; for `deserialize_with`.
pub fn lenient<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Lenient<'de>,
{
    from.deserialize_any(Hope::default())
}

/// Reads a text, with an empty text as absent; for `deserialize_with`.
pub fn filled<'de, D: Deserializer<'de>>(from: D) -> Result<Text<'de>, D::Error> {
    lenient(from).map(|text: Text<'de>| text.filter(|text| !text.is_empty()))
}

/// Reads a field whose absence means its default; for `deserialize_with`.
pub fn or_default<'de, D, T>(from: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Lenient<'de> + Default,
{
    lenient(from).map(Option::unwrap_or_default)
}

/// Reads an integer in any written form; for `deserialize_with`.
///
/// Agents written in JavaScript have one type for all numbers and are not strict about strings.
pub fn whole<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u64>, D::Error> {
    lenient(from).map(|number: Option<Whole>| number.map(|Whole(number)| number))
}

struct Whole(u64);

impl<'de> Lenient<'de> for Whole {
    fn of_text(text: Cow<'de, str>) -> Option<Self> {
        text.trim().parse().ok().map(Self)
    }

    fn of_whole(number: u64) -> Option<Self> {
        Some(Self(number))
    }

    fn of_fraction(number: f64) -> Option<Self> {
        // The cast saturates, so that no number can overflow.
        (number >= 0.0).then_some(Self(number as u64))
    }
}

/// Parses a whole record; `None` if it is torn or of an unsuitable type.
pub fn record_in<'de, T: Lenient<'de>>(bytes: &'de [u8]) -> Option<T> {
    all_of(serde_json::Deserializer::from_slice(bytes))
}

/// Parses JSON in a text, or JSON that was left raw; `None` as for a record.
pub fn value_in<'de, T: Lenient<'de>>(json: &'de str) -> Option<T> {
    all_of(serde_json::Deserializer::from_str(json))
}

fn all_of<'de, R, T>(mut json: serde_json::Deserializer<R>) -> Option<T>
where
    R: serde_json::de::Read<'de>,
    T: Lenient<'de>,
{
    let value = lenient(&mut json).ok()?;
    json.end().ok()?;
    value
}

/// A seed for a `T`, as serde needs it for the elements of a list and the values of an object.
pub struct Hope<T>(PhantomData<T>);

impl<T> Default for Hope<T> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<'de, T: Lenient<'de>> DeserializeSeed<'de> for Hope<T> {
    type Value = Option<T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Lenient<'de>> Visitor<'de> for Hope<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Self::Value, E> {
        Ok(T::of_flag(flag))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        Ok(T::of_whole(number))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        Ok(match u64::try_from(number) {
            Ok(number) => T::of_whole(number),
            Err(_) => T::of_negative(number),
        })
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
        Ok(T::of_fraction(number))
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(T::of_text(Cow::Borrowed(text)))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(T::of_text(Cow::Owned(text.to_owned())))
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
        T::of_list(list)
    }

    fn visit_map<A: MapAccess<'de>>(self, object: A) -> Result<Self::Value, A::Error> {
        T::of_object(object)
    }
}

impl<'de> Lenient<'de> for Cow<'de, str> {
    fn of_text(text: Self) -> Option<Self> {
        Some(text)
    }
}

impl Lenient<'_> for bool {
    fn of_flag(flag: bool) -> Option<Self> {
        Some(flag)
    }
}

impl Lenient<'_> for u64 {
    fn of_whole(number: u64) -> Option<Self> {
        Some(number)
    }
}

impl Lenient<'_> for i64 {
    fn of_whole(number: u64) -> Option<Self> {
        number.try_into().ok()
    }

    fn of_negative(number: i64) -> Option<Self> {
        Some(number)
    }
}

impl Lenient<'_> for f64 {
    fn of_whole(number: u64) -> Option<Self> {
        Some(number as Self)
    }

    fn of_negative(number: i64) -> Option<Self> {
        Some(number as Self)
    }

    fn of_fraction(number: f64) -> Option<Self> {
        Some(number)
    }
}

/// Large and rare values, built from objects.
impl<'de, T: Lenient<'de>> Lenient<'de> for Box<T> {
    fn of_object<A: MapAccess<'de>>(object: A) -> Result<Option<Self>, A::Error> {
        Ok(T::of_object(object)?.map(Self::new))
    }
}

/// A list keeps its positions: an unexpected element leaves a gap.
impl<'de, T: Lenient<'de>> Lenient<'de> for Vec<Option<T>> {
    fn of_list<A: SeqAccess<'de>>(mut list: A) -> Result<Option<Self>, A::Error> {
        // Nearly every list of an agent has exactly one element.
        let mut out = Self::with_capacity(1);
        while let Some(element) = list.next_element_seed(Hope::default())? {
            out.push(element);
        }
        Ok(Some(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default)]
    struct Thing<'a> {
        #[serde(borrow, deserialize_with = "lenient")]
        text: Text<'a>,
        #[serde(borrow, deserialize_with = "filled")]
        words: Text<'a>,
        #[serde(deserialize_with = "lenient")]
        flag: Option<bool>,
        #[serde(deserialize_with = "or_default")]
        number: u64,
        #[serde(borrow, deserialize_with = "lenient")]
        inner: Option<Box<Self>>,
        #[serde(deserialize_with = "lenient")]
        list: Option<Vec<Option<i64>>>,
    }

    made_of_objects! { Thing<'de> }

    /// Values of every type.
    const ODD: [&str; 9] =
        ["null", "true", "3", "-3", "2.5", r#""""#, r#""a\nb""#, r#"[[1],{"a":{}}]"#, r#"{"a":1}"#];

    #[test]
    fn a_surprising_field_costs_itself_only() {
        for odd in ODD {
            for field in ["text", "words", "flag", "number", "inner", "list", "new"] {
                let json = format!(r#"{{"{field}":{odd},"last":[]}}"#);
                assert!(record_in::<Thing<'_>>(json.as_bytes()).is_some(), "{json}");
            }
        }
        let json = r#"{"text":7,"words":"","flag":"yes","number":{},"inner":[1],"list":{}}"#;
        assert_eq!(value_in(json), Some(Thing::default()));
        let json =
            r#"{"text":"","flag":true,"number":5,"list":[1,"2",[],-3],"inner":{"words":"x"}}"#;
        let inner = Thing { words: Some("x".into()), ..Thing::default() };
        let expected = Thing {
            text: Some("".into()),
            flag: Some(true),
            number: 5,
            inner: Some(Box::new(inner)),
            list: Some(vec![Some(1), None, None, Some(-3)]),
            words: None,
        };
        assert_eq!(value_in(json), Some(expected));
    }

    #[test]
    fn a_text_without_escapes_is_borrowed() {
        let check = |json: &str, is_borrowed: bool| {
            let text = value_in::<Cow<'_, str>>(json);
            assert_eq!(matches!(text, Some(Cow::Borrowed(_))), is_borrowed, "{json}");
        };
        check(r#""plain é""#, true);
        check(r#""a\nb""#, false);
    }

    #[test]
    fn only_one_whole_object_is_a_record() {
        let check = |bytes: &[u8], expected: bool| {
            let shown = String::from_utf8_lossy(bytes);
            assert_eq!(record_in::<Thing<'_>>(bytes).is_some(), expected, "{shown}");
        };
        check(br#" {"text":"a"} "#, true);
        check(b"{\"text\":\"\xff\"}", false);
        check(b"{\"other\":\"\xff\"}", true);
        check(br#"{"text":"a"}{"text":"a"}"#, false);
        check(br#"{"text":"a","text":"a"}"#, false);
        check(br#"{"text":"a""#, false);
        check(br#"["a"]"#, false);
        check(br#""a""#, false);
        check(b"", false);
    }

    #[test]
    fn numbers_are_read_as_they_are_asked_for() {
        let check = |json: &str, strict: (Option<u64>, Option<i64>), loose: Option<u64>| {
            assert_eq!((value_in(json), value_in(json)), strict, "{json}");
            assert_eq!(value_in(json).map(|Whole(number)| number), loose, "{json}");
        };
        check("12", (Some(12), Some(12)), Some(12));
        check("-3", (None, Some(-3)), None);
        check("18446744073709551615", (Some(u64::MAX), None), Some(u64::MAX));
        check("12.9", (None, None), Some(12));
        check(r#"" 12""#, (None, None), Some(12));
        check("-0.5", (None, None), None);
        check("1e30", (None, None), Some(u64::MAX));
        check("null", (None, None), None);
        check("true", (None, None), None);
        check(r#""many""#, (None, None), None);
        check(r#"[1,{"a":[2]}]"#, (None, None), None);
        check(r#"{"a":{"b":1}}"#, (None, None), None);
        assert_eq!(value_in::<f64>("-3"), Some(-3.0));
        assert_eq!(value_in::<f64>("2.5"), Some(2.5));
    }
}
