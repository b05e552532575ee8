//! What a rule says.

use regex::Regex;

/// How far before a keyword a secret may begin, in bytes.
pub(super) const BEFORE: usize = 96;
/// How far after a keyword it is sought, in bytes.
pub(super) const AFTER: usize = 512;

/// What comes before a token: nothing it could be the rest of. A line end written as an escape
/// ends with a letter.
const START: &str = r"(?-u:\b{start-half}|\\[nrt])";
/// What comes after a token.
const END: &str = r"(?-u:\b{end-half})";

/// How a secret is told from the text around it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// By itself: the pattern is the secret.
    Token(&'static str),
    /// By what stands before it: the last group that matched is the secret.
    Named(&'static str),
}

/// One kind of secret.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    /// What it is called where it was.
    pub(super) kind: &'static str,
    /// Where any of these is, the pattern is tried. Those of a token are compared as they are,
    /// those of a name in any case.
    pub(super) keywords: &'static [&'static str],
    /// How it looks.
    pub(super) shape: Shape,
    /// Whether what the pattern found is one, rather than a word or a placeholder.
    pub(super) check: fn(&str) -> bool,
}

/// A secret that is known by itself.
pub(super) const fn token(
    kind: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
    check: fn(&str) -> bool,
) -> Rule {
    Rule { kind, keywords, shape: Shape::Token(pattern), check }
}

/// A secret that is known by what it is called.
pub(super) const fn named(
    kind: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
    check: fn(&str) -> bool,
) -> Rule {
    Rule { kind, keywords, shape: Shape::Named(pattern), check }
}

impl Rule {
    /// The pattern, ready to run. Every pattern is compiled by a test, so `None` does not occur.
    pub(super) fn compile(&self) -> Option<Regex> {
        match self.shape {
            Shape::Token(body) => Regex::new(&format!("{START}({body}){END}")).ok(),
            Shape::Named(whole) => Regex::new(whole).ok(),
        }
    }
}
