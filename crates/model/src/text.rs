//! Truncates text at character boundaries, and finds words in it.

/// Longest excerpt the index keeps of any text, in characters.
pub const EXCERPT_CHARS: usize = 280;
/// The same for tools.
const TOOL_EXCERPT_CHARS: usize = 160;
/// How far into a text the excerpt may start, in bytes.
const EXCERPT_SEARCH: usize = 4096;
/// Longest tool output an event carries, in bytes.
pub const TOOL_TEXT_BYTES: usize = 16 * 1024;

/// The beginning of a text on one line: runs of white space become one space. Reads only the first
/// bytes.
#[must_use]
pub fn excerpt(text: &str) -> String {
    first(text, EXCERPT_CHARS)
}

/// The excerpt of a tool's input or output, which is shorter.
#[must_use]
pub fn tool_excerpt(text: &str) -> String {
    first(text, TOOL_EXCERPT_CHARS)
}

fn first(text: &str, characters: usize) -> String {
    let text = cut(text, EXCERPT_SEARCH);
    let mut out = String::with_capacity(characters.min(text.len()));
    let (mut room, mut gap) = (characters, false);
    for it in text.chars() {
        if room == 0 {
            break;
        }
        if is_blank(it) {
            gap = !out.is_empty();
            continue;
        }
        if std::mem::take(&mut gap) {
            out.push(' ');
            room -= 1;
            if room == 0 {
                out.pop();
                break;
            }
        }
        out.push(it);
        room -= 1;
    }
    out
}

#[inline]
fn is_blank(it: char) -> bool {
    if it.is_ascii() { it <= ' ' || it == '\x7f' } else { it.is_whitespace() || it.is_control() }
}

/// At most `limit` bytes of a text, ending between characters.
#[must_use]
pub fn cut(text: &str, limit: usize) -> &str {
    text.get(..text.floor_char_boundary(limit)).unwrap_or_default()
}

/// Whether a text contains a word; a number must be a whole word.
#[must_use]
pub fn holds(text: &str, word: &str) -> bool {
    if !word.bytes().all(|it| it.is_ascii_digit()) {
        return text.contains(word);
    }
    text.split(|it: char| !it.is_ascii_alphanumeric()).any(|part| part == word)
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

    #[test]
    fn a_word_is_found_anywhere_and_a_number_only_alone() {
        let check = |text: &str, word: &str, expected: bool| {
            assert_eq!(holds(text, word), expected, "{text} {word}");
        };
        check("overloaded_error", "overloaded", true);
        check("status: 429.", "429", true);
        check("429", "429", true);
        check("wrote 15000 lines", "500", false);
        check("e500", "500", false);
        check("", "500", false);
        check("fine", "quota", false);
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
