//! Finds the part of a text that shows why it matched.

use super::query::{Clause, Query};
use taffrail_model::search_forms::forms;
use taffrail_model::search_words::{Span, into_lower, spans};

/// The longest snippet, in characters.
const LENGTH: usize = 220;
/// The context before the first match, in characters.
const LEAD: usize = 60;

/// A part of a plain text and the positions of the matches in it, in characters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snippet {
    /// The text, with its whitespace unchanged.
    pub text: String,
    /// Start and end of each match.
    pub matches: Vec<(usize, usize)>,
}

/// The part of `text` that matches the most clauses; its start if nothing matches.
#[must_use]
pub fn snippet(text: &str, query: &Query) -> Snippet {
    let found = matches(text, query);
    let (start, end) = window(text, &found);
    let piece = text.get(start..end).unwrap_or_default();
    let inside = found.iter().filter(|it| it.start >= start && it.end <= end);
    let place = |at: usize| text.get(start..at).map_or(0, |before| before.chars().count());
    let mut out: Vec<(usize, usize)> = inside.map(|it| (place(it.start), place(it.end))).collect();
    out.sort_unstable();
    out.dedup();
    Snippet { text: piece.to_owned(), matches: without_overlaps(out) }
}

/// A match, and the clause it belongs to.
#[derive(Debug, Clone, Copy)]
struct Match {
    start: usize,
    end: usize,
    clause: usize,
}

fn matches(text: &str, query: &Query) -> Vec<Match> {
    let mut all = Vec::new();
    spans(text, &mut all);
    let mut lower = String::new();
    let words: Vec<(String, Span)> = all
        .into_iter()
        .map(|span| {
            into_lower(text.get(span.start..span.end).unwrap_or_default(), &mut lower);
            (lower.clone(), span)
        })
        .collect();
    let mut out = Vec::new();
    for (clause, asked) in query.clauses.iter().enumerate() {
        let mut give = |start: usize, end: usize| out.push(Match { start, end, clause });
        match asked {
            Clause::Word(word) if query.is_question() => {
                let others = forms(word);
                singles(&words, |it| it == word || others.iter().any(|o| o == it), &mut give);
            }
            Clause::Word(word) => singles(&words, |it| it == word, &mut give),
            Clause::Prefix(start) => singles(&words, |it| it.starts_with(start), &mut give),
            Clause::Joined(parts) | Clause::Phrase(parts) => rows(&words, parts, &mut give),
        }
    }
    out.sort_by_key(|it| (it.start, it.end));
    out
}

fn singles(
    words: &[(String, Span)],
    is: impl Fn(&str) -> bool,
    give: &mut impl FnMut(usize, usize),
) {
    for (_, span) in words.iter().filter(|(word, _)| is(word)) {
        give(span.start, span.end);
    }
}

/// Words in sequence.
fn rows(words: &[(String, Span)], parts: &[String], give: &mut impl FnMut(usize, usize)) {
    let Some((first, others)) = parts.split_first() else { return };
    for (index, (word, span)) in words.iter().enumerate() {
        if word != first {
            continue;
        }
        let rest = words.get(index..).unwrap_or_default();
        if let Some(end) = row_end(rest, span, others) {
            give(span.start, end);
        }
    }
}

fn row_end(words: &[(String, Span)], first: &Span, others: &[String]) -> Option<usize> {
    let mut end = first.end;
    for (distance, part) in others.iter().enumerate() {
        let position = first.position + distance + 1;
        let here = words.iter().take_while(|(_, it)| it.position <= position);
        let next = here.filter(|(word, it)| it.position == position && word == part).last()?;
        end = next.1.end;
    }
    Some(end)
}

/// The window with the most different clauses, the earliest of several.
fn window(text: &str, found: &[Match]) -> (usize, usize) {
    let best = found.iter().enumerate().max_by_key(|(index, first)| {
        let reach = forward(text, first.start, LENGTH - LEAD);
        let inside = found.iter().skip(*index).take_while(|it| it.end <= reach);
        let clauses: u64 = inside.fold(0, |bits, it| bits | 1 << (it.clause % 64));
        (clauses.count_ones(), std::cmp::Reverse(*index))
    });
    let Some((_, first)) = best else { return (0, forward(text, 0, LENGTH)) };
    let start = word_start(text, backward(text, first.start, LEAD), first.start);
    (start, forward(text, start, LENGTH))
}

/// Moves forward by a number of characters.
fn forward(text: &str, from: usize, characters: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    rest.char_indices().nth(characters).map_or(text.len(), |(at, _)| from + at)
}

/// Moves backward by a number of characters.
fn backward(text: &str, from: usize, characters: usize) -> usize {
    let before = text.get(..from).unwrap_or_default();
    before.char_indices().rev().nth(characters.saturating_sub(1)).map_or(0, |(at, _)| at)
}

/// The start of the first whole word at or after `from`, before `limit`.
fn word_start(text: &str, from: usize, limit: usize) -> usize {
    if from == 0 {
        return 0;
    }
    let between = text.get(from..limit).unwrap_or_default();
    let gap = between.char_indices().find(|(_, it)| it.is_whitespace());
    gap.map_or(from, |(at, it)| from + at + it.len_utf8())
}

/// Of overlapping matches, keeps the earlier and longer one.
fn without_overlaps(sorted: Vec<(usize, usize)>) -> Vec<(usize, usize)> {
    let mut out: Vec<(usize, usize)> = Vec::with_capacity(sorted.len());
    for (start, end) in sorted {
        match out.last_mut() {
            Some(last) if start < last.1 => last.1 = last.1.max(end),
            _ => out.push((start, end)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_match_is_shown_and_marked() {
        let check = |text: &str, asked: &str, expected: &str| {
            let found = snippet(text, &Query::parse(asked));
            let characters: Vec<char> = found.text.chars().collect();
            let marked: Vec<String> =
                found.matches.iter().map(|(s, e)| characters[*s..*e].iter().collect()).collect();
            assert_eq!(marked.join("|"), expected, "{text} / {asked}");
        };
        check("Fix the parser", "parser", "parser");
        check("é Fix THE parser", "\"fix the\"", "Fix THE");
        check("a getZzName b", "zz", "Zz");
        check("a getZzName b", "getZzName", "getZzName");
        check("see src/x.rs:12 now", "x.rs:12", "x.rs:12");
        check("parsing parsers", "pars*", "parsing|parsers");
        check("nothing here", "absent", "");
        check("漢字です", "漢字", "漢字");
        let long = format!("{} needle {}", "word ".repeat(200), "more ".repeat(200));
        check(&long, "needle", "needle");
        assert!(snippet(&long, &Query::parse("needle")).text.chars().count() <= LENGTH);
    }

    proptest! {
        #[test]
        fn matches_lie_within_the_piece(text in "\\PC{0,400}", asked in "[a-z]{1,3}\\*?") {
            let found = snippet(&text, &Query::parse(&asked));
            let length = found.text.chars().count();
            prop_assert!(length <= LENGTH);
            prop_assert!(found.matches.iter().all(|(start, end)| start < end && *end <= length));
            prop_assert!(text.contains(&found.text));
        }
    }
}
