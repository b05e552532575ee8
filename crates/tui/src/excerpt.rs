//! The excerpt of a search hit, with its matches marked.

use crate::paint::text::{span, wrap_into};
use crate::paint::theme::{Ink, Theme};
use crate::printer::{Printer, painted_line};
use crate::terminal::{clean, fit_words};
use ratatui::text::{Line, Span};
use taffrail_api::SearchHit;

/// The most rows of an excerpt.
const ROWS: usize = 3;

/// The excerpt as rows of a terminal of so many columns; no word is cut.
#[must_use]
pub fn rows(hit: &SearchHit, width: usize, printer: &Printer) -> Vec<String> {
    let letters = letters(hit);
    let text: String = letters.iter().map(|it| it.0).collect();
    let mut rows = Vec::new();
    wrap_into(&mut rows, text.trim(), width.max(1), ROWS + 1);
    if rows.len() > ROWS {
        rows.truncate(ROWS);
        // The row is as wide as it may be: the mark takes the place of its last word.
        let last = rows.pop();
        rows.extend(last.map(|it| fit_words(&format!("{it} …"), width.saturating_sub(1))));
    }
    // A row continues the text; only spaces between two rows are dropped.
    let mut rest = letters.iter();
    let row = |row: String| {
        let of = |it| rest.find(|next| next.0 == it).copied().unwrap_or((it, false));
        let kept: Vec<_> = row.chars().map(of).collect();
        painted_line(&line(&kept, printer.theme))
    };
    rows.into_iter().map(row).collect()
}

/// The excerpt on one line of so many columns, which shows its first match.
pub(crate) fn spans(hit: &SearchHit, room: usize, theme: Theme) -> Vec<Span<'static>> {
    let letters = letters(hit);
    let first = hit.matches.first().map_or(0, |[start, _]| *start);
    let from = first.saturating_sub(room / 3);
    let is_seen = hit.matches.first().is_none_or(|[_, end]| *end < room);
    if is_seen {
        return line(&letters, theme).spans;
    }
    let before = letters.get(from..first).unwrap_or_default();
    let from = before.iter().position(|it| it.0 == ' ').map_or(from, |at| from + at + 1);
    let mut out = vec![span("…", theme.style(Ink::Dim))];
    out.extend(line(letters.get(from..).unwrap_or_default(), theme).spans);
    out
}

/// The characters of the excerpt, harmless and on one line, and whether each is part of a match.
fn letters(hit: &SearchHit) -> Vec<(char, bool)> {
    let mut out = Vec::new();
    let mut matches = hit.matches.iter().peekable();
    for (at, letter) in hit.snippet.chars().enumerate() {
        while matches.next_if(|[_, end]| *end <= at).is_some() {}
        let is_found = matches.peek().is_some_and(|[start, _]| *start <= at);
        let letter = if letter.is_whitespace() { ' ' } else { letter };
        out.extend(clean(letter.encode_utf8(&mut [0; 4])).chars().map(|it| (it, is_found)));
    }
    out
}

fn line(letters: &[(char, bool)], theme: Theme) -> Line<'static> {
    let pieces = letters.chunk_by(|one, next| one.1 == next.1).filter_map(|alike| {
        let text: String = alike.iter().map(|it| it.0).collect();
        let ink = if alike.first()?.1 { Ink::Found } else { Ink::Plain };
        Some(span(text, theme.style(ink)))
    });
    Line::from(pieces.collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hyperlinks::Links;
    use crate::paint::theme::{Motion, Palette, Styles, ThemeChoice};
    use serde_json::json;
    use std::collections::HashMap;

    fn hit(snippet: &str, found: &str) -> SearchHit {
        let start = snippet.split_once(found).map_or(0, |(before, _)| before.chars().count());
        let end = start + found.chars().count();
        serde_json::from_value(json!({
            "session_id": "9dafbb93-c359-41dc-8402-b0c56aeb283d",
            "event_id": "0000000000000000000000000000000a", "turn_id": null,
            "kind": "assistant.message", "created_at": "2026-11-08T10:00:00Z",
            "snippet": snippet, "matches": [[start, end]], "stale": false, "agent": "codex",
            "title": null, "project_path": null, "source_uri": "x",
            "source_cursor": {"byte_offset": 0, "length": 1}, "score": 1.0,
        }))
        .unwrap()
    }

    #[test]
    fn rows_cut_no_word_and_mark_the_match() {
        let choice = (ThemeChoice::Auto, Styles::On);
        let printer = Printer::new(&HashMap::new(), choice, 80, Links::Off);
        let check = |snippet: &str, found: &str, expected: &[&str]| {
            let marked: Vec<_> = rows(&hit(snippet, found), 16, &printer);
            let found = printer.found(found);
            let expected: Vec<_> = expected.iter().map(|it| it.replace("{}", &found)).collect();
            assert_eq!(marked, expected, "{snippet}");
        };
        check("the flaky login test", "login", &["the flaky {}", "test"]);
        check("a\nb \u{1b}[31m c", "b", &["a {} \u{fffd}[31m c"]);
        let long = "one two three four five six seven eight nine ten eleven twelve";
        check(long, "two", &["one {} three", "four five six", "seven eight…"]);
        check("", "", &[""]);
    }

    #[test]
    fn a_line_shows_its_first_match() {
        let theme =
            Theme { palette: Palette::Colourless, motion: Motion::Reduced, is_guessed: false };
        let check = |snippet: &str, found: &str, expected: &str| {
            let spans = spans(&hit(snippet, found), 20, theme);
            let text: String = spans.iter().map(|it| it.content.as_ref()).collect();
            assert_eq!(text, expected, "{snippet}");
        };
        check("the flaky login test of last week", "login", "the flaky login test of last week");
        check("one two three four five six seven", "six", "…five six seven");
    }
}
