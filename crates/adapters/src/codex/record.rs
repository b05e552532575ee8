//! The records of a rollout as written, borrowed from the line.
//!
//! One flat set of fields serves all frequent types, so that a line is parsed once and without
//! knowing its type. Rarely used fields stay raw until they are needed. Fields that are not named
//! here (instructions, replaced history, encrypted reasoning) are skipped unread.

use super::summary::Words;
use serde::Deserialize;
use serde::de::MapAccess;
use serde::de::value::MapAccessDeserializer;
use taffrail_kit::lenient::{Lenient, Raw, Text, filled, lenient, made_of_objects, prose, whole};

/// A line of a rollout.
#[derive(Debug, Deserialize)]
#[serde(bound(deserialize = "P: Lenient<'de>"))]
pub(super) struct Line<'a, P> {
    /// When it was written.
    #[serde(borrow, default, deserialize_with = "lenient")]
    pub(super) timestamp: Text<'a>,
    /// Its ordinal, in paginated files.
    #[serde(default, deserialize_with = "lenient")]
    pub(super) ordinal: Option<u64>,
    /// The type of the payload.
    #[serde(borrow, default, rename = "type", deserialize_with = "lenient")]
    pub(super) kind: Text<'a>,
    /// The record itself; the bare items of 2025 have none.
    #[serde(default = "Option::default", deserialize_with = "lenient")]
    pub(super) payload: Option<P>,
}

/// The fields of the frequent payloads.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Payload<'a> {
    #[serde(borrow, rename = "type", deserialize_with = "lenient")]
    pub(super) kind: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) id: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) turn_id: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) model: Text<'a>,

    // Tools.
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) call_id: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) name: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) namespace: Text<'a>,
    #[serde(borrow)]
    pub(super) arguments: Raw<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) input: Text<'a>,
    #[serde(borrow)]
    pub(super) action: Raw<'a>,
    #[serde(borrow, deserialize_with = "prose")]
    pub(super) output: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) status: Text<'a>,

    // Messages.
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) message: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) text: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) phase: Text<'a>,
    #[serde(borrow, rename = "kind", deserialize_with = "lenient")]
    pub(super) message_kind: Text<'a>,
    #[serde(borrow)]
    pub(super) images: Raw<'a>,
    #[serde(borrow)]
    pub(super) local_images: Raw<'a>,

    // Items and usage.
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) item: Option<Box<Item<'a>>>,
    #[serde(deserialize_with = "lenient")]
    pub(super) started_at_ms: Option<u64>,
    #[serde(deserialize_with = "lenient")]
    pub(super) completed_at_ms: Option<u64>,
    #[serde(deserialize_with = "lenient")]
    pub(super) info: Option<Box<TokenInfo>>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) rate_limits: Option<Box<RateLimits<'a>>>,
    #[serde(deserialize_with = "lenient")]
    pub(super) usage: Option<Box<TokenUsage>>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) response_id: Text<'a>,
}

/// The fields of payloads that end a turn, fail, or carry a notice. They are rare, so parsing such
/// a line twice is cheaper than parsing every other line with more fields.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RarePayload<'a> {
    #[serde(deserialize_with = "lenient")]
    pub(super) duration_ms: Option<u64>,
    #[serde(deserialize_with = "lenient")]
    pub(super) num_turns: Option<u64>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) reason: Text<'a>,
    #[serde(borrow)]
    pub(super) error: Raw<'a>,
    #[serde(borrow)]
    pub(super) codex_error_info: Raw<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) user_facing_hint: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) revised_prompt: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) agent_path: Text<'a>,
}

/// The payload of `session_meta`, and the header of a bare file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Meta<'a> {
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) id: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) timestamp: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) cwd: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) originator: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) cli_version: Text<'a>,
    #[serde(borrow)]
    pub(super) source: Raw<'a>,
    #[serde(borrow)]
    pub(super) git: Raw<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) session_id: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) parent_thread_id: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) forked_from_id: Text<'a>,
    #[serde(borrow)]
    pub(super) history_base: Raw<'a>,
    #[serde(deserialize_with = "lenient")]
    pub(super) subagent_history_start_ordinal: Option<u64>,
    /// The type of a line without `type`, other than a header.
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) record_type: Text<'a>,
}

/// A message or a thought of a bare file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct BareMessage<'a> {
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) id: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) role: Text<'a>,
    #[serde(borrow, deserialize_with = "prose")]
    pub(super) content: Text<'a>,
    #[serde(borrow, deserialize_with = "prose")]
    pub(super) summary: Text<'a>,
}

