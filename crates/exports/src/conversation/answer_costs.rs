//! Which answer of a conversation each recorded cost belongs to.
//!
//! An agent records the cost of an answer with its first piece, with its last, or right after it,
//! and no agent records it before the input of the answer. So the time of a cost names its answer.

use super::{Answer, Part};
use crate::ModelAnswer;
use taffrail_model::Timestamp;

/// Gives every cost with a time to an answer. One that no answer can have becomes an answer of its
/// own, without words.
pub(super) fn assign<'a>(parts: Vec<Part<'a>>, costs: &'a [ModelAnswer]) -> Vec<Part<'a>> {
    let mut timed: Vec<_> = costs.iter().filter_map(|it| Some((it.at?, it))).collect();
    timed.sort_by_key(|(at, _)| *at);
    let mut out = Vec::with_capacity(parts.len());
    let mut stretches = stretches(parts).into_iter().peekable();
    while let Some(mut stretch) = stretches.next() {
        let until = stretches.peek().and_then(|next| next.first()?.at());
        let count = timed.iter().take_while(|(at, _)| until.is_none_or(|end| *at < end)).count();
        let here: Vec<_> = timed.drain(..count).collect();
        spend(&mut stretch, here);
        out.extend(joined(stretch));
    }
    let left = timed.into_iter().map(|(_, it)| alone(it));
    out.extend(left);
    out
}

/// The conversation, cut before every prompt of its own.
fn stretches(parts: Vec<Part<'_>>) -> Vec<Vec<Part<'_>>> {
    let mut out = vec![Vec::new()];
    for part in parts {
        if matches!(part, Part::Prompt(_)) && !part.is_copied() {
            out.push(Vec::new());
        }
        if let Some(last) = out.last_mut() {
            last.push(part);
        }
    }
    out.retain(|it| !it.is_empty());
    out
}

fn spend<'a>(parts: &mut Vec<Part<'a>>, costs: Vec<(Timestamp, &'a ModelAnswer)>) {
    let own = |part: &Part<'_>| matches!(part, Part::Answer(answer) if !answer.is_copied());
    let places: Vec<usize> =
        (0..).zip(parts.iter()).filter(|(_, it)| own(it)).map(|(at, _)| at).collect();
    let in_order = costs.is_sorted_by(|(one, _), (two, _)| one < two);
    let is_paired = costs.len() == places.len() && in_order;
    let mut alone_here = Vec::new();
    for (number, (at, cost)) in costs.into_iter().enumerate() {
        let paired = places.get(number).copied().filter(|_| is_paired);
        let place = paired.or_else(|| latest_at(parts, &places, at));
        match place.and_then(|it| parts.get_mut(it)) {
            Some(Part::Answer(answer)) => answer.spent.push(cost),
            _ => alone_here.push(alone(cost)),
        }
    }
    let has_alone = !alone_here.is_empty();
    parts.extend(alone_here);
    if has_alone {
        parts.sort_by_key(Part::at);
    }
}

/// The last answer that had begun at this time, else the first one.
fn latest_at(parts: &[Part<'_>], places: &[usize], at: Timestamp) -> Option<usize> {
    let began = |place: &&usize| {
        let part = parts.get(**place);
        part.and_then(Part::at).is_some_and(|began| began <= at)
    };
    places.iter().rfind(began).or(places.first()).copied()
}

fn alone(cost: &ModelAnswer) -> Part<'_> {
    Part::Answer(Answer { spent: vec![cost], ..Answer::default() })
}

/// Joins calls without a cost to the answer before them that has one: an agent runs the first call
/// of an answer while the model still writes the next, and its result is recorded in between.
fn joined(parts: Vec<Part<'_>>) -> Vec<Part<'_>> {
    let mut out: Vec<Part<'_>> = Vec::with_capacity(parts.len());
    for part in parts {
        match (out.last_mut(), part) {
            (Some(Part::Answer(before)), Part::Answer(next)) if is_same(before, &next) => {
                before.join(next);
            }
            (_, part) => out.push(part),
        }
    }
    out
}

fn is_same(before: &Answer<'_>, next: &Answer<'_>) -> bool {
    let is_part = !next.pieces.is_empty() && next.spent.is_empty() && next.has_only_calls();
    is_part && !before.spent.is_empty() && !before.calls.is_empty() && !next.is_copied()
}
