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

/// At most this many characters, at the expense of the words around commands in backticks. If the
/// commands alone are too long, the last ones are left out whole.
pub(crate) fn fitted_around_commands(text: &str, limit: usize) -> String {
    let mut parts: Vec<String> = text.split('`').map(str::to_owned).collect();
    // An even number of parts leaves a backtick open, so that no command is known.
    if parts.len() < 3 || parts.len().is_multiple_of(2) {
        return fitted(text, limit);
    }
    while length(&parts) > limit {
        let words = parts.iter_mut().step_by(2).max_by_key(|it| it.chars().count());
        let is_shorter = words.is_some_and(drop_word);
        if !is_shorter && parts.len() < 3 {
            return fitted(&parts.join("`"), limit);
        }
        if !is_shorter {
            parts.truncate(parts.len() - 2);
        }
    }
    parts.join("`")
}

fn length(parts: &[String]) -> usize {
    parts.iter().map(|it| it.chars().count() + 1).sum::<usize>().saturating_sub(1)
}

/// Replaces the last word by an ellipsis; `false` if only that is left.
fn drop_word(words: &mut String) -> bool {
    const GONE: &str = "… ";
    let kept = words.trim_end_matches(['…', ' ']);
    if kept.is_empty() || words.chars().count() <= GONE.chars().count() {
        return false;
    }
    let end = kept.rfind(' ').map_or(0, |at| at + 1);
    let kept = kept.get(..end).unwrap_or_default().to_owned();
    let is_shorter = kept.chars().count() + GONE.chars().count() < words.chars().count();
    *words = if is_shorter { kept + GONE } else { GONE.to_owned() };
    true
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_whole_or_left_out() {
        let check = |text: &str, limit: usize, expected: &str| {
            assert_eq!(fitted_around_commands(text, limit), expected);
            assert!(expected.chars().count() <= limit, "{expected}");
        };
        let text = "It used all of it. Wait: `queue add 1`, or go: `handoff 1` (at 23 %).";
        check(text, 80, text);
        check(text, 60, "It used all … `queue add 1`, or go: `handoff 1` (at 23 %).");
        check(text, 32, "… `queue add 1`… `handoff 1` … ");
        check(text, 31, "… `queue add 1`… `handoff 1` … ");
        check(text, 20, "… `queue add 1`… ");
        check(text, 8, "… ");
        check("no command is in this one", 11, "no command…");
        check("an open ` backtick", 12, "an open ` b…");
    }
}
