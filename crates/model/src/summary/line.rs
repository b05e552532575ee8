//! Turns text into one short line that is safe to show.

use crate::redact::redact;
use pulldown_cmark::{Event, Parser};

/// The longest prefix of a text that is read, in bytes.
const LOOK: usize = 4096;

/// One line without secrets, control characters and direction marks.
pub(crate) fn plain(text: &str) -> String {
    let line = one_line(&redact(crate::text::cut(text, LOOK)));
    // A removed character may have split a secret.
    redact(&line).into_owned()
}

fn one_line(text: &str) -> String {
    let mut out = String::new();
    for word in text.split(|it: char| it.is_whitespace() || it.is_control()) {
        let word: String = word.chars().filter(|it| !is_hidden(*it)).collect();
        if !word.is_empty() {
            out.push_str(if out.is_empty() { "" } else { " " });
            out.push_str(&word);
        }
    }
    out
}

fn is_hidden(it: char) -> bool {
    matches!(it, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// At most this many characters; an ellipsis marks a cut.
pub(crate) fn fitted(text: &str, limit: usize) -> String {
    if text.chars().count() <= limit {
        return text.to_owned();
    }
    let kept: String = text.chars().take(limit.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// The text of a line of an answer, without Markdown syntax and link addresses.
pub(super) fn prose(line: &str) -> String {
    let said = Parser::new(line).filter_map(|event| match event {
        Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => {
            Some(text.into_string())
        }
        _ => None,
    });
    said.collect()
}

/// The first sentence of a line, without the marks of a list or heading.
pub(super) fn sentence(line: &str) -> &str {
    let line = line.trim_start_matches(['#', '*', '-', '>', '`', ' ', '•', '✅', '✓']);
    let ends = line.match_indices(['.', '!', '?', ':', ';']);
    let is_end = |at: usize, it: &str| {
        line.get(at + it.len()..)
            .is_none_or(|rest| rest.is_empty() || rest.starts_with([' ', '*', '\n']))
    };
    let end = ends.filter(|(at, it)| is_end(*at, it)).map(|(at, _)| at).next();
    line.get(..end.unwrap_or(line.len())).unwrap_or(line).trim_matches(['*', '`', '_', ' '])
}
