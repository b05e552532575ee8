//! Finds the secrets in a text.

use super::placeholder::MARK;
use super::rule::{AFTER, BEFORE, Rule, Shape};
use super::{block, rules};
use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
use regex::Regex;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

/// How many times the gaps between secrets are scanned again.
const ROUNDS: usize = 8;
/// Blocks come before rules.
const BLOCKS: usize = block::KINDS.len();

/// The result of a scan.
#[derive(Debug, Default)]
pub(super) struct Scan {
    /// The secrets, in order and disjoint.
    pub(super) found: Vec<(Range<usize>, &'static str)>,
    /// The number of bytes given to patterns.
    work: usize,
}

/// The number of bytes that a scan gives to patterns. It is bounded by the length times the number
/// of rules and rounds, which tests verify.
#[must_use]
pub fn work_of(text: &str) -> usize {
    scan(text).work
}

/// Scans the text between earlier replacements, then the gaps between its findings, until nothing
/// more is found. So scanning the result finds nothing.
pub(super) fn scan(text: &str) -> Scan {
    let mut out = Scan::default();
    let mut pieces = between_marks(text);
    for _ in 0..ROUNDS {
        let mut next = Vec::new();
        for piece in pieces {
            let Some(part) = text.get(piece.clone()) else { continue };
            let found = once(part, &mut out.work);
            next.extend(gaps(&piece, &found));
            let placed = |(range, kind): (Range<usize>, _)| (moved(&range, piece.start), kind);
            out.found.extend(found.into_iter().map(placed));
        }
        if next.is_empty() {
            break;
        }
        pieces = next;
    }
    out.found.sort_by_key(|(range, _)| range.start);
    out
}

/// Everything but earlier replacements; a truncated one counts only at the end.
fn between_marks(text: &str) -> Vec<Range<usize>> {
    let (mut out, mut begin) = (Vec::new(), 0);
    for (at, _) in text.match_indices(MARK) {
        let rest = text.get(at + MARK.len()..).unwrap_or_default();
        let kind =
            rest.bytes().take_while(|it| matches!(it, b'a'..=b'z' | b'0'..=b'9' | b'-')).count();
        let end = at + MARK.len() + kind;
        match text.as_bytes().get(end) {
            Some(b']') => {
                out.push(begin..at);
                begin = end + 1;
            }
            None => {
                out.push(begin..at);
                begin = end;
            }
            Some(_) => {}
        }
    }
    out.push(begin..text.len());
    out
}

fn moved(range: &Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

/// The gaps around the findings in a piece; empty if there are no findings.
fn gaps(piece: &Range<usize>, found: &[(Range<usize>, &'static str)]) -> Vec<Range<usize>> {
    let (mut out, mut begin) = (Vec::new(), piece.start);
    for (range, _) in found {
        out.push(begin..piece.start + range.start);
        begin = piece.start + range.end;
    }
    if !found.is_empty() {
        out.push(begin..piece.end);
    }
    out.retain(|it| !it.is_empty());
    out
}

/// A secret with the index of its rule: the more specific rules come first.
type Hit = (Range<usize>, usize);

fn once(text: &str, work: &mut usize) -> Vec<(Range<usize>, &'static str)> {
    let mut hits = block::blocks(text, work);
    for (place, windows) in windows(text) {
        let Some(compiled) = COMPILED.get(place) else { continue };
        for window in windows {
            *work +=
                search(text, &window, compiled, &mut |range| hits.push((range, place + BLOCKS)));
        }
    }
    hits.sort_by_key(|(range, place)| (range.start, *place));
    united(hits).into_iter().map(|(range, place)| (range, kind_at(place))).collect()
}

fn kind_at(place: usize) -> &'static str {
    let rule = place.checked_sub(BLOCKS).and_then(|it| COMPILED.get(it));
    rule.map_or_else(|| block::KINDS.get(place).copied().unwrap_or_default(), |it| it.rule.kind)
}

/// Merges overlapping hits under the most specific rule.
fn united(hits: Vec<Hit>) -> Vec<Hit> {
    let mut out: Vec<Hit> = Vec::new();
    for (range, place) in hits {
        match out.last_mut() {
            Some((last, rule)) if range.start < last.end => {
                last.end = last.end.max(range.end);
                *rule = place.min(*rule);
            }
            Some(_) | None => out.push((range, place)),
        }
    }
    out
}

/// The ranges that each rule scans: around its keywords, merged where they overlap, so that no rule
/// reads a byte twice.
fn windows(text: &str) -> BTreeMap<usize, Vec<Range<usize>>> {
    let mut out: BTreeMap<usize, Vec<Range<usize>>> = BTreeMap::new();
    for finder in [&*EXACT, &*ANY_CASE].into_iter().flatten() {
        for hit in finder.automaton.find_overlapping_iter(text) {
            let begin = text.floor_char_boundary(hit.start().saturating_sub(BEFORE));
            let end = text.ceil_char_boundary((hit.end() + AFTER).min(text.len()));
            let places = finder.places.get(hit.pattern().as_usize());
            for place in places.into_iter().flatten() {
                add(out.entry(*place).or_default(), begin..end);
            }
        }
    }
    out
}

fn add(windows: &mut Vec<Range<usize>>, window: Range<usize>) {
    // Hits are ordered by their end, so one may start before the last; it is covered all the same.
    match windows.last_mut() {
        Some(last) if window.start <= last.end => {
            last.start = last.start.min(window.start);
            last.end = last.end.max(window.end);
        }
        Some(_) | None => windows.push(window),
    }
}

/// Returns the number of bytes read.
fn search(
    text: &str,
    window: &Range<usize>,
    it: &Compiled,
    found: &mut dyn FnMut(Range<usize>),
) -> usize {
    let (Some(regex), Some(seen)) = (it.regex(), text.get(..window.end)) else { return 0 };
    let (mut at, mut work) = (window.start, 0);
    while at < seen.len()
        && let Some(captures) = regex.captures_at(seen, at)
    {
        let Some(whole) = captures.get(0) else { break };
        work += whole.end() - at;
        at = text.ceil_char_boundary(whole.end().max(at + 1));
        let Some(secret) = captures.iter().skip(1).flatten().last() else { continue };
        if (it.rule.check)(secret.as_str()) {
            let end = whole_end(text, secret.end(), window.end, it.rule);
            found(secret.start()..end);
            at = at.max(end);
        } else if matches!(it.rule.shape, Shape::Named(_)) && secret.start() > whole.start() {
            // A value that is not a secret may itself name one: `token: password=...`.
            at = secret.start();
        }
    }
    work + seen.len().saturating_sub(at)
}

/// Extends a token that reached the end of the window to its own end, and also a value longer than
/// its pattern.
fn whole_end(text: &str, end: usize, window: usize, rule: &Rule) -> usize {
    let dotted = matches!(rule.shape, Shape::Token(_));
    if dotted && end < window {
        return end;
    }
    let rest = text.as_bytes().get(end..).unwrap_or_default();
    let next = rest.iter().skip(1).map(Some).chain([None]);
    let within = |(byte, next): &(&u8, Option<&u8>)| {
        is_tokenlike(**byte)
            || (dotted && **byte == b'.' && next.is_some_and(|it| is_tokenlike(*it)))
    };
    end + rest.iter().zip(next).take_while(within).count()
}

fn is_tokenlike(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'_' | b'-')
}

/// A rule and its pattern, compiled when it is first needed.
struct Compiled {
    rule: &'static Rule,
    regex: OnceLock<Option<Regex>>,
}

impl Compiled {
    fn regex(&self) -> Option<&Regex> {
        self.regex.get_or_init(|| self.rule.compile()).as_ref()
    }
}

static COMPILED: LazyLock<Vec<Compiled>> =
    LazyLock::new(|| rules::all().map(|rule| Compiled { rule, regex: OnceLock::new() }).collect());

/// Finds keywords and the rules they belong to.
struct Finder {
    automaton: AhoCorasick,
    places: Vec<Vec<usize>>,
}

static EXACT: LazyLock<Option<Finder>> =
    LazyLock::new(|| finder(false, |shape| matches!(shape, Shape::Token(_))));
static ANY_CASE: LazyLock<Option<Finder>> =
    LazyLock::new(|| finder(true, |shape| matches!(shape, Shape::Named(_))));

fn finder(any_case: bool, wanted: fn(&Shape) -> bool) -> Option<Finder> {
    let mut words: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, rule) in rules::all().enumerate().filter(|(_, it)| wanted(&it.shape)) {
        for word in rule.keywords {
            words.entry(word).or_default().push(place);
        }
    }
    let mut builder = AhoCorasickBuilder::new();
    builder.match_kind(MatchKind::Standard).ascii_case_insensitive(any_case);
    let automaton = builder.build(words.keys()).ok()?;
    Some(Finder { automaton, places: words.into_values().collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert!(EXACT.is_some() && ANY_CASE.is_some());
        for it in COMPILED.iter() {
            assert!(it.regex().is_some(), "{}", it.rule.kind);
        }
    }
}
