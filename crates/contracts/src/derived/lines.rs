//! Line counts as git counts them.
//!
//! `git diff --numstat` is not the shortest difference: git sets lines aside that match too often
//! before it compares. This follows it up to the size where git stops to look for the shortest
//! difference of what is left; beyond that there are no counts.

use std::collections::HashMap;

/// Larger texts are not compared.
const LARGEST: usize = 4_000_000;
/// git looks for a NUL byte in this many first bytes of a file to call it binary.
const SNIFFED: usize = 8_000;
/// git leaves out equal ends of two files in blocks of this size.
const BLOCK: usize = 1024;
/// The most matches after which a line counts as matching often.
const MOST_MATCHES: usize = 1024;
/// How many lines around a line decide whether it is set aside.
const WINDOW: usize = 100;
/// Up to this many changed lines git looks for the shortest difference.
const MOST_CHANGES: usize = 500;

/// The lines added and removed between two texts; `None` for binary, for very large and for very
/// different texts.
pub(super) fn compared(old: &str, new: &str) -> Option<(u64, u64)> {
    let is_large = old.len() + new.len() > LARGEST;
    if is_large || is_binary(old) || is_binary(new) {
        return None;
    }
    let (old, new) = without_common_tail(old, new);
    let (old, new) = numbered(old, new);
    let (old_kept, new_kept) = (relevant(&old, &new), relevant(&new, &old));
    let common = longest_common(&old_kept.lines, &new_kept.lines)? + old_kept.trimmed;
    Some(((new.len() - common) as u64, (old.len() - common) as u64))
}

fn is_binary(text: &str) -> bool {
    text.bytes().take(SNIFFED).any(|byte| byte == 0)
}

/// Both texts without the whole blocks in which they end alike, up to the next line.
fn without_common_tail<'t>(old: &'t str, new: &'t str) -> (&'t [u8], &'t [u8]) {
    let (old, new) = (old.as_bytes(), new.as_bytes());
    let blocks = old.rchunks_exact(BLOCK).zip(new.rchunks_exact(BLOCK));
    let trimmed = blocks.take_while(|(one, other)| one == other).count() * BLOCK;
    let tail = old.get(old.len() - trimmed..).unwrap_or_default();
    let recovered = tail.iter().position(|byte| *byte == b'\n').map_or(trimmed, |at| at + 1);
    let cut = trimmed - recovered;
    let kept = |text: &'t [u8]| text.get(..text.len() - cut).unwrap_or(text);
    (kept(old), kept(new))
}

/// The lines of both texts as numbers; equal lines have equal numbers.
fn numbered(old: &[u8], new: &[u8]) -> (Vec<usize>, Vec<usize>) {
    let mut known = HashMap::new();
    let mut number = |line| {
        let next = known.len();
        *known.entry(line).or_insert(next)
    };
    let lines = |text| <[u8]>::split_inclusive(text, |byte: &u8| *byte == b'\n');
    let old = lines(old).map(&mut number).collect();
    (old, lines(new).map(&mut number).collect())
}

/// How often a line of one text is in the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Matches {
    Never,
    Seldom,
    Often,
}

struct Relevant {
    /// The lines that are compared.
    lines: Vec<usize>,
    /// The number of equal lines at both ends.
    trimmed: usize,
}

/// The lines of a text between the equal ends, without those that are not in the other text, and
/// without those that are there often amid such lines.
fn relevant(own: &[usize], other: &[usize]) -> Relevant {
    let start = own.iter().zip(other).take_while(|(one, two)| one == two).count();
    let rest = own.len().min(other.len()) - start;
    let tail = own.iter().rev().zip(other.iter().rev()).take(rest);
    let tail = tail.take_while(|(one, two)| one == two).count();
    let matches = matches(own, other);
    let inner = start..own.len() - tail;
    let middle = matches.get(inner.clone()).unwrap_or_default();
    let is_kept = |place: &usize| match middle.get(*place) {
        Some(Matches::Seldom) => true,
        Some(Matches::Often) => !is_set_aside(middle, *place),
        Some(Matches::Never) | None => false,
    };
    let kept = (0..middle.len()).filter(is_kept);
    let lines = kept.filter_map(|place| own.get(inner.start + place).copied()).collect();
    Relevant { lines, trimmed: start + tail }
}

fn matches(own: &[usize], other: &[usize]) -> Vec<Matches> {
    let mut counts: HashMap<usize, usize> = HashMap::new();
    for line in other {
        *counts.entry(*line).or_default() += 1;
    }
    let often = rough_root(own.len()).min(MOST_MATCHES);
    let rate = |line: &usize| match counts.get(line) {
        None => Matches::Never,
        Some(count) if *count >= often => Matches::Often,
        Some(_) => Matches::Seldom,
    };
    own.iter().map(rate).collect()
}

/// A power of two near the square root.
fn rough_root(mut number: usize) -> usize {
    let mut root = 1;
    while number > 0 {
        (root, number) = (root << 1, number >> 2);
    }
    root
}

/// Whether a line that matches often is amid lines that mostly match never.
fn is_set_aside(all: &[Matches], place: usize) -> bool {
    let before = all.get(..place).unwrap_or_default().iter().rev().take(WINDOW);
    let after = all.get(place + 1..).unwrap_or_default().iter().take(WINDOW);
    let (never_before, often_before) = run(before);
    let (never_after, often_after) = run(after);
    let (never, often) = (never_before + never_after, often_before + often_after + 2);
    never_before > 0 && never_after > 0 && often * 4 < often + never
}

/// The lines that match never, and those that match often, up to the first that matches seldom.
fn run<'m>(lines: impl Iterator<Item = &'m Matches>) -> (usize, usize) {
    let mut counts = (0, 0);
    for line in lines {
        match line {
            Matches::Never => counts.0 += 1,
            Matches::Often => counts.1 += 1,
            Matches::Seldom => break,
        }
    }
    counts
}

/// The length of the longest common subsequence, by the furthest reaching paths; `None` if the
/// texts differ too much.
fn longest_common(old: &[usize], new: &[usize]) -> Option<usize> {
    let mut furthest = vec![0_usize; 2 * MOST_CHANGES + 3];
    let middle = MOST_CHANGES + 1;
    for changes in 0..=MOST_CHANGES {
        for step in (0..=changes).map(|it| 2 * it) {
            // The diagonal is `step - changes`, shifted so that it is not negative.
            let diagonal = middle + step - changes;
            let left = furthest.get(diagonal - 1).copied().unwrap_or_default();
            let above = furthest.get(diagonal + 1).copied().unwrap_or_default();
            let is_down = step == 0 || (step != 2 * changes && left < above);
            let mut x = if is_down { above } else { left + 1 };
            if changes == 0 {
                x = 0;
            }
            let Some(mut y) = (x + middle).checked_sub(diagonal) else { continue };
            while x < old.len() && y < new.len() && old.get(x) == new.get(y) {
                (x, y) = (x + 1, y + 1);
            }
            if let Some(reached) = furthest.get_mut(diagonal) {
                *reached = x;
            }
            if x >= old.len() && y >= new.len() {
                return Some((old.len() + new.len() - changes) / 2);
            }
        }
    }
    None
}
