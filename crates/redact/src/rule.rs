//! The form of a redaction rule.

use regex::Regex;

/// How far before a keyword a secret may start, in bytes.
pub(super) const BEFORE: usize = 96;
/// How far after a keyword it may be, in bytes.
pub(super) const AFTER: usize = 512;

/// The boundary before a token: no character it could continue. An escaped line end ends with a
/// letter.
const START: &str = r"(?-u:\b{start-half}|\\[nrt])";
/// The boundary after a token.
const END: &str = r"(?-u:\b{end-half})";

/// How a secret is recognized in text.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// By itself: the pattern is the secret.
    Token(&'static str),
    /// By its context: the last group that matched is the secret.
    Named(&'static str),
}

/// One kind of secret.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    /// The name in the replacement.
    pub(super) kind: &'static str,
    /// The pattern runs near any of these. Keywords of a token are case-sensitive, those of a name
    /// are not.
    pub(super) keywords: &'static [&'static str],
    /// The pattern.
    pub(super) shape: Shape,
    /// Whether a match is a secret, not a word or a placeholder.
    pub(super) check: fn(&str) -> bool,
}

/// A secret that is recognized by itself.
pub(super) const fn token(
    kind: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
    check: fn(&str) -> bool,
) -> Rule {
    Rule { kind, keywords, shape: Shape::Token(pattern), check }
}

/// A secret that is recognized by its name.
pub(super) const fn named(
    kind: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
    check: fn(&str) -> bool,
) -> Rule {
    Rule { kind, keywords, shape: Shape::Named(pattern), check }
}

impl Rule {
    /// The compiled pattern. A test compiles every pattern, so `None` does not occur.
    pub(super) fn compile(&self) -> Option<Regex> {
        match self.shape {
            Shape::Token(body) => Regex::new(&format!("{START}({body}){END}")).ok(),
            Shape::Named(whole) => Regex::new(whole).ok(),
        }
    }
}