/// The fields of every item of `item_completed`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Item<'a> {
    #[serde(borrow, rename = "type", deserialize_with = "lenient")]
    pub(super) kind: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) id: Text<'a>,

    // Messages.
    #[serde(borrow, deserialize_with = "prose")]
    pub(super) content: Text<'a>,
    #[serde(borrow, deserialize_with = "prose")]
    pub(super) fragments: Text<'a>,
    #[serde(borrow, deserialize_with = "prose")]
    pub(super) summary_text: Text<'a>,
    #[serde(borrow, deserialize_with = "prose")]
    pub(super) raw_content: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) text: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) phase: Text<'a>,

    // The input of a tool.
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) command: Option<Words<'a>>,
    #[serde(borrow)]
    pub(super) changes: Raw<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) server: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) tool: Text<'a>,
    #[serde(borrow)]
    pub(super) arguments: Raw<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) prompt: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) query: Text<'a>,
    #[serde(borrow)]
    pub(super) action: Raw<'a>,

    // The result.
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) status: Text<'a>,
    #[serde(deserialize_with = "lenient")]
    pub(super) exit_code: Option<i64>,
    #[serde(deserialize_with = "lenient")]
    pub(super) duration: Option<Duration>,
    #[serde(deserialize_with = "lenient")]
    pub(super) success: Option<bool>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) aggregated_output: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) stdout: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) stderr: Text<'a>,
    #[serde(borrow, deserialize_with = "prose")]
    pub(super) content_items: Text<'a>,
    #[serde(borrow, deserialize_with = "prose")]
    pub(super) receiver_thread_ids: Text<'a>,
    #[serde(borrow)]
    pub(super) result: Raw<'a>,
    #[serde(borrow)]
    pub(super) error: Raw<'a>,

    // Notices.
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) path: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) review: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) user_facing_hint: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) revised_prompt: Text<'a>,
    #[serde(borrow, deserialize_with = "lenient")]
    pub(super) agent_path: Text<'a>,
}

/// How long a command ran.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Duration {
    #[serde(deserialize_with = "lenient")]
    secs: Option<u64>,
    #[serde(deserialize_with = "lenient")]
    nanos: Option<u64>,
}

impl Duration {
    /// The duration in milliseconds.
    pub(super) fn milliseconds(&self) -> u64 {
        let whole = self.secs.unwrap_or_default().saturating_mul(1000);
        whole.saturating_add(self.nanos.unwrap_or_default() / 1_000_000)
    }
}

/// The content of `token_count`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TokenInfo {
    /// The usage of the whole thread so far.
    #[serde(rename = "total_token_usage", deserialize_with = "lenient")]
    pub(super) total: Option<TokenUsage>,
    /// The usage of the last answer.
    #[serde(rename = "last_token_usage", deserialize_with = "lenient")]
    pub(super) last: Option<TokenUsage>,
}

/// The account's limits, as `token_count` repeats them from the last answer's headers.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RateLimits<'a> {
    #[serde(borrow, deserialize_with = "filled")]
    pub(super) limit_id: Text<'a>,
    #[serde(deserialize_with = "lenient")]
    pub(super) primary: Option<RateLimit>,
    #[serde(deserialize_with = "lenient")]
    pub(super) secondary: Option<RateLimit>,
}

/// A window of a limit. Older versions count the seconds that remain.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RateLimit {
    #[serde(deserialize_with = "lenient")]
    pub(super) used_percent: Option<f64>,
    #[serde(deserialize_with = "whole")]
    pub(super) window_minutes: Option<u64>,
    #[serde(deserialize_with = "whole")]
    pub(super) resets_at: Option<u64>,
    #[serde(deserialize_with = "whole")]
    pub(super) resets_in_seconds: Option<u64>,
}

/// Tokens as Codex counts them: input includes cached tokens, output includes reasoning.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TokenUsage {
    #[serde(deserialize_with = "lenient")]
    pub(super) input_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient")]
    pub(super) cached_input_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient")]
    pub(super) cache_write_input_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient")]
    pub(super) output_tokens: Option<u64>,
    #[serde(deserialize_with = "lenient")]
    pub(super) reasoning_output_tokens: Option<u64>,
}

impl<'de, P: Lenient<'de>> Lenient<'de> for Line<'de, P> {
    fn of_object<A: MapAccess<'de>>(object: A) -> Result<Option<Self>, A::Error> {
        Self::deserialize(MapAccessDeserializer::new(object)).map(Some)
    }
}

made_of_objects! {
    Payload<'de>, RarePayload<'de>, Meta<'de>, BareMessage<'de>, Item<'de>, Duration, TokenInfo,
    TokenUsage, RateLimits<'de>, RateLimit,
}

/// Parses a part that was left raw.
pub(super) fn parse<'a, T: Deserialize<'a>>(raw: Raw<'a>) -> Option<T> {
    serde_json::from_str(raw?.get()).ok()
}
