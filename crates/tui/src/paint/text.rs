//! Text on its way to the screen: sanitized where it is written, and checked again before it is
//! shown.

use crate::terminal::clean;
use ratatui::buffer::Buffer;
use ratatui::style::Style;
use ratatui::text::Span;
use taffrail_model::status::Status;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The most characters in one cell: a letter and its combining marks.
const CLUSTER: usize = 6;
/// The replacement of a symbol that may not be shown.
const INSTEAD: &str = "\u{fffd}";

/// Foreign text on as many lines as it needs, each at most `width` columns wide, at most `most` of
/// them. ratatui's `Paragraph` wraps only while it draws; scrolling and searching need the lines
/// earlier.
pub(crate) fn wrapped(text: &str, width: usize, most: usize) -> Vec<String> {
    let mut out = Vec::new();
    for line in clean(text).replace('\t', "    ").lines() {
        wrap_into(&mut out, line.trim_end(), width.max(1), most);
        if out.len() >= most {
            break;
        }
    }
    out
}

/// Wraps one line over several, at spaces if there are any.
pub(crate) fn wrap_into(out: &mut Vec<String>, line: &str, width: usize, most: usize) {
    let mut rest = line;
    loop {
        if out.len() >= most {
            return;
        }
        if rest.width() <= width {
            out.push(rest.to_owned());
            return;
        }
        let hard = cut_at(rest, width);
        let (now, then) = rest.split_at_checked(soft_cut(rest, hard)).unwrap_or((rest, ""));
        out.push(now.trim_end().to_owned());
        rest = then.trim_start_matches(' ');
        if rest.is_empty() {
            return;
        }
    }
}

/// The last space up to a byte; the byte itself where one word fills the line.
fn soft_cut(text: &str, hard: usize) -> usize {
    let (before, after) = text.split_at_checked(hard).unwrap_or((text, ""));
    if after.starts_with(' ') {
        return hard;
    }
    let space =
        before.rfind(' ').filter(|at| !before.get(..*at).unwrap_or_default().trim().is_empty());
    space.unwrap_or(hard)
}

/// The byte up to which a text fits a width; at least one character.
fn cut_at(text: &str, width: usize) -> usize {
    let mut used = 0;
    for (at, character) in text.char_indices() {
        used += character.width().unwrap_or(0);
        if used > width && at > 0 {
            return at;
        }
    }
    text.len()
}

/// The status of a session, in words.
pub(crate) fn status_words(status: Status) -> &'static str {
    match status {
        Status::WaitingApproval => "waiting for approval",
        Status::Waiting => "waiting",
        Status::Running => "running",
        Status::Idle => "idle",
        Status::Exited => "done",
        Status::Unknown => "unknown",
    }
}

/// A span of our own words or of sanitized text.
pub(crate) fn span(text: impl Into<String>, style: Style) -> Span<'static> {
    Span::styled(text.into(), style)
}

/// Checks everything that is about to be shown, and replaces what a terminal could obey, hide
/// behind or choke on. Writers to the buffer have sanitized it already; this is the last check.
pub(crate) fn guard(buffer: &mut Buffer) {
    for cell in &mut buffer.content {
        let is_shown = match cell.symbol().as_bytes() {
            [] | [b' '..=b'~'] => true,
            [_] => false,
            _ => is_harmless(cell.symbol()),
        };
        if !is_shown {
            cell.set_symbol(INSTEAD);
        }
    }
}

fn is_harmless(symbol: &str) -> bool {
    symbol.chars().count() <= CLUSTER && clean(symbol) == symbol && !symbol.contains(['\n', '\t'])
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;

    #[test]
    fn long_lines_are_broken_at_spaces_or_anywhere() {
        let check = |text: &str, width: usize, expected: &[&str]| {
            assert_eq!(wrapped(text, width, 10), expected, "{text:?}");
        };
        check("one two three", 8, &["one two", "three"]);
        check("one two three", 7, &["one two", "three"]);
        check("a onetwothree", 9, &["a", "onetwothr", "ee"]);
        check("onetwothree", 4, &["onet", "woth", "ree"]);
        check("漢字漢字", 5, &["漢字", "漢字"]);
        check("漢", 1, &["漢"]);
        check("a\n\nb", 5, &["a", "", "b"]);
        check("\ta", 8, &["    a"]);
        check("", 5, &[]);
    }

    #[test]
    fn the_door_lets_nothing_through_that_a_terminal_obeys() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 1));
        let long = format!("a{}", "\u{301}".repeat(40));
        for (at, symbol) in
            ["\u{1b}", "\u{9b}", "\u{202e}", "a\n", "é", "漢", &long].iter().enumerate()
        {
            buffer.content[at].set_symbol(symbol);
        }
        guard(&mut buffer);
        let got: Vec<_> =
            buffer.content.iter().take(7).map(ratatui::buffer::Cell::symbol).collect();
        let instead = INSTEAD;
        assert_eq!(got, [instead, instead, instead, instead, "é", "漢", instead]);
    }
}
