//! Ranks hits: by text score, age and author.

use super::fields::code;
use super::reader::Hit;
use std::collections::HashMap;
use taffrail_model::Kind;

/// The bonus of an event from today over an old one.
const RECENCY: f64 = 0.25;
/// The factor for each further hit of a session, and the smallest factor.
const AGAIN: f32 = 0.92;
const AGAIN_LEAST: f32 = 0.5;
/// A hit without all words is weak below this part of the best score.
const CUT: f32 = 0.4;
/// The age in seconds at which half of the bonus is left.
const HALF_LIFE: f64 = 30.0 * 86_400.0;

/// The score of a text match.
pub(crate) fn weighed(fits: f32, age: i64, kind: u64) -> f32 {
    (f64::from(fits) * (1.0 + RECENCY * freshness(age)) * by_kind(kind)) as f32
}

/// The score where only filters were given: the latest first.
pub(crate) fn latest(age: i64) -> f32 {
    1.0 / (1.0 + age.max(0) as f32)
}

/// Makes room for other sessions: each further hit of a session counts less.
pub(crate) fn spread(sorted: &mut [Hit]) {
    let mut met: HashMap<i64, i32> = HashMap::new();
    for hit in sorted {
        let before = met.entry(hit.session).or_default();
        hit.score *= AGAIN.powi(*before).max(AGAIN_LEAST);
        *before += 1;
    }
}

/// The score below which a hit that lacks a word is weak.
pub(crate) fn cut<'a>(hits: impl Iterator<Item = &'a Hit>) -> f32 {
    hits.map(|it| it.score).fold(0.0, f32::max) * CUT
}

fn freshness(age: i64) -> f64 {
    (-(age.max(0) as f64) / HALF_LIFE).exp2()
}

/// Text of people and agents outranks the output of tools.
fn by_kind(kind: u64) -> f64 {
    let of = |it: &Kind| kind == code(it);
    match kind {
        _ if of(&Kind::UserPrompt) || of(&Kind::AssistantMessage) => 1.3,
        _ if of(&Kind::ToolResult) || of(&Kind::ToolCall) => 0.8,
        _ => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newer_comes_first_and_a_better_match_still_wins() {
        let prompt = code(&Kind::UserPrompt);
        assert!(weighed(5.0, 0, prompt) > weighed(5.0, 86_400 * 60, prompt));
        assert!(weighed(9.0, 86_400 * 3650, prompt) > weighed(5.0, 0, prompt));
        assert!(weighed(5.0, -10, prompt) <= weighed(5.0, 0, prompt));
        assert!(latest(5) > latest(6));
    }
}
