//! The prices of one rule, and what they become for a long prompt.

use crate::Price;
use serde::{Deserialize, Serialize};

/// Prices by kind of token. A cache price that is missing is the input price.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rates {
    /// Input that was not cached.
    pub input: Price,
    /// Output, including reasoning.
    pub output: Price,
    /// Read from the provider's cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<Price>,
    /// Written to the cache for five minutes, or for as long as the provider likes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_5m: Option<Price>,
    /// Written to the cache for an hour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_1h: Option<Price>,
}

/// Prices for a whole answer whose prompt is longer than `above`; what is missing is the rule's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tier {
    /// The tokens of the prompt, cached ones included, above which the tier applies.
    pub above: u64,
    /// Input that was not cached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Price>,
    /// Output, including reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Price>,
    /// Read from the provider's cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read: Option<Price>,
    /// Written to the cache for five minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_5m: Option<Price>,
    /// Written to the cache for an hour.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write_1h: Option<Price>,
}

impl Rates {
    /// These prices as a tier changes them.
    #[must_use]
    pub fn in_tier(self, tier: &Tier) -> Self {
        Self {
            input: tier.input.unwrap_or(self.input),
            output: tier.output.unwrap_or(self.output),
            cache_read: tier.cache_read.or(self.cache_read),
            cache_write_5m: tier.cache_write_5m.or(self.cache_write_5m),
            cache_write_1h: tier.cache_write_1h.or(self.cache_write_1h),
        }
    }

    /// What a token read from the cache costs.
    #[must_use]
    pub fn of_cache_read(&self) -> Price {
        self.cache_read.unwrap_or(self.input)
    }

    /// What a token written to the cache for five minutes costs.
    #[must_use]
    pub fn of_cache_write_5m(&self) -> Price {
        self.cache_write_5m.unwrap_or(self.input)
    }

    /// What a token written to the cache for an hour costs.
    #[must_use]
    pub fn of_cache_write_1h(&self) -> Price {
        self.cache_write_1h.unwrap_or_else(|| self.of_cache_write_5m())
    }
}
