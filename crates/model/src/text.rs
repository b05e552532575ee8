//! Cutting text without tearing characters.

/// Longest excerpt the index keeps of any text, in characters.
pub const EXCERPT_CHARS: usize = 280;
/// Longest tool output an event carries, in bytes.
pub const TOOL_TEXT_BYTES: usize = 16 * 1024;

/// The beginning of a text on one line: runs of white space become one space.
#[must_use]
pub fn excerpt(text: &str) -> String {
    let mut out = String::new();
    let mut count = 0;
    let mut gap = false;
    for character in text.chars() {
        if character.is_whitespace() || character.is_control() {
            gap = !out.is_empty();
            continue;
        }
        if gap {
            out.push(' ');
            count += 1;
            gap = false;
        }
        if count >= EXCERPT_CHARS {
            break;
        }
        out.push(character);
        count += 1;
    }
    out
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
            prop_assert!(excerpt(&text).chars().count() <= EXCERPT_CHARS + 1);
            prop_assert!(cut(&text, limit).len() <= limit);
            prop_assert!(text.starts_with(cut(&text, limit)));
        }
    }
}
