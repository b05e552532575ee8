//! Why an answer was not read from the provider's cache.

use taffrail_model::answer::{Answer, Side, Step};
use taffrail_model::{Kind, Timestamp};

/// Providers do not cache short contexts, in tokens.
const SHORT: u64 = 4_096;
/// How many seconds a cache lives after its latest use: what is written, by default, and for an hour.
const LIVES: i64 = 300;
const LIVES_LONG: i64 = 3_600;

/// Why less than half of the previous context was read from the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The context was compacted.
    Compaction,
    /// Another model answered.
    ModelChange,
    /// The cache had expired.
    Pause,
    /// The record does not tell.
    Unknown,
}

impl Why {
    /// The word used in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Compaction => "compaction",
            Self::ModelChange => "model_change",
            Self::Pause => "pause",
            Self::Unknown => "unknown",
        }
    }
}

/// A context that was not read from the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Miss {
    /// Why.
    pub why: Why,
    /// How many tokens of the previous context were not read from the cache.
    pub tokens: u64,
    /// How many of these were written to the cache again.
    pub rewritten: u64,
}

/// The cache of a session so far.
#[derive(Debug, Default)]
pub(super) struct Cache<'a> {
    previous: Option<&'a Answer>,
    /// How long the latest writes live, in seconds; `None` before the first.
    lives: Option<i64>,
}

impl<'a> Cache<'a> {
    /// Adds an answer and the events since the one before.
    pub(super) fn take(&mut self, answer: &'a Answer, steps: &[Step<'_>]) -> Option<Miss> {
        let miss = self.previous.and_then(|it| self.miss(it, answer, steps));
        let tokens = answer.tokens;
        if tokens.context().is_some() {
            self.previous = Some(answer);
        }
        if tokens.cache_write > 0 {
            self.lives = Some(if answer.cache_write_1h > 0 { LIVES_LONG } else { LIVES });
        }
        miss
    }

    fn miss(&self, previous: &Answer, answer: &Answer, steps: &[Step<'_>]) -> Option<Miss> {
        answer.tokens.context()?;
        let before = previous.tokens.context().filter(|it| *it >= SHORT)?;
        let read = answer.tokens.cache_read;
        let tokens = before.checked_sub(read).filter(|_| read < before / 2)?;
        let rewritten = tokens.min(answer.tokens.cache_write);
        Some(Miss { why: self.why(previous, answer, steps), tokens, rewritten })
    }

    fn why(&self, previous: &Answer, answer: &Answer, steps: &[Step<'_>]) -> Why {
        let pause = pause(previous.at, asked_at(answer, steps));
        if steps.iter().any(|it| *it.kind == Kind::ContextCompacted) {
            Why::Compaction
        } else if previous.model != answer.model {
            Why::ModelChange
        } else if self.lives.zip(pause).is_some_and(|(lives, pause)| pause > lives) {
            Why::Pause
        } else {
            Why::Unknown
        }
    }
}

/// When the model was sent its input, as far as known.
fn asked_at(answer: &Answer, steps: &[Step<'_>]) -> Option<Timestamp> {
    let input = steps.iter().rfind(|it| it.side == Side::Input);
    input.map(|it| it.at).or(answer.at)
}

fn pause(from: Option<Timestamp>, to: Option<Timestamp>) -> Option<i64> {
    Some(to?.as_second() - from?.as_second())
}
