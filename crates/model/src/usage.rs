//! Token counts, and which of two counts for the same model answer is valid.

use serde::{Deserialize, Serialize};

/// Tokens of one model answer or of a whole session.
///
/// `input` excludes cache reads and writes; `reasoning` is part of `output`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Tokens {
    // The order of the fields is the order of comparison: see `later_of`.
    /// Output tokens, including reasoning.
    #[serde(rename = "output_tokens")]
    pub output: u64,
    /// Input tokens that were not cached.
    #[serde(rename = "input_tokens")]
    pub input: u64,
    /// Read from the provider's cache.
    #[serde(rename = "cache_read_tokens")]
    pub cache_read: u64,
    /// Written to the provider's cache.
    #[serde(rename = "cache_write_tokens")]
    pub cache_write: u64,
    /// The part of `output` spent on reasoning.
    #[serde(rename = "reasoning_tokens")]
    pub reasoning: u64,
}

impl Tokens {
    /// The later of two snapshots of the same answer.
    ///
    /// Output only grows while an answer is written, so the larger snapshot is the later; as a
    /// maximum, it does not depend on the order of reading.
    #[must_use]
    pub fn later_of(self, other: Self) -> Self {
        self.max(other)
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            output: self.output.saturating_add(other.output),
            input: self.input.saturating_add(other.input),
            cache_read: self.cache_read.saturating_add(other.cache_read),
            cache_write: self.cache_write.saturating_add(other.cache_write),
            reasoning: self.reasoning.saturating_add(other.reasoning),
        }
    }

    /// The difference, without `other`.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self {
            output: self.output.saturating_sub(other.output),
            input: self.input.saturating_sub(other.input),
            cache_read: self.cache_read.saturating_sub(other.cache_read),
            cache_write: self.cache_write.saturating_sub(other.cache_write),
            reasoning: self.reasoning.saturating_sub(other.reasoning),
        }
    }

    /// The tokens of all kinds.
    #[must_use]
    pub fn total(self) -> u64 {
        let parts = [self.input, self.output, self.cache_read, self.cache_write];
        parts.into_iter().fold(0, u64::saturating_add)
    }

    /// The size of the context that was sent, from the cache or not; `None` if it is unknown.
    #[must_use]
    pub fn context(self) -> Option<u64> {
        let parts = [self.input, self.cache_read, self.cache_write];
        Some(parts.into_iter().fold(0, u64::saturating_add)).filter(|it| *it > 0)
    }

    /// Whether nothing was spent, or nothing is known.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self == Self::default()
    }
}

/// What the answer that an event ends used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerUsage {
    /// Its tokens; `None` if unknown.
    // Required, so that an event without these fields has no answer.
    #[serde(deserialize_with = "Option::deserialize")]
    pub usage: Option<Tokens>,
    /// Its cost, in millionths of a dollar.
    pub cost_microdollars: Option<i64>,
    /// The size of the context that the model was sent.
    pub context_tokens: Option<u64>,
}

impl std::iter::Sum for Tokens {
    fn sum<I: Iterator<Item = Self>>(parts: I) -> Self {
        parts.fold(Self::default(), Self::plus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_later_snapshot_wins_whichever_comes_first() {
        let early = Tokens { output: 5, input: 4, ..Tokens::default() };
        let late = Tokens { output: 631, input: 4, ..Tokens::default() };
        assert_eq!(early.later_of(late), late);
        assert_eq!(late.later_of(early), late);
        assert_eq!(late.later_of(late), late);
    }
}
