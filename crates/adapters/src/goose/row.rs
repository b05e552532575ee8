//! The row of a message and the JSON inside it, as Goose writes them.

use serde::Deserialize;
use taffrail_kit::lenient::{Text, filled, lenient, made_of_objects, or_default, value_in};
use taffrail_kit::records;
use taffrail_model::{Timestamp, Tokens};

/// A larger number is a time in milliseconds; Goose itself distinguishes them this way.
const FIRST_MILLISECOND: i64 = 10_000_000_000;

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
    MessageRow<'de>, Metadata<'de>, Inference<'de>, UsageCounts,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_and_milliseconds_are_distinguished() {
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
