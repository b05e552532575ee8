//! Finds and replaces the secrets in a text.

use super::placeholder::MARK;
use super::{block, rules, scan};
use std::borrow::Cow;
use std::ops::Range;

/// The ranges and kinds of the secrets in a text, in order and disjoint.
#[must_use]
pub fn find(text: &str) -> Vec<(Range<usize>, &'static str)> {
    scan::scan(text).found
}

/// The text with `[redacted:KIND]` in place of every secret. Repeating it changes nothing.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    replace(text, &find(text))
}

/// The known kinds of secrets, each once.
#[must_use]
pub fn kinds() -> Vec<&'static str> {
    let mut kinds: Vec<_> = rules::all().map(|it| it.kind).collect();
    kinds.extend(block::KINDS);
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

pub(super) fn replace<'a>(text: &'a str, found: &[(Range<usize>, &'static str)]) -> Cow<'a, str> {
    if found.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (range, kind) in found {
        out.push_str(text.get(done..range.start).unwrap_or_default());
        out.push_str(MARK);
        out.push_str(kind);
        out.push(']');
        done = range.end;
    }
    out.push_str(text.get(done..).unwrap_or_default());
    Cow::Owned(out)
}
