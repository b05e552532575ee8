//! Splits Rust source just far enough to tell code, comments and strings apart.

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A word or a single punctuation character.
    Code,
    /// A comment for people who read the source.
    Comment,
    /// A comment that becomes documentation or help.
    Doc,
    /// A string, a byte string or a character, with its quotes.
    Text,
}

/// A token with the line it starts on, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind,
    pub(super) text: &'a str,
    pub(super) line: usize,
}

impl<'a> Token<'a> {
    /// Whether the token is this word or sign.
    pub(super) fn is(&self, code: &str) -> bool {
        self.kind == Kind::Code && self.text == code
    }

    /// The text between the quotes of a string.
    pub(super) fn unquoted(&self) -> Option<&'a str> {
        let inner = self.text.trim_start_matches(['b', 'c', 'r', '#']);
        let inner = inner.trim_end_matches('#').strip_prefix('"')?;
        (self.kind == Kind::Text).then_some(inner.strip_suffix('"').unwrap_or(inner))
    }
}

/// All tokens, without whitespace.
pub(super) fn tokens(source: &str) -> Vec<Token<'_>> {
    let (mut rest, mut line, mut out) = (source, 1, Vec::new());
    while !rest.is_empty() {
        let (kind, length) = first(rest);
        let (text, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        if !text.trim().is_empty() {
            out.push(Token { kind, text, line });
        }
        line += text.matches('\n').count();
        rest = after;
    }
    out
}

/// The kind and the length of the first token.
fn first(rest: &str) -> (Kind, usize) {
    if rest.starts_with("//") {
        let length = rest.find('\n').unwrap_or(rest.len());
        return (comment_kind(rest, "///", "//!"), length);
    }
    if rest.starts_with("/*") {
        return (comment_kind(rest, "/**", "/*!"), block_length(rest));
    }
    if let Some(length) = string_length(rest).or_else(|| character_length(rest)) {
        return (Kind::Text, length);
    }
    let word = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
    (Kind::Code, word.max(first_length(rest)))
}

fn comment_kind(rest: &str, outer: &str, inner: &str) -> Kind {
    // Four slashes or three stars make an ordinary comment again.
    let ordinary = rest.starts_with("////") || rest.starts_with("/***");
    if (rest.starts_with(outer) && !ordinary) || rest.starts_with(inner) {
        Kind::Doc
    } else {
        Kind::Comment
    }
}

fn block_length(rest: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(tail) = rest.get(at..).filter(|tail| !tail.is_empty()) {
        if tail.starts_with("/*") {
            (depth, at) = (depth + 1, at + 2);
        } else if tail.starts_with("*/") {
            (depth, at) = (depth - 1, at + 2);
            if depth == 0 {
                break;
            }
        } else {
            at += first_length(tail);
        }
    }
    at
}

fn string_length(rest: &str) -> Option<usize> {
    let after_letter = rest.strip_prefix(['b', 'c']).unwrap_or(rest);
    let Some(raw) = after_letter.strip_prefix('r') else {
        let body = after_letter.strip_prefix('"')?;
        return Some(rest.len() - body.len() + closed_by(body, '"'));
    };
    let body = raw.trim_start_matches('#');
    let end = format!("\"{}", "#".repeat(raw.len() - body.len()));
    let body = body.strip_prefix('"')?;
    let length = body.find(&end).map_or(body.len(), |at| at + end.len());
    Some(rest.len() - body.len() + length)
}

fn character_length(rest: &str) -> Option<usize> {
    let body = rest.strip_prefix('b').unwrap_or(rest).strip_prefix('\'')?;
    // A lifetime has no closing quote right after its first letter.
    let closes = body.starts_with('\\') || body.chars().nth(1) == Some('\'');
    closes.then(|| rest.len() - body.len() + closed_by(body, '\''))
}

/// The length up to and including the closing quote, past everything escaped.
fn closed_by(body: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in body.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    body.len()
}

fn first_length(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_is_taken_apart() {
        let check = |source: &str, expected: &[(Kind, &str)]| {
            let got: Vec<_> = tokens(source).iter().map(|token| (token.kind, token.text)).collect();
            assert_eq!(got, expected, "{source}");
        };
        use Kind::{Code, Comment, Doc, Text};
        check("fn a", &[(Code, "fn"), (Code, "a")]);
        check("x // y\nz", &[(Code, "x"), (Comment, "// y"), (Code, "z")]);
        check("/// d", &[(Doc, "/// d")]);
        check("//// c", &[(Comment, "//// c")]);
        check("//! d", &[(Doc, "//! d")]);
        check("/* a /* b */ c */ d", &[(Comment, "/* a /* b */ c */"), (Code, "d")]);
        check(r#""a\"//b" c"#, &[(Text, r#""a\"//b""#), (Code, "c")]);
        check(r##"r#"a"b"# c"##, &[(Text, r##"r#"a"b"#"##), (Code, "c")]);
        check("b'{' '\\'' 'a'", &[(Text, "b'{'"), (Text, "'\\''"), (Text, "'a'")]);
        check("&'a str", &[(Code, "&"), (Code, "'"), (Code, "a"), (Code, "str")]);
        check("\"never closed", &[(Text, "\"never closed")]);
        check("'ä' ä", &[(Text, "'ä'"), (Code, "ä")]);
        check("r#type", &[(Code, "r"), (Code, "#"), (Code, "type")]);
    }

    #[test]
    fn lines_are_counted_and_quotes_removed() {
        let all = tokens("a\n\"b\nc\"\nd");
        let lines: Vec<_> = all.iter().map(|token| token.line).collect();
        assert_eq!(lines, [1, 2, 4]);
        assert_eq!(all[1].unquoted(), Some("b\nc"));
        assert_eq!(all[0].unquoted(), None);
        assert_eq!(tokens(r##"br#"x"#"##)[0].unquoted(), Some("x"));
    }
}
