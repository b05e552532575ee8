//! Text on a terminal: sanitized, and fitted to columns.

pub use taffrail_model::terminal::{clean, line};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The most characters of a text on one line; no screen is as wide.
const LONGEST: usize = 2_000;

/// Foreign text on one line. Variation selectors are dropped, because terminals do not agree on
/// their width.
pub fn shown(text: &str) -> String {
    let end = text.char_indices().nth(LONGEST).map_or(text.len(), |(at, _)| at);
    let text = line(text.get(..end).unwrap_or(text));
    let chooses = |it: char| matches!(it, '\u{fe00}'..='\u{fe0f}');
    if text.contains(chooses) { text.replace(chooses, "") } else { text }
}

/// At most `width` columns, with a mark where text was cut.
pub fn fit(text: &str, width: usize) -> String {
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

/// The same, cut after a word if one ends in the second half.
pub fn fit_words(text: &str, width: usize) -> String {
    let cut = fit(text, width);
    let Some(kept) = cut.strip_suffix('…').filter(|_| cut != text) else { return cut };
    let is_whole = text.get(kept.len()..).is_some_and(|it| it.starts_with(' '));
    let end = if is_whole { Some(kept.len()) } else { kept.rfind(' ') };
    match end.and_then(|it| kept.get(..it)).filter(|it| it.width() * 2 >= width) {
        Some(words) => format!("{}…", words.trim_end()),
        None => cut,
    }
}

/// At most `width` columns of the end of a text, with a mark where text was cut.
pub fn fit_end(text: &str, width: usize) -> String {
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

/// Pads with spaces to `width` columns.
pub fn pad(text: &str, width: usize) -> String {
    let text = fit(text, width);
    let missing = width.saturating_sub(text.width());
    text + &" ".repeat(missing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_fit_their_columns() {
        assert_eq!(fit("漢字漢字", 5), "漢字…");
        assert_eq!(pad("漢", 4), "漢  ");
        assert_eq!(fit("abc", 3), "abc");
        assert_eq!(fit("abc", 0), "");
        assert_eq!(fit_words("one two three", 12), "one two…");
        assert_eq!(fit_words("one two three", 8), "one two…");
        assert_eq!(fit_words("one two three", 13), "one two three");
        assert_eq!(fit_words("a onetwothree", 8), "a onetw…");
        assert_eq!(fit_end("漢字漢字", 5), "…漢字");
        assert_eq!(fit_end("/w/some/app", 8), "…ome/app");
        assert_eq!(fit_end("/w/app", 8), "/w/app");
    }
}
