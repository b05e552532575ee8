//! The rows of the database and the JSON inside them, as Goose writes them.

use crate::lenient::{Lenient, Text, filled, lenient, made_of_objects, or_default, value_in};
use crate::records;
use serde::Deserialize;
use taffrail_model::{Timestamp, Tokens};

/// A larger number is a time in milliseconds; Goose itself distinguishes them this way.
const FIRST_MILLISECOND: i64 = 10_000_000_000;

/// A row of `sessions`.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct SessionRow<'a> {
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) name: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) description: Text<'a>,
    #[serde(deserialize_with = "or_default")]
    pub(super) user_set_name: Flag,
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) session_type: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) working_dir: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) created_at: Text<'a>,
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) model_config_json: Text<'a>,
    #[serde(deserialize_with = "lenient")]
    pub(super) accumulated_cost: Option<f64>,
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) parent_session_id: Text<'a>,
}

/// The part of `model_config_json` that is read.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct ModelConfig<'a> {
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) model_name: Text<'a>,
}

/// A row of `messages`.
#[derive(Deserialize)]
pub(super) struct MessageRow<'a> {
    /// Without its number, a row has no identity.
    #[serde(default, deserialize_with = "lenient")]
    pub(super) id: Option<u64>,
    #[serde(borrow, default, deserialize_with = "filled")]
    pub(super) role: Text<'a>,
    #[serde(borrow, default, deserialize_with = "filled")]
    pub(super) content_json: Text<'a>,
    #[serde(default, deserialize_with = "lenient")]
    pub(super) created_timestamp: Option<i64>,
    #[serde(borrow, default, deserialize_with = "filled")]
    pub(super) metadata_json: Text<'a>,
}

impl MessageRow<'_> {
    /// When it was written.
    pub(super) fn at(&self) -> Option<Timestamp> {
        let number = self.created_timestamp?;
        let milliseconds = match number {
            FIRST_MILLISECOND.. => number,
            seconds => seconds.checked_mul(1000)?,
        };
        records::time_ms(milliseconds)
    }

    /// Goose's notes about the message; empty in rows of earlier versions.
    pub(super) fn metadata(&self) -> Metadata<'_> {
        self.metadata_json.as_deref().and_then(value_in).unwrap_or_default()
    }
}

/// The part of `metadata_json` that is read.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Metadata<'a> {
    #[serde(deserialize_with = "lenient")]
    user_visible: Option<bool>,
    #[serde(deserialize_with = "lenient")]
    turn_context: Option<bool>,
    #[serde(borrow, deserialize_with = "lenient")]
    inference: Option<Inference<'a>>,
    #[serde(deserialize_with = "lenient")]
    pub(super) usage: Option<UsageCounts>,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Inference<'a> {
    #[serde(borrow, deserialize_with = "filled")]
    requested_model: Text<'a>,
}

/// The tokens of one answer; `input_tokens` includes cached tokens.
#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct UsageCounts {
    #[serde(deserialize_with = "or_default")]
    input_tokens: u64,
    #[serde(deserialize_with = "or_default")]
    output_tokens: u64,
    #[serde(deserialize_with = "or_default")]
    cache_read_tokens: u64,
    #[serde(deserialize_with = "or_default")]
    cache_write_tokens: u64,
}

made_of_objects! {
    SessionRow<'de>, ModelConfig<'de>, MessageRow<'de>, Metadata<'de>, Inference<'de>, UsageCounts,
}

impl UsageCounts {
    /// The same in our own counts.
    pub(super) fn tokens(&self) -> Tokens {
        let (read, written) = (self.cache_read_tokens, self.cache_write_tokens);
        Tokens {
            output: self.output_tokens,
            input: self.input_tokens.saturating_sub(read).saturating_sub(written),
            cache_read: read,
            cache_write: written,
            reasoning: 0,
        }
    }
}

impl Metadata<'_> {
    /// Whether Goose wrote the row only for the model.
    pub(super) fn is_hidden(&self) -> bool {
        self.user_visible == Some(false) || self.turn_context == Some(true)
    }

    /// The model that was asked.
    pub(super) fn model(&self) -> Option<&str> {
        self.inference.as_ref()?.requested_model.as_deref()
    }
}

/// A boolean, which SQLite stores as a number.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flag {
    /// Or missing.
    #[default]
    Unset,
    /// `true`, or any number but zero.
    Set,
}

impl Lenient<'_> for Flag {
    fn of_flag(flag: bool) -> Option<Self> {
        Some(if flag { Self::Set } else { Self::Unset })
    }

    fn of_whole(number: u64) -> Option<Self> {
        Self::of_flag(number != 0)
    }

    fn of_negative(_: i64) -> Option<Self> {
        Some(Self::Set)
    }
}

/// Parses a time as SQLite writes it: in UTC, without a marker.
pub(super) fn utc(text: &str) -> Option<Timestamp> {
    records::time(text).or_else(|| records::time(&format!("{text}Z")))
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
            let row: MessageRow<'_> = value_in(&row).unwrap();
            row.at().map(Timestamp::as_second)
        };
        assert_eq!(at(1_790_000_000_i64), Some(1_790_000_000));
        assert_eq!(at(1_790_000_000_000), Some(1_790_000_000));
        assert_eq!(at(i64::MAX), None);
        assert_eq!(at(i64::MIN), None);
    }
}
