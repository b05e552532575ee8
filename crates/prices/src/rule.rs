//! A rule: what a model costs from a date on, and the cost of one answer by it.

use crate::price::STEPS;
use crate::{Rates, Tier};
use jiff::civil::Date;
use taffrail_model::{Timestamp, Tokens};

/// The tokens of one answer.
#[derive(Debug, Clone, Copy)]
pub struct Spent<'a> {
    /// The model, as the agent names it.
    pub model: &'a str,
    /// When the model answered.
    pub at: Timestamp,
    /// The tokens; reasoning is part of the output.
    pub tokens: Tokens,
    /// The part of `tokens.cache_write` that is kept for an hour.
    pub cache_write_1h: u64,
}

/// Where a price comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// The user's configuration.
    Config,
    /// The table that the user imported.
    Import,
    /// The built-in table, by its name and version.
    BuiltIn(String),
}

impl Source {
    /// The word for it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Config => "config",
            Self::Import => "import",
            Self::BuiltIn(name) => name,
        }
    }
}

/// The price of a model from a date on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The model's name in the table.
    pub model: String,
    /// Who sells it, if the table says so.
    pub provider: Option<String>,
    /// The first UTC day; `None` for always.
    pub from: Option<Date>,
    /// Where the price comes from.
    pub source: Source,
    /// The date of the table; the configuration has none.
    pub table_date: Option<Date>,
    /// The prices.
    pub prices: Rates,
    /// The prices of longer prompts, the shortest first.
    pub tiers: Vec<Tier>,
}

impl Rule {
    /// Microdollars of an answer, rounded half up once. `None` for a sum that no bill can have.
    pub(crate) fn cost(&self, spent: &Spent<'_>) -> Option<i64> {
        let Tokens { input, output, cache_read, cache_write, reasoning: _ } = spent.tokens;
        let rates = self.rates_for(prompt_length(&spent.tokens));
        let hour = spent.cache_write_1h.min(cache_write);
        let parts = [
            (input, rates.input),
            (output, rates.output),
            (cache_read, rates.of_cache_read()),
            (cache_write - hour, rates.of_cache_write_5m()),
            (hour, rates.of_cache_write_1h()),
        ];
        let steps: i128 =
            parts.iter().map(|(count, price)| i128::from(*count) * price.steps()).sum();
        let step = i128::from(STEPS);
        i64::try_from((steps + step / 2) / step).ok()
    }

    /// The prices of an answer to a prompt of this length.
    fn rates_for(&self, prompt: u64) -> Rates {
        let reached = self.tiers.iter().filter(|it| prompt > it.above);
        reached.max_by_key(|it| it.above).map_or(self.prices, |it| self.prices.in_tier(it))
    }
}

fn prompt_length(tokens: &Tokens) -> u64 {
    tokens.input.saturating_add(tokens.cache_read).saturating_add(tokens.cache_write)
}
