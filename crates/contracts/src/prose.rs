//! Sentences from the text of people and agents. Secrets are removed before a text is cut.

use taffrail_model::redact::redact;

/// The most characters of a text in a document.
const LONGEST: usize = 1000;

/// The sentences of a text, each on one line. A sentence ends with a punctuation mark before white
/// space, or at an empty line.
pub fn sentences(text: &str) -> impl Iterator<Item = String> {
    let mut out = Vec::new();
    for paragraph in text.split("\n\n").map(one_line) {
        let mut rest = paragraph.as_str();
        while let Some(end) = end_of_sentence(rest) {
            let (sentence, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
            out.push(sentence.trim().to_owned());
            rest = after.trim_start();
        }
        if !rest.is_empty() {
            out.push(rest.to_owned());
        }
    }
    out.into_iter()
}

/// The first sentences of a text, redacted.
#[must_use]
pub fn first_sentences(text: &str, count: usize) -> String {
    let all: Vec<_> = sentences(&redact(text)).take(count).collect();
    bounded(&all.join(" "))
}

/// The first sentences of a Markdown text, without its markup, redacted. Headings, tables and code are
/// left out; every item of a list is a sentence.
#[must_use]
pub fn summary(text: &str, count: usize) -> String {
    let redacted = redact(text);
    let lines = plain_lines(&redacted);
    let all: Vec<_> = lines.iter().flat_map(|line| sentences(line)).take(count).collect();
    let closed = |it: &String| format!("{}{}", it.trim_end_matches([':', ';', ',']), stop(it));
    match all.as_slice() {
        [one] => bounded(one),
        several => bounded(&several.iter().map(closed).collect::<Vec<_>>().join(" ")),
    }
}

fn stop(sentence: &str) -> &'static str {
    let is_closed = sentence.ends_with(['.', '!', '?', '…', '。', '！', '？', ')']);
    if is_closed { "" } else { "." }
}

/// The paragraphs and list items of a Markdown text, each on one line, without markup.
pub(crate) fn plain_lines(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let (mut in_code, mut goes_on) = (false, false);
    for line in text.lines().map(str::trim) {
        let is_fence = line.starts_with("```") || line.starts_with("~~~");
        in_code ^= is_fence;
        let is_markup = line.starts_with(['#', '|']) || line.chars().all(|it| "-=*_ ".contains(it));
        if is_fence || in_code || is_markup {
            goes_on = false;
            continue;
        }
        let item = list_item(line);
        match out.last_mut().filter(|_| goes_on && item.is_none()) {
            Some(last) => last.push_str(&format!(" {}", unmarked(line))),
            None => out.push(unmarked(item.unwrap_or(line))),
        }
        goes_on = true;
    }
    out
}

/// The text of a list item.
pub(crate) fn list_item(line: &str) -> Option<&str> {
    let bullet = ["- ", "* ", "+ ", "• "].iter().find_map(|mark| line.strip_prefix(mark));
    let numbered = || {
        let (number, text) = line.split_once(['.', ')'])?;
        let is_number = !number.is_empty() && number.bytes().all(|it| it.is_ascii_digit());
        text.strip_prefix(' ').filter(|_| is_number)
    };
    let item = bullet.or_else(numbered)?;
    let boxes = ["[ ] ", "[x] ", "[X] "];
    Some(boxes.iter().find_map(|it| item.strip_prefix(it)).unwrap_or(item).trim())
}

/// A line without emphasis, code marks and the targets of links.
pub(crate) fn unmarked(line: &str) -> String {
    let line = line.trim_start_matches("> ").replace("**", "").replace("__", "").replace('`', "");
    let mut out = String::new();
    let mut rest = line.as_str();
    while let Some((before, after)) = rest.split_once("](") {
        let Some((_, behind)) = after.split_once(')') else { break };
        out.push_str(&before.replacen('[', "", 1));
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// A text on one line, redacted and bounded.
#[must_use]
pub fn said(text: &str) -> String {
    bounded(&one_line(&redact(text)))
}

fn bounded(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let kept: String = text.chars().take(LONGEST - 1).collect();
    format!("{}…", kept.trim_end())
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The end of the first sentence. A mark inside a word or a number does not end a sentence, and
/// neither does one before a lower-case letter, as in an abbreviation.
fn end_of_sentence(text: &str) -> Option<usize> {
    let mut chars = text.char_indices().peekable();
    while let Some((at, it)) = chars.next() {
        if matches!(it, '。' | '！' | '？') {
            return Some(at + it.len_utf8());
        }
        if !matches!(it, '.' | '!' | '?') || chars.peek().is_none_or(|(_, next)| *next != ' ') {
            continue;
        }
        let begins = chars.clone().nth(1).map(|(_, next)| next);
        if begins.is_none_or(|next| !next.is_lowercase()) {
            return Some(at + it.len_utf8());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sentences_end_where_people_end_them() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(sentences(text).collect::<Vec<_>>(), expected, "{text}");
        };
        check("", &[]);
        check("Fix it", &["Fix it"]);
        check("Fix it. Then test! Why? Because.", &["Fix it.", "Then test!", "Why?", "Because."]);
        check("Use v1.2 of a.rs, e.g. the new one.", &["Use v1.2 of a.rs, e.g. the new one."]);
        check("A title\n\nA text\nof lines.", &["A title", "A text of lines."]);
        check("修复。测试", &["修复。", "测试"]);
    }

    #[test]
    fn a_goal_is_cut_after_its_third_sentence() {
        assert_eq!(first_sentences("One. Two. Three. Four.", 3), "One. Two. Three.");
        let long = first_sentences(&"é".repeat(5000), 3);
        assert_eq!((long.chars().count(), long.ends_with('…')), (1000, true));
    }

    #[test]
    fn a_summary_has_sentences_and_no_markup() {
        let check = |text: &str, count: usize, expected: &str| {
            assert_eq!(summary(text, count), expected, "{text}");
        };
        let answer = "## Done so far\n\n- The **bucket** refills\n- `src/window.rs` is gone\n\n## Left\n- Tests";
        check(answer, 2, "The bucket refills. src/window.rs is gone.");
        check("It works.\nSee [the page](https://x.org/a).", 3, "It works. See the page.");
        check("# Plan\n\nUse a token bucket. Then test.", 1, "Use a token bucket.");
        check("```\ncode\n```\nAfter it", 3, "After it");
        check("", 3, "");
        check("| a | b |\n|---|---|\nText", 1, "Text");
        check("1. [x] First\n2) second", 2, "First. second.");
    }

    proptest! {
        #[test]
        fn no_word_is_lost_or_made(text in "[a-zA-Z.!? \n]{0,200}") {
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            let joined: Vec<_> = sentences(&text).collect();
            prop_assert_eq!(words(&joined.join(" ")), words(&text));
        }
    }
}
