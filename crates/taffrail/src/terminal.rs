//! The sanitiser for terminals: text from transcripts is hostile here.

use std::borrow::Cow;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Takes out everything a terminal could obey or hide behind: control characters, escape
/// sequences' first bytes, direction marks and characters without width.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
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
pub(crate) fn line(text: &str) -> String {
    clean(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// At most `width` columns, with a mark where something was left out.
pub(crate) fn fit(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for character in text.chars() {
        let wide = character.width().unwrap_or(0);
        if used + wide + 1 > width {
            break;
        }
        used += wide;
        out.push(character);
    }
    if width > 0 {
        out.push('…');
    }
    out
}

/// At most `width` columns of the end of a text, with a mark where something was left out.
pub(crate) fn fit_end(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut used = 1;
    let kept = text.char_indices().rev().take_while(|(_, character)| {
        used += character.width().unwrap_or(0);
        used <= width
    });
    let begin = kept.last().map_or(text.len(), |(at, _)| at);
    format!("…{}", text.get(begin..).unwrap_or_default())
}

/// Filled with spaces to `width` columns.
pub(crate) fn pad(text: &str, width: usize) -> String {
    let text = fit(text, width);
    let missing = width.saturating_sub(text.width());
    text + &" ".repeat(missing)
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

    #[test]
    fn wide_characters_fit_their_columns() {
        assert_eq!(fit("漢字漢字", 5), "漢字…");
        assert_eq!(pad("漢", 4), "漢  ");
        assert_eq!(fit("abc", 3), "abc");
        assert_eq!(fit("abc", 0), "");
        assert_eq!(fit_end("漢字漢字", 5), "…漢字");
        assert_eq!(fit_end("/w/some/app", 8), "…ome/app");
        assert_eq!(fit_end("/w/app", 8), "/w/app");
    }
}
