//! One short line that describes a tool call.

use crate::lenient::Hope;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use taffrail_model::text;

/// The fields of a tool's input that describe the call, the best first.
const FIELDS: [&str; 18] = [
    "command",
    "file_path",
    "absolute_path",
    "notebook_path",
    "pattern",
    "url",
    "query",
    "skill",
    "description",
    "subject",
    "prompt",
    "path",
    "filePath",
    "dir_path",
    "question",
    "message",
    "task_id",
    "name",
];
/// The search ends at a field of this rank or better.
const CONCLUSIVE: usize = 7;
/// The most bytes of a gist.
const LONGEST: usize = 280;

/// The gist of a call, by its input; empty if no known field is there.
#[must_use]
pub fn of(input: &RawValue) -> Cow<'_, str> {
    // Deserializing a non-object as an object would copy all of it into an error.
    if !input.get().trim_start().starts_with('{') {
        return Cow::Borrowed("");
    }
    let mut best = None;
    let mut json = serde_json::Deserializer::from_str(input.get());
    // Stopping early is an error to serde; the values found so far count.
    json.deserialize_map(Search { best: &mut best }).ok();
    best.map_or(Cow::Borrowed(""), |(_, found)| first_line(found))
}

fn first_line(found: Cow<'_, str>) -> Cow<'_, str> {
    match found {
        Cow::Borrowed(found) => Cow::Borrowed(short(found)),
        Cow::Owned(found) => Cow::Owned(short(&found).to_owned()),
    }
}

fn short(found: &str) -> &str {
    let line = found.trim_start().lines().next().unwrap_or_default();
    text::cut(line.trim_end(), LONGEST)
}

struct Search<'b, 'de> {
    best: &'b mut Option<(usize, Cow<'de, str>)>,
}

impl<'de> Visitor<'de> for Search<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a tool's input")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut input: A) -> Result<(), A::Error> {
        while let Some(rank) = input.next_key_seed(Rank)? {
            let worst = self.best.as_ref().map_or(FIELDS.len(), |(best, _)| *best);
            if rank >= worst {
                input.next_value::<IgnoredAny>()?;
                continue;
            }
            if let Some(found) = input.next_value_seed(Hope::default())? {
                *self.best = Some((rank, found));
                if rank <= CONCLUSIVE {
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}

/// Reads a field's name as its rank in [`FIELDS`], or as the rank after the last.
struct Rank;

impl<'de> DeserializeSeed<'de> for Rank {
    type Value = usize;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<usize, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Rank {
    type Value = usize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a field's name")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<usize, E> {
        let rank = FIELDS.iter().position(|telling| *telling == name);
        Ok(rank.unwrap_or(FIELDS.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_has_a_gist() {
        let check = |input: &str, expected: &str| {
            let input: Box<RawValue> = serde_json::from_str(input).unwrap();
            assert_eq!(of(&input), expected, "{input}");
        };
        check(r#"{"command":"ls -la","description":"List files"}"#, "ls -la");
        check(r#"{"description":"List files","command":"ls"}"#, "ls");
        check(r#"{"prompt":"Look at all of it.","description":"look"}"#, "look");
        check(r#"{"command":"\n cat <<EOF\nx\nEOF"}"#, "cat <<EOF");
        check(r#"{"old_string":"a","file_path":"/w/a.rs"}"#, "/w/a.rs");
        check(r#"{"command":["ls"],"description":"odd"}"#, "odd");
        check(r#"{"todos":[{"content":"x"}]}"#, "");
        check("{}", "");
        check("[1]", "");
        check("null", "");
        check(&format!(r#"{{"url":"{}"}}"#, "é".repeat(300)), &"é".repeat(140));
    }
}
