//! Parsing helpers that the readers of several agents share.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::VecDeque;
use taffrail_model::hash::Digest16;
use taffrail_model::{RecordKey, Timestamp, hash};

/// The most lines of one time that are remembered to number repetitions.
const SAME_TIME_LINES: usize = 64;
/// The longest id that is remembered between records; no agent writes a longer one.
pub const LONGEST_ID: usize = 256;
/// The most bytes of unknown fields an event carries.
const EXTRA_BYTES: usize = 4096;

/// Parses an RFC 3339 time as agents write it.
#[must_use]
pub fn time(text: &str) -> Option<Timestamp> {
    text.parse().ok()
}

/// Reads milliseconds since 1970.
#[must_use]
pub fn time_ms(milliseconds: i64) -> Option<Timestamp> {
    Timestamp::from_millisecond(milliseconds).ok()
}

/// Keys for lines without an id: their hash, and a number among equal lines.
///
/// Equal lines carry equal times, so only the latest lines of the latest time are remembered; an
/// equal line that comes back later is a replay of the same event.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub struct LineKeys {
    at: Option<Timestamp>,
    #[serde(default, with = "packed")]
    seen: VecDeque<LineCount>,
}

/// A line that was read, and how many times. The latest is last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LineCount {
    /// The first half of its hash.
    mark: u64,
    /// How many times.
    times: u32,
}

impl LineKeys {
    /// The key of a line that carries this time.
    pub fn key(&mut self, line: &[u8], at: Option<Timestamp>) -> RecordKey<'static> {
        if self.at != at {
            self.at = at;
            self.seen.clear();
        }
        let hash = hash::of_bytes(line);
        let mark = mark(hash);
        let place = self.seen.iter().rposition(|seen| seen.mark == mark);
        let before = place.and_then(|place| self.seen.remove(place));
        let nth = before.map_or(0, |seen| seen.times);
        if self.seen.len() >= SAME_TIME_LINES {
            self.seen.pop_front();
        }
        self.seen.push_back(LineCount { mark, times: nth.saturating_add(1) });
        RecordKey::Line { hash, nth }
    }
}

fn mark(hash: Digest16) -> u64 {
    // The first half; the shift drops the second.
    (u128::from_be_bytes(hash) >> 64) as u64
}

/// Serializes line counts as one text: for each its mark and its count, in 24 hex digits.
mod packed {
    use super::LineCount;
    use crate::lenient::{Text, lenient};
    use serde::{Deserializer, Serializer};
    use std::collections::VecDeque;
    use std::fmt::Write;

    pub(super) fn serialize<S: Serializer>(
        seen: &VecDeque<LineCount>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let text = seen.iter().fold(String::new(), |mut out, LineCount { mark, times }| {
            // Writing to a String cannot fail.
            write!(out, "{mark:016x}{times:08x}").ok();
            out
        });
        serializer.serialize_str(&text)
    }

    /// A text that cannot be parsed counts as empty.
    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<VecDeque<LineCount>, D::Error> {
        let text: Text<'_> = lenient(deserializer)?;
        Ok(text.as_deref().and_then(unpacked).unwrap_or_default())
    }

    fn unpacked(mut text: &str) -> Option<VecDeque<LineCount>> {
        let mut out = VecDeque::new();
        while !text.is_empty() {
            let (mark, rest) = text.split_at_checked(16)?;
            let (times, rest) = rest.split_at_checked(8)?;
            let mark = u64::from_str_radix(mark, 16).ok()?;
            let times = u32::from_str_radix(times, 16).ok()?;
            out.push_back(LineCount { mark, times });
            text = rest;
        }
        Some(out)
    }
}

/// The fields of a JSON object that an adapter does not read, as far as they are small.
#[must_use]
pub fn extra_fields(object: &[u8], place: &[&str]) -> Map<String, Value> {
    let Ok(fields) = serde_json::from_slice::<Map<String, Value>>(object) else {
        return Map::new();
    };
    let mut room = EXTRA_BYTES;
    fields
        .into_iter()
        .filter(|(name, value)| !place.contains(&name.as_str()) && !value.is_null())
        .filter(|(name, value)| {
            let size = name.len() + value.to_string().len();
            let fits = size <= room;
            room -= if fits { size } else { 0 };
            fits
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nth(keys: &mut LineKeys, line: &str, at: &str) -> u32 {
        match keys.key(line.as_bytes(), time(at)) {
            RecordKey::Line { nth, .. } => nth,
            RecordKey::Provider(_) | RecordKey::Ordinal(_) | RecordKey::Given { .. } => {
                panic!("not a line")
            }
        }
    }

    #[test]
    fn equal_lines_of_one_time_are_numbered() {
        let mut keys = LineKeys::default();
        let at = "2026-10-01T10:00:00.000Z";
        assert_eq!(nth(&mut keys, "a", at), 0);
        assert_eq!(nth(&mut keys, "b", at), 0);
        assert_eq!(nth(&mut keys, "a", at), 1);
        assert_eq!(nth(&mut keys, "a", at), 2);
        assert_eq!(nth(&mut keys, "a", "2026-10-01T10:00:01Z"), 0);
    }

    #[test]
    fn lines_are_told_apart_across_a_save_that_stays_small() {
        let mut keys = LineKeys::default();
        for number in 0..1000 {
            assert_eq!(nth(&mut keys, "often", ""), number);
            assert_eq!(nth(&mut keys, &format!("line {number}"), ""), 0);
            let saved = serde_json::to_string(&keys).unwrap();
            assert!(saved.len() < 1600, "{} bytes", saved.len());
            keys = serde_json::from_str(&saved).unwrap();
        }
    }

    #[test]
    fn a_memory_of_lines_that_cannot_be_read_is_none() {
        for seen in ["[[1,2]]", "7", r#""12""#, r#""zz""#, r#""ééééééééééééé""#] {
            let keys: LineKeys = serde_json::from_str(&format!(r#"{{"seen":{seen}}}"#)).unwrap();
            assert!(keys.seen.is_empty(), "{seen}");
        }
    }

    #[test]
    fn unknown_fields_are_kept_as_far_as_they_fit() {
        let object = format!(r#"{{"a":1,"new":"x","huge":"{}","none":null}}"#, "y".repeat(9000));
        let extra = extra_fields(object.as_bytes(), &["a"]);
        assert_eq!(Value::Object(extra).to_string(), r#"{"new":"x"}"#);
    }
}
