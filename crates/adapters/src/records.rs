//! What the readers of several agents need for taking records apart.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use taffrail_model::hash::Digest16;
use taffrail_model::{RecordKey, Timestamp, hash};

/// How many equal-time lines are remembered to tell repeated ones apart.
const SAME_TIME_LINES: usize = 1024;
/// The most bytes of unknown fields an event carries.
const EXTRA_BYTES: usize = 4096;

/// Reads an RFC 3339 time as agents write it; anything else is no time.
#[must_use]
pub fn time(text: &str) -> Option<Timestamp> {
    text.parse().ok()
}

/// Reads milliseconds since 1970.
#[must_use]
pub fn time_ms(milliseconds: i64) -> Option<Timestamp> {
    Timestamp::from_millisecond(milliseconds).ok()
}

/// Tells lines apart that have no id: by their hash, and among equal ones by their number.
///
/// Equal lines carry equal times, so only the lines of the latest time are remembered; an equal
/// line that comes back later is the same event again, which is what a replay is.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub struct LineKeys {
    at: Option<Timestamp>,
    seen: Vec<Digest16>,
}

impl LineKeys {
    /// The key of a line that carries this time.
    pub fn key(&mut self, line: &[u8], at: Option<Timestamp>) -> RecordKey<'static> {
        if self.at != at {
            self.at = at;
            self.seen.clear();
        }
        let hash = hash::of_bytes(line);
        let nth = self.seen.iter().filter(|seen| **seen == hash).count();
        if self.seen.len() < SAME_TIME_LINES {
            self.seen.push(hash);
        }
        RecordKey::Line { hash, nth: u32::try_from(nth).unwrap_or(u32::MAX) }
    }
}

/// The fields of a JSON object that an adapter does not read, as far as they are small.
#[must_use]
pub fn extra_fields(object: &[u8], known: &[&str]) -> Map<String, Value> {
    let Ok(fields) = serde_json::from_slice::<Map<String, Value>>(object) else {
        return Map::new();
    };
    let mut room = EXTRA_BYTES;
    fields
        .into_iter()
        .filter(|(name, value)| !known.contains(&name.as_str()) && !value.is_null())
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

    #[test]
    fn equal_lines_of_one_time_are_numbered() {
        let mut keys = LineKeys::default();
        let at = time("2026-10-01T10:00:00.000Z");
        let nth = |key| match key {
            RecordKey::Line { nth, .. } => nth,
            RecordKey::Provider(_) | RecordKey::Ordinal(_) => panic!("not a line"),
        };
        assert_eq!(nth(keys.key(b"a", at)), 0);
        assert_eq!(nth(keys.key(b"b", at)), 0);
        assert_eq!(nth(keys.key(b"a", at)), 1);
        assert_eq!(nth(keys.key(b"a", time("2026-10-01T10:00:01Z"))), 0);
    }

    #[test]
    fn unknown_fields_are_kept_as_far_as_they_fit() {
        let object = format!(r#"{{"a":1,"new":"x","huge":"{}","none":null}}"#, "y".repeat(9000));
        let extra = extra_fields(object.as_bytes(), &["a"]);
        assert_eq!(Value::Object(extra).to_string(), r#"{"new":"x"}"#);
    }
}
