//! Edits a text without touching the rest of it: inserts pieces and removes them again.

use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A piece to insert into a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Insertion {
    /// The byte offset in the original text.
    pub(crate) at: usize,
    /// The piece.
    pub(crate) text: String,
}

/// The text with the pieces inserted; `None` if an offset is invalid.
pub(crate) fn applied(text: &str, pieces: &[Insertion]) -> Option<String> {
    let mut out =
        String::with_capacity(text.len() + pieces.iter().map(|it| it.text.len()).sum::<usize>());
    let mut from = 0;
    for piece in pieces {
        out.push_str(text.get(from..piece.at)?);
        out.push_str(&piece.text);
        from = piece.at;
    }
    out.push_str(text.get(from..)?);
    Some(out)
}

/// The text without the pieces; `None` unless each is where it was inserted.
pub(crate) fn undone(text: &str, pieces: &[Insertion]) -> Option<String> {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    for piece in pieces {
        let (kept, after) = rest.split_at_checked(piece.at.checked_sub(out.len())?)?;
        out.push_str(kept);
        rest = after.strip_prefix(piece.text.as_str())?;
    }
    out.push_str(rest);
    Some(out)
}

/// The text without these ranges, in any order and overlapping or not.
pub(crate) fn without(text: &str, ranges: &[Range<usize>]) -> Option<String> {
    let mut ranges = ranges.to_vec();
    ranges.sort_by_key(|it| (it.start, it.end));
    let (mut out, mut from) = (String::with_capacity(text.len()), 0);
    for range in ranges {
        if range.start > from {
            out.push_str(text.get(from..range.start)?);
        }
        from = from.max(range.end);
    }
    out.push_str(text.get(from..)?);
    Some(out)
}

/// The line ending of a text.
pub(crate) fn line_end(text: &str) -> &'static str {
    let first = text.find('\n').and_then(|at| text.get(..at));
    if first.is_some_and(|line| line.ends_with('\r')) { "\r\n" } else { "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pieces(list: &[(usize, &str)]) -> Vec<Insertion> {
        list.iter().map(|(at, text)| Insertion { at: *at, text: (*text).to_owned() }).collect()
    }

    #[test]
    fn pieces_go_in_and_out() {
        let check = |text: &str, list: &[(usize, &str)], expected: Option<&str>| {
            assert_eq!(applied(text, &pieces(list)).as_deref(), expected, "{text}");
        };
        check("abc", &[(1, "-"), (3, "!")], Some("a-bc!"));
        check("abc", &[(1, "x"), (1, "y")], Some("axybc"));
        check("", &[(0, "x")], Some("x"));
        check("ab", &[(3, "x")], None);
        check("ü", &[(1, "x")], None);
        assert_eq!(undone("a-bc?", &pieces(&[(1, "-"), (3, "!")])), None);
        assert_eq!(undone("a", &pieces(&[(3, "!")])), None);
    }

    #[test]
    fn ranges_may_overlap() {
        let check = |ranges: &[Range<usize>], expected: &str| {
            assert_eq!(without("abcdef", ranges).as_deref(), Some(expected));
        };
        check(&[], "abcdef");
        check(&[4..5, 0..2], "cdf");
        check(&[1..4, 2..3, 3..5], "af");
    }

    #[test]
    fn the_first_line_says_how_lines_end() {
        assert_eq!(
            (line_end("a\r\nb\n"), line_end("a\nb\r\n"), line_end("a")),
            ("\r\n", "\n", "\n")
        );
    }

    proptest! {
        #[test]
        fn out_is_the_opposite_of_in(text in "[ -~]{0,40}", at in prop::collection::vec((0_usize..41, "[ -~]{0,5}"), 0..5)) {
            let mut list: Vec<_> = at.into_iter().map(|(at, piece)| Insertion { at: at.min(text.len()), text: piece }).collect();
            list.sort_by_key(|it| it.at);
            let changed = applied(&text, &list).unwrap();
            prop_assert_eq!(undone(&changed, &list), Some(text));
        }
    }
}
