//! Carries the origins of lines from a text to its next version.

use crate::alignment::pairs;
use crate::text::Known;
use crate::{Claim, weight};
use std::collections::{HashMap, HashSet};

/// The most pairs of lines that are compared one by one.
const LARGEST: usize = 4_000_000;
/// The letters and digits of a line that is recognized when it moves.
const TELLING: usize = 4;

/// The lines of the next version: those of the base keep their origin, also when they moved; the
/// others have the new one. A line that may be either has none.
pub(crate) fn carried(base: &[Known], next: Vec<String>, origin: Option<Claim>) -> Vec<Known> {
    let texts: Vec<&str> = next.iter().map(String::as_str).collect();
    let matches = matched(base, &texts);
    let left = removed(base, &matches);
    let mut unclear = unclear(base, &texts, &matches);
    if origin.is_some() {
        // The edit was made on the base itself, so a line that both have once is the same line.
        unclear.retain(|it| {
            !is_once(&texts, it) || base.iter().filter(|known| known.text == *it).count() > 1
        });
    }
    let origins = matches.iter().zip(&next).map(|(from, text)| match from {
        _ if unclear.contains(text.as_str()) => None,
        Some(from) => base.get(*from).and_then(|it| it.origin),
        None => match left.get(text.as_str()).map(Vec::as_slice) {
            Some([only]) if is_once(&texts, text) => base.get(*only).and_then(|it| it.origin),
            Some(_) => None,
            None => origin,
        },
    });
    let origins: Vec<Option<Claim>> = origins.collect();
    next.into_iter().zip(origins).map(|(text, origin)| Known { text, origin }).collect()
}

/// The texts of lines that are the same in both versions, though another equal line may be meant.
fn unclear<'b>(base: &'b [Known], next: &[&str], matches: &[Option<usize>]) -> HashSet<&'b str> {
    let certain: HashSet<(usize, usize)> = pairs(base, next).into_iter().collect();
    let same = matches.iter().enumerate().filter_map(|(to, from)| Some(((*from)?, to)));
    let unclear = same.filter(|it| !certain.contains(it));
    unclear.filter_map(|it| base.get(it.0)).map(|it| it.text.as_str()).collect()
}

/// For each line of the next version, its place in the base.
fn matched(base: &[Known], next: &[&str]) -> Vec<Option<usize>> {
    let is_equal = |(one, two): &(&Known, &&str)| one.text == **two;
    let head = base.iter().zip(next).take_while(is_equal).count();
    let rest = base.len().min(next.len()) - head;
    let tail = base.iter().rev().zip(next.iter().rev()).take(rest).take_while(is_equal).count();
    let (own, new) = (base.len() - tail, next.len() - tail);
    let middle = (base.get(head..own).unwrap_or_default(), next.get(head..new).unwrap_or_default());
    let within = if middle.0.len().saturating_mul(middle.1.len()) > LARGEST {
        by_text(middle.0, middle.1)
    } else {
        longest_common(middle.0, middle.1)
    };
    let within = within.into_iter().map(|it| it.map(|place| head + place));
    let end = (0..tail).map(|step| Some(own + step));
    (0..head).map(Some).chain(within).chain(end).collect()
}

/// A line of a very large change comes from any line of the same text.
fn by_text(base: &[Known], next: &[&str]) -> Vec<Option<usize>> {
    let places: HashMap<&str, usize> =
        base.iter().enumerate().map(|(place, it)| (it.text.as_str(), place)).collect();
    next.iter().map(|it| places.get(it).copied()).collect()
}

/// The longest common subsequence, as places in the base.
fn longest_common(base: &[Known], next: &[&str]) -> Vec<Option<usize>> {
    let width = next.len() + 1;
    let mut lengths = vec![0_u32; (base.len() + 1) * width];
    let at = |lengths: &[u32], one: usize, two: usize| {
        lengths.get(one * width + two).copied().unwrap_or_default()
    };
    for (one, known) in base.iter().enumerate().rev() {
        for (two, line) in next.iter().enumerate().rev() {
            let longest = match known.text == **line {
                true => at(&lengths, one + 1, two + 1) + 1,
                false => at(&lengths, one + 1, two).max(at(&lengths, one, two + 1)),
            };
            lengths.get_mut(one * width + two).into_iter().for_each(|it| *it = longest);
        }
    }
    let (mut one, mut out) = (0, Vec::with_capacity(next.len()));
    for (two, line) in next.iter().enumerate() {
        while one < base.len() && at(&lengths, one + 1, two) == at(&lengths, one, two) {
            one += 1;
        }
        let is_taken = base.get(one).is_some_and(|it| it.text == **line);
        out.push(is_taken.then_some(one));
        one += usize::from(is_taken);
    }
    out
}

/// The places of the base that no line matches, by text.
fn removed<'b>(base: &'b [Known], matches: &[Option<usize>]) -> HashMap<&'b str, Vec<usize>> {
    let mut kept = vec![false; base.len()];
    for place in matches.iter().flatten() {
        kept.get_mut(*place).into_iter().for_each(|it| *it = true);
    }
    let mut out: HashMap<&str, Vec<usize>> = HashMap::new();
    for (place, known) in base.iter().enumerate().rev() {
        let is_removed = kept.get(place) == Some(&false);
        if is_removed && weight(&known.text) >= TELLING {
            out.entry(&known.text).or_default().push(place);
        }
    }
    out
}

fn is_once(texts: &[&str], text: &str) -> bool {
    texts.iter().filter(|it| **it == text).nth(1).is_none()
}
