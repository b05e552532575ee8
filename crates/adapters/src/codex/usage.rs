//! The usage of model answers.
//!
//! Newer versions write one `token_usage_record` per answer and a `token_count` after it; older
//! ones write only the latter, also when only a rate limit changed.

use super::record::{Payload, TokenUsage};
use super::rollout::Reading;
use taffrail_model::hash::{self, Digest16};
use taffrail_model::{Timestamp, Tokens};

/// The purpose under which the keys of answers are hashed.
const PURPOSE: &str = "codex-usage";

impl Reading<'_, '_, '_> {
    /// Reads a `token_usage_record`.
    pub(super) fn token_usage_record(&mut self, record: &Payload<'_>) {
        let (Some(response), Some(usage)) = (record.response_id.as_deref(), &record.usage) else {
            return;
        };
        self.own.usage_is_told = true;
        let key = hash::digest(PURPOSE, &[response.as_bytes()]);
        self.spend(key, tokens(usage));
    }

    /// Reads a `token_count`, which counts only if it changed.
    pub(super) fn token_count(&mut self, event: &Payload<'_>) {
        let Some(info) = &event.info else { return };
        let total = info.total.as_ref().map(tokens);
        if total.is_some() && total == self.own.total {
            return;
        }
        self.own.total = total.or(self.own.total);
        let is_told = std::mem::take(&mut self.own.usage_is_told);
        let last = info.last.as_ref().map(tokens).unwrap_or_default();
        if !is_told && !last.is_zero() {
            let key = self.count_key(total.unwrap_or(last));
            self.spend(key, last);
        }
    }

    /// The key of a count: by its turn, so that its copy in a fork has the same key; for turns
    /// without ids, by its time and the thread's total, which no two counts share.
    fn count_key(&mut self, total: Tokens) -> Digest16 {
        if let Some(turn) = &mut self.own.turn
            && let Some(provider) = &turn.provider
        {
            turn.counted += 1;
            let nth = turn.counted.to_string();
            return hash::digest(PURPOSE, &[provider.as_bytes(), nth.as_bytes()]);
        }
        let thread = self.speaker.session_id();
        let at = self.speaker.time().map_or(0, Timestamp::as_microsecond).to_le_bytes();
        let (input, output) = (total.input.to_le_bytes(), total.output.to_le_bytes());
        let cached = total.cache_read.to_le_bytes();
        hash::digest(PURPOSE, &[thread.as_bytes(), &at, &input, &cached, &output])
    }

    fn spend(&mut self, key: Digest16, tokens: Tokens) {
        self.speaker.keep_guess();
        self.speaker.counted_under(key, tokens);
    }
}

fn tokens(usage: &TokenUsage) -> Tokens {
    let cache_read = usage.cached_input_tokens.unwrap_or_default();
    let cache_write = usage.cache_write_input_tokens.unwrap_or_default();
    let input = usage.input_tokens.unwrap_or_default();
    Tokens {
        output: usage.output_tokens.unwrap_or_default(),
        input: input.saturating_sub(cache_read).saturating_sub(cache_write),
        cache_read,
        cache_write,
        reasoning: usage.reasoning_output_tokens.unwrap_or_default(),
    }
}
