//! Tokens, as every document names them.

use serde::{Deserialize, Serialize};
use taffrail_model::Tokens;
use utoipa::ToSchema;

/// Tokens by the names of the contract.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Usage {
    /// Read again.
    pub input_tokens: u64,
    /// Written, reasoning included.
    pub output_tokens: u64,
    /// Read from the provider's cache.
    pub cache_read_tokens: u64,
    /// Written to the provider's cache.
    pub cache_write_tokens: u64,
    /// The part of output spent on reasoning.
    pub reasoning_tokens: u64,
}

impl Usage {
    /// What was sent to the model, from its cache or not.
    #[must_use]
    pub fn read(&self) -> u64 {
        let cached = self.cache_read_tokens.saturating_add(self.cache_write_tokens);
        self.input_tokens.saturating_add(cached)
    }

    /// What was sent and what came back.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.read().saturating_add(self.output_tokens)
    }
}

impl From<Tokens> for Usage {
    fn from(tokens: Tokens) -> Self {
        Self {
            input_tokens: tokens.input,
            output_tokens: tokens.output,
            cache_read_tokens: tokens.cache_read,
            cache_write_tokens: tokens.cache_write,
            reasoning_tokens: tokens.reasoning,
        }
    }
}
