//! What is done to foreign text before an agent reads it.

use taffrail_model::Cursor;
use taffrail_redact::redact;

/// The longest snippet that the search shows whole, in characters; a longer text was cut.
const WHOLE_SNIPPET: usize = 200;
/// The shortest word at a cut edge that may be half of a secret.
const SUSPECT: usize = 12;
/// What stands for text that was left out.
const CUT: &str = "…";

/// Foreign text without control characters, invisible characters and secrets.
///
/// Characters go first: one of them inside a secret would hide the secret.
pub(crate) fn quoted(text: &str) -> String {
    let visible: String = text.chars().filter_map(shown).collect();
    redact(&visible).into_owned()
}

/// The same on one line and of at most so many bytes.
pub(crate) fn quoted_line(text: &str, limit: usize) -> String {
    let line = quoted(text).split_whitespace().collect::<Vec<_>>().join(" ");
    cut(&line, limit)
}

/// A snippet of the search. A cut may halve a secret, which then looks like none: a long word at
/// the edge of a cut snippet is left out.
pub(crate) fn quoted_snippet(text: &str) -> String {
    let line = quoted_line(text, usize::MAX);
    if text.chars().count() < WHOLE_SNIPPET {
        return line;
    }
    let mut words: Vec<&str> = line.split(' ').collect();
    let is_suspect = |it: &&str| it.len() >= SUSPECT && !it.contains("[redacted:");
    if let Some(first) = words.first_mut().filter(|it| is_suspect(it)) {
        *first = CUT;
    }
    if let Some(last) = words.last_mut().filter(|it| is_suspect(it)) {
        *last = CUT;
    }
    words.join(" ")
}

/// A word of ours, or what claims to be one: letters, digits and few signs.
pub(crate) fn plain(text: &str) -> String {
    let is_plain = |it: &char| it.is_ascii_alphanumeric() || "._-:+".contains(*it);
    text.chars().filter(is_plain).take(48).collect()
}

/// Where something is written: the source and the byte, row or place in it.
pub(crate) fn cited(uri: &str, cursor: &Cursor) -> String {
    let is_safe = |it: &char| shown(*it).is_some() && !"<>\n\t".contains(*it);
    let uri: String = uri.chars().filter(is_safe).collect();
    let uri = cut(&uri, 600);
    match cursor {
        Cursor::Bytes { byte_offset, .. } => format!("{uri}:{byte_offset}"),
        Cursor::Row { table, rowid } => format!("{uri}:{}:{rowid}", plain(table)),
        Cursor::Pointer { .. } => format!("{uri}:#{}", cursor.position()),
    }
}

/// At most so many bytes of a text, with a mark if something is missing.
pub(crate) fn cut(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(limit.saturating_sub(CUT.len()));
    format!("{}{CUT}", text.get(..end).unwrap_or_default())
}

/// A character as it is shown; `None` for one that moves a cursor, turns text around or hides it.
fn shown(character: char) -> Option<char> {
    match character {
        '\n' | '\t' => Some(character),
        '\u{ad}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}' => None,
        other if other.is_control() => None,
        other => Some(other),
    }
}

#[cfg(test)]
#[expect(clippy::string_slice, reason = "the secret of the test is ASCII")]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_carries_no_controls_and_no_secrets() {
        let secret = format!("ghp_{}f6G7h8", "a1B2c3D4e5".repeat(3));
        let split = format!("{}\u{200b}{}", &secret[..9], &secret[9..]);
        let check = |text: &str, expected: &str| assert_eq!(quoted(text), expected);
        check("a\u{1b}[2Jb\r\nc\td", "a[2Jb\nc\td");
        check("le\u{202e}ft \u{e0041}tag", "left tag");
        let shown = quoted(&format!("key {split} end"));
        assert!(!shown.contains(&secret[4..24]) && shown.contains("[redacted:"), "{shown}");
    }

    #[test]
    fn half_a_secret_at_the_edge_of_a_snippet_is_left_out() {
        let long = format!("{} ghp_a1B2c3D4e5", "word ".repeat(50));
        assert!(quoted_snippet(&long).ends_with("word …"));
        assert_eq!(quoted_snippet("short ghp_notasecret"), "short ghp_notasecret");
    }

    #[test]
    fn a_place_is_cited_by_its_byte_row_or_number() {
        let check = |uri: &str, cursor: Cursor, expected: &str| {
            assert_eq!(cited(uri, &cursor), expected);
        };
        check("x:/a b.jsonl", Cursor::Bytes { byte_offset: 7, length: 2 }, "x:/a b.jsonl:7");
        check("x:/<y>\n", Cursor::Row { table: "t".into(), rowid: 3 }, "x:/y:t:3");
        check("x:/z", Cursor::Pointer { pointer: "/m/4".into() }, "x:/z:#4");
    }

    #[test]
    fn a_cut_ends_between_characters() {
        assert_eq!((cut("äöü", 6), cut("äöüx", 6)), ("äöü".to_owned(), "ä…".to_owned()));
    }
}
