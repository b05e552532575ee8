//! Sanitizes text for terminals and other one-line displays: text from transcripts is hostile
//! there.

use std::borrow::Cow;

/// Removes everything a terminal could execute or hide: control characters, the first bytes of
/// escape sequences, direction marks and zero-width characters.
#[must_use]
pub fn clean(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let shown = |character: char| match character {
        '\t' | '\n' => Some(character),
        character if is_plain(character) => Some(character),
        character if is_hidden(character) => None,
        _ => Some('\u{fffd}'),
    };
    Cow::Owned(text.chars().filter_map(shown).collect())
}

/// The same on one line.
#[must_use]
pub fn line(text: &str) -> String {
    clean(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_plain(character: char) -> bool {
    !character.is_control() && !is_hidden(character)
}

fn is_hidden(character: char) -> bool {
    matches!(character,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{00ad}' | '\u{034f}' | '\u{115f}' | '\u{1160}' | '\u{2028}' | '\u{2029}' | '\u{3164}'
        | '\u{feff}' | '\u{061c}' | '\u{180e}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_a_terminal_obeys_gets_through() {
        let check = |text: &str, expected: &str| assert_eq!(clean(text), expected, "{text:?}");
        check("plain ünïcode 漢字", "plain ünïcode 漢字");
        check("\u{1b}[31mred", "\u{fffd}[31mred");
        check("\u{1b}]52;c;aGk=\u{7}", "\u{fffd}]52;c;aGk=\u{fffd}");
        check("a\u{202e}b\u{200b}c", "abc");
        check("\u{9b}31m", "\u{fffd}31m");
        check("a\r\nb", "a\u{fffd}\nb");
    }
}
