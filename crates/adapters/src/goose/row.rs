//! The rows of the database and the JSON inside them, as Goose writes them.
//!
//! Every optional field is read leniently: a field of another type than expected is as good as
//! absent, so that one odd field never loses a row.

use crate::records;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use taffrail_model::{Timestamp, Tokens};

/// Above this, a number is a time in milliseconds; Goose itself tells them apart so.
const FIRST_MILLISECOND: i64 = 10_000_000_000;

/// A row of `sessions`.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct SessionRow {
    pub(super) name: Lenient<String>,
    pub(super) description: Lenient<String>,
    pub(super) user_set_name: Lenient<Flag>,
    pub(super) session_type: Lenient<String>,
    pub(super) working_dir: Lenient<String>,
    pub(super) created_at: Lenient<String>,
    pub(super) model_config_json: Lenient<String>,
    pub(super) accumulated_cost: Lenient<f64>,
    pub(super) parent_session_id: Lenient<String>,
}

/// The part of `model_config_json` that is read.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct ModelConfig {
    pub(super) model_name: Lenient<String>,
}

/// A row of `messages`.
#[derive(Deserialize)]
pub(super) struct MessageRow {
    pub(super) id: u64,
    #[serde(default)]
    pub(super) role: Lenient<String>,
    #[serde(default)]
    pub(super) content_json: Lenient<String>,
    #[serde(default)]
    pub(super) created_timestamp: Lenient<i64>,
    #[serde(default)]
    pub(super) metadata_json: Lenient<String>,
}

impl MessageRow {
    /// When it was written.
    pub(super) fn at(&self) -> Option<Timestamp> {
        let number = self.created_timestamp.0?;
        let milliseconds = match number {
            FIRST_MILLISECOND.. => number,
            seconds => seconds.checked_mul(1000)?,
        };
        records::time_ms(milliseconds)
    }

    /// What Goose notes about the message; nothing in rows of old.
    pub(super) fn metadata(&self) -> Metadata {
        inner(self.metadata_json.text().unwrap_or_default())
    }
}

/// The part of `metadata_json` that is read.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Metadata {
    user_visible: Lenient<bool>,
    turn_context: Lenient<bool>,
    inference: Lenient<Inference>,
    pub(super) usage: Lenient<UsageCounts>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Inference {
    requested_model: Lenient<String>,
}

/// The tokens of one answer; `input_tokens` includes what was cached.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct UsageCounts {
    input_tokens: Lenient<u64>,
    output_tokens: Lenient<u64>,
    cache_read_tokens: Lenient<u64>,
    cache_write_tokens: Lenient<u64>,
}

impl UsageCounts {
    /// The same as the product counts them.
    pub(super) fn tokens(&self) -> Tokens {
        let [input, output, read, written] = [
            &self.input_tokens,
            &self.output_tokens,
            &self.cache_read_tokens,
            &self.cache_write_tokens,
        ]
        .map(|count| count.0.unwrap_or(0));
        Tokens {
            output,
            input: input.saturating_sub(read).saturating_sub(written),
            cache_read: read,
            cache_write: written,
            reasoning: 0,
        }
    }
}

impl Metadata {
    /// Goose wrote the row for the model only.
    pub(super) fn is_hidden(&self) -> bool {
        self.user_visible.0 == Some(false) || self.turn_context.0 == Some(true)
    }

    /// The model that was asked.
    pub(super) fn model(&self) -> Option<&str> {
        self.inference.0.as_ref()?.requested_model.text()
    }
}

/// A truth value, which SQLite keeps as a number.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Flag {
    /// As JSON has it.
    Truth(bool),
    /// As SQLite has it.
    Number(i64),
}

impl Flag {
    /// The flag is set.
    pub(super) fn is_set(&self) -> bool {
        match self {
            Self::Truth(truth) => *truth,
            Self::Number(number) => *number != 0,
        }
    }
}

/// Reads a time as SQLite writes it, which is in UTC and does not say so.
pub(super) fn utc(text: &str) -> Option<Timestamp> {
    records::time(text).or_else(|| records::time(&format!("{text}Z")))
}

/// Reads a whole row; `None` if it is not the JSON object it should be.
pub(super) fn row_of<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    // A struct would also be read from a list.
    bytes.trim_ascii_start().strip_prefix(b"{")?;
    serde_json::from_slice(bytes).ok()
}

/// Reads JSON inside a column; anything unreadable says nothing.
pub(super) fn inner<'a, T: Deserialize<'a> + Default>(json: &'a str) -> T {
    serde_json::from_str(json).unwrap_or_default()
}

/// A value, or nothing where another type stands in its place.
pub(super) struct Lenient<T>(pub(super) Option<T>);

impl<T> Default for Lenient<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl Lenient<String> {
    /// The text, unless it is missing or empty.
    pub(super) fn text(&self) -> Option<&str> {
        self.0.as_deref().filter(|text| !text.is_empty())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Lenient<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let json = <&RawValue>::deserialize(deserializer)?;
        Ok(Self(serde_json::from_str(json.get()).ok()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_all_their_forms() {
        let check = |text: &str| {
            let expected: Timestamp = "2026-10-01T10:00:00Z".parse().unwrap();
            assert_eq!(utc(text), Some(expected), "{text}");
        };
        check("2026-10-01 10:00:00");
        check("2026-10-01T10:00:00Z");
        assert_eq!(utc("yesterday"), None);
    }

    #[test]
    fn seconds_and_milliseconds_are_told_apart() {
        let at = |number| {
            let row = format!(r#"{{"id":1,"created_timestamp":{number}}}"#);
            let row: MessageRow = serde_json::from_str(&row).unwrap();
            row.at().map(Timestamp::as_second)
        };
        assert_eq!(at(1_790_000_000_i64), Some(1_790_000_000));
        assert_eq!(at(1_790_000_000_000), Some(1_790_000_000));
        assert_eq!(at(i64::MAX), None);
        assert_eq!(at(i64::MIN), None);
    }
}
