//! The first half of every sanitizer for files: nothing that is obeyed or hidden remains.

use crate::terminal::clean;

/// Plain text: drops colours, neutralizes other control characters and direction marks, and ends
/// every line with one line feed.
pub(super) fn plain(text: &str) -> String {
    let text = without_colours(text).replace("\r\n", "\n").replace('\r', "\n");
    clean(&text).into_owned()
}

/// Drops the colour codes of tools, which mean nothing in a file.
fn without_colours(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        out.push_str(before);
        let digits = after.trim_start_matches(|it: char| it.is_ascii_digit() || it == ';');
        match digits.strip_prefix('m') {
            Some(coloured) => rest = coloured,
            None => {
                out.push_str("\u{1b}[");
                rest = after;
            }
        }
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_go_and_the_rest_is_harmless() {
        let check = |text: &str, expected: &str| assert_eq!(plain(text), expected, "{text:?}");
        check("\u{1b}[1;31mred\u{1b}[0m and \u{1b}[mplain", "red and plain");
        check("\u{1b}[2Jx\u{1b}[", "\u{fffd}[2Jx\u{fffd}[");
        check("a\r\nb\rc\td", "a\nb\nc\td");
        check("\u{202e}gnp.exe\u{0}", "gnp.exe\u{fffd}");
    }
}
