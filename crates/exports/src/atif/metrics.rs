//! Tokens and costs of a step and of a whole trajectory.

use super::shape::{FinalMetrics, Metrics};
use crate::{Amount, ModelAnswer, Recorded};
use serde_json::{Map, Value};
use taffrail_model::Tokens;

/// The metrics of some model answers; `None` if there are none.
pub(super) fn metrics(answers: &[&ModelAnswer]) -> Option<Metrics> {
    if answers.is_empty() {
        return None;
    }
    let tokens: Tokens = answers.iter().map(|it| it.tokens).sum();
    let amounts: Option<Vec<Amount>> = answers.iter().map(|it| it.cost).collect();
    Some(Metrics {
        prompt_tokens: prompt(tokens),
        completion_tokens: tokens.output,
        cached_tokens: tokens.cache_read,
        cost_usd: amounts.as_deref().map(dollars),
        extra: extra(tokens, amounts.as_deref()),
    })
}

pub(super) fn final_metrics(session: &Recorded, total_steps: usize) -> FinalMetrics {
    let all: Vec<_> = session.answers.iter().collect();
    let sum = metrics(&all);
    FinalMetrics {
        total_prompt_tokens: sum.as_ref().map(|it| it.prompt_tokens),
        total_completion_tokens: sum.as_ref().map(|it| it.completion_tokens),
        total_cached_tokens: sum.as_ref().map(|it| it.cached_tokens),
        total_cost_usd: sum.as_ref().and_then(|it| it.cost_usd),
        total_steps,
        extra: sum.map(|it| it.extra).unwrap_or_default(),
    }
}

/// All input tokens: the format counts cached ones among them.
fn prompt(tokens: Tokens) -> u64 {
    [tokens.input, tokens.cache_read, tokens.cache_write].into_iter().fold(0, u64::saturating_add)
}

fn dollars(amounts: &[Amount]) -> f64 {
    let sum = amounts.iter().fold(0_i64, |sum, it| sum.saturating_add(it.microdollars()));
    // A double holds any cost to the microdollar.
    sum as f64 / 1_000_000.0
}

fn extra(tokens: Tokens, amounts: Option<&[Amount]>) -> Map<String, Value> {
    let counts =
        [("cache_write_tokens", tokens.cache_write), ("reasoning_tokens", tokens.reasoning)];
    let counts = counts.into_iter().filter(|(_, count)| *count > 0);
    let mut out: Map<_, _> = counts.map(|(name, it)| (name.to_owned(), it.into())).collect();
    if let Some(amounts) = amounts {
        let is_listed = amounts.iter().any(|it| matches!(it, Amount::Listed(_)));
        let source = if is_listed { "list_price" } else { "reported" };
        out.insert("cost_source".to_owned(), source.into());
    }
    out
}
