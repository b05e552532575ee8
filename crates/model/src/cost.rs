//! What model answers cost: what their agent reported, what a price table gives, and what is
//! unknown.
//!
//! All amounts are millionths of a US dollar. The cost of an answer is computed once and then only
//! added, so that every total of the same answers is the same number.

use serde::{Deserialize, Serialize};

/// One model answer of a session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AnswerCost {
    /// What its agent reported.
    pub reported: Option<i64>,
    /// What the price table gives.
    pub estimated: Option<i64>,
    /// Its tokens of all kinds.
    pub tokens: u64,
}

impl AnswerCost {
    /// The report wins over the table.
    fn known(&self) -> Option<i64> {
        self.reported.or(self.estimated)
    }
}

/// The cost of several answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// What their agents reported; `None` if they reported nothing.
    pub reported_microdollars: Option<i64>,
    /// What the price table gives for the answers with a price, reported or not.
    pub estimated_microdollars: Option<i64>,
    /// The number of answers whose cost is unknown.
    pub unknown_answers: u64,
}

/// The cost of each answer of a session, in order. `said` is what the agent reported for the whole
/// session: it is divided among the answers, unless the reports about single answers exceed it.
#[must_use]
pub fn costs(said: Option<i64>, answers: &[AnswerCost]) -> Vec<Option<i64>> {
    match covering(said, answers) {
        Some(said) => divided(said, &weights(answers)).into_iter().map(Some).collect(),
        None => answers.iter().map(AnswerCost::known).collect(),
    }
}

/// The total cost of a session's own answers; `None` if nothing is known.
#[must_use]
pub fn total(said: Option<i64>, answers: &[AnswerCost]) -> Option<i64> {
    covering(said, answers).or_else(|| sum(answers.iter().map(AnswerCost::known)))
}

/// The same, by source.
#[must_use]
pub fn by_source(said: Option<i64>, answers: &[AnswerCost]) -> Cost {
    let covering = covering(said, answers);
    let unknown = answers.iter().filter(|it| it.known().is_none()).count() as u64;
    Cost {
        reported_microdollars: covering.or_else(|| sum(answers.iter().map(|it| it.reported))),
        estimated_microdollars: sum(answers.iter().map(|it| it.estimated)),
        unknown_answers: if covering.is_some() { 0 } else { unknown },
    }
}

/// The report about the whole session, if it covers every answer. An agent may report single
/// answers and count the session later.
#[must_use]
pub fn covering(said: Option<i64>, answers: &[AnswerCost]) -> Option<i64> {
    said.filter(|said| sum(answers.iter().map(|it| it.reported)).is_none_or(|it| it <= *said))
}

/// The sum of two amounts, as far as they are known.
#[must_use]
pub fn plus(one: Option<i64>, other: Option<i64>) -> Option<i64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (one, other) => one.or(other),
    }
}

/// The sum of what is known; `None` if nothing is.
fn sum(parts: impl Iterator<Item = Option<i64>>) -> Option<i64> {
    parts.fold(None, plus)
}

/// The known costs, or the tokens if a cost is unknown.
fn weights(answers: &[AnswerCost]) -> Vec<u64> {
    let known: Option<Vec<u64>> = answers.iter().map(|it| it.known()?.try_into().ok()).collect();
    let by_tokens = || answers.iter().map(|it| it.tokens).collect();
    let weights: Vec<u64> =
        known.filter(|it| it.iter().any(|it| *it > 0)).unwrap_or_else(by_tokens);
    if weights.iter().all(|it| *it == 0) { vec![1; answers.len()] } else { weights }
}

/// Divides an amount by weights; the parts add up to it exactly.
#[must_use]
pub fn divided(amount: i64, weights: &[u64]) -> Vec<i64> {
    let all: u128 = weights.iter().map(|it| u128::from(*it)).sum();
    let until = |weight: u128| {
        let share = i128::from(amount) * i128::try_from(weight).unwrap_or(i128::MAX);
        let whole = i128::try_from(all.max(1)).unwrap_or(i128::MAX);
        i64::try_from(share / whole).unwrap_or(amount)
    };
    let mut before = 0;
    let parts = weights.iter().map(|it| {
        let (from, to) = (until(before), until(before + u128::from(*it)));
        before += u128::from(*it);
        to - from
    });
    parts.collect()
}

#[cfg(test)]
mod tests;
