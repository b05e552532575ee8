//! Reads JSON whose fields may be of another type than they should be.
//!
//! The agent's format is internal and changes without notice. A field of a surprising type is read
//! as absent, so that it never costs the record it stands in. Text stays borrowed where it can;
//! nothing is buffered, which rules out untagged enums.

use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// A value that knows which JSON types it can be made of; of every other it is `None`.
pub(super) trait Loose<'de>: Sized {
    /// Makes it of a string.
    fn of_text(_: Cow<'de, str>) -> Option<Self> {
        None
    }

    /// Makes it of `true` or `false`.
    fn of_truth(_: bool) -> Option<Self> {
        None
    }

    /// Makes it of a whole number that is not negative.
    fn of_whole(_: u64) -> Option<Self> {
        None
    }

    /// Makes it of any other number.
    fn of_real(_: f64) -> Option<Self> {
        None
    }

    /// Makes it of an array, which must be read to its end.
    fn of_list<A: SeqAccess<'de>>(mut list: A) -> Result<Option<Self>, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    /// Makes it of an object, which must be read to its end.
    fn of_object<A: MapAccess<'de>>(mut object: A) -> Result<Option<Self>, A::Error> {
        while object.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

/// Reads a field loosely; for `deserialize_with`.
pub(super) fn loose<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Loose<'de>,
{
    deserializer.deserialize_any(Hope::new())
}

/// The hope for a `T`, as serde wants it.
pub(super) struct Hope<T>(PhantomData<T>);

impl<T> Hope<T> {
    /// A hope not yet tried.
    pub(super) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<'de, T: Loose<'de>> DeserializeSeed<'de> for Hope<T> {
    type Value = Option<T>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Loose<'de>> Visitor<'de> for Hope<T> {
    type Value = Option<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E: Error>(self, truth: bool) -> Result<Self::Value, E> {
        Ok(T::of_truth(truth))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        Ok(T::of_whole(number))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        Ok(T::of_real(number as f64))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
        Ok(T::of_real(number))
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

impl<'de> Loose<'de> for Cow<'de, str> {
    fn of_text(text: Self) -> Option<Self> {
        Some(text)
    }
}

impl Loose<'_> for bool {
    fn of_truth(truth: bool) -> Option<Self> {
        Some(truth)
    }
}

impl<'de> Loose<'de> for u64 {
    fn of_text(text: Cow<'de, str>) -> Option<Self> {
        text.trim().parse().ok()
    }

    fn of_whole(number: u64) -> Option<Self> {
        Some(number)
    }

    fn of_real(number: f64) -> Option<Self> {
        // The cast saturates, so that no number can overflow.
        (number >= 0.0).then_some(number as Self)
    }
}

impl Loose<'_> for f64 {
    fn of_whole(number: u64) -> Option<Self> {
        Some(number as Self)
    }

    fn of_real(number: f64) -> Option<Self> {
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_however_they_are_written() {
        let check = |json: &str, expected: Option<u64>| {
            let mut deserializer = serde_json::Deserializer::from_str(json);
            assert_eq!(loose(&mut deserializer).ok(), Some(expected), "{json}");
        };
        check("12", Some(12));
        check("12.9", Some(12));
        check(r#""12""#, Some(12));
        check("-3", None);
        check("-0.5", None);
        check("1e30", Some(u64::MAX));
        check("null", None);
        check("true", None);
        check(r#""many""#, None);
        check(r#"[1,{"a":[2]}]"#, None);
        check(r#"{"a":{"b":1}}"#, None);
    }
}
