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

    proptest! {
        #[test]
        fn no_word_is_lost_or_made(text in "[a-zA-Z.!? \n]{0,200}") {
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            let joined: Vec<_> = sentences(&text).collect();
            prop_assert_eq!(words(&joined.join(" ")), words(&text));
        }
    }
}
