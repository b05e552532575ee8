//! What holds for every answer: a cost is never negative, and more tokens never cost less.

use proptest::prelude::*;
use taffrail_model::{Timestamp, Tokens};
use taffrail_prices::{Prices, Spent};

const MODELS: [&str; 5] =
    ["claude-haiku-5-5", "claude-sonnet-5-5", "gpt-6-sol", "gemini-2.5-pro", "deepseek-chat"];

#[expect(clippy::unwrap_used, reason = "helpers of tests fail the test they help")]
fn cost(prices: &Prices, model: &str, [input, output, cache_read, write, hour]: [u64; 5]) -> i64 {
    let cache_write = write + hour;
    let tokens = Tokens { input, output, cache_read, cache_write, reasoning: 0 };
    let at: Timestamp = "2026-11-01T00:00:00Z".parse().unwrap();
    prices.cost(&Spent { model, at, tokens, cache_write_1h: hour }).unwrap()
}

proptest! {
    #[test]
    fn more_tokens_never_cost_less(
        model in 0..MODELS.len(),
        counts in prop::array::uniform5(0..1_000_000u64),
        kind in 0..5usize,
        more in 0..1_000_000u64,
    ) {
        let prices = Prices::default();
        let before = cost(&prices, MODELS[model], counts);
        let mut grown = counts;
        grown[kind] += more;
        let after = cost(&prices, MODELS[model], grown);
        prop_assert!(0 <= before && before <= after, "{before} {after}");
    }

    #[test]
    fn an_answer_in_parts_costs_the_same_but_for_rounding(
        one in prop::array::uniform5(0..10_000u64),
        other in prop::array::uniform5(0..10_000u64),
    ) {
        let prices = Prices::default();
        let both: Vec<u64> = one.iter().zip(other).map(|(one, other)| one + other).collect();
        let whole = cost(&prices, "claude-sonnet-5-5", both.try_into().unwrap());
        let parts = cost(&prices, "claude-sonnet-5-5", one) + cost(&prices, "claude-sonnet-5-5", other);
        prop_assert!((whole - parts).abs() <= 1, "{whole} {parts}");
    }
}
