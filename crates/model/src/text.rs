//! Cutting text without tearing characters.

/// Longest excerpt the index keeps of any text, in characters.
pub const EXCERPT_CHARS: usize = 280;
/// Longest tool output an event carries, in bytes.
pub const TOOL_TEXT_BYTES: usize = 16 * 1024;

/// The beginning of a text on one line: runs of white space become one space.
#[must_use]
pub fn excerpt(text: &str) -> String {
    let mut out = String::with_capacity(EXCERPT_CHARS.min(text.len()));
    let mut room = EXCERPT_CHARS;
    for word in text.split(|it: char| it.is_whitespace() || it.is_control()) {
        if word.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
            room -= 1;
        }
        let taken = first_chars(word, room);
        out.push_str(taken);
        room -= taken.chars().count();
        if room <= 1 {
            break;
        }
    }
    out
}

/// At most `count` characters of a word.
fn first_chars(word: &str, count: usize) -> &str {
    match word.char_indices().nth(count) {
        Some((end, _)) => word.get(..end).unwrap_or(word),
        None => word,
    }
}

/// At most `limit` bytes of a text, ending between characters.
#[must_use]
pub fn cut(text: &str, limit: usize) -> &str {
    let mut end = limit.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_excerpt_is_one_line() {
        assert_eq!(excerpt("  a\n\n\tb  c "), "a b c");
        assert_eq!(excerpt(""), "");
    }

    proptest! {
        #[test]
        fn neither_tears_a_character(text in "\\PC{0,600}", limit in 0usize..700) {
            prop_assert!(excerpt(&text).chars().count() <= EXCERPT_CHARS);
            prop_assert!(cut(&text, limit).len() <= limit);
            prop_assert!(text.starts_with(cut(&text, limit)));
        }
    }
}
