//! Private keys: a block that begins with a line of its own kind, whole or cut off.

/// What such a block is called.
pub(super) const KIND: &str = "private-key";
/// Where one may begin.
pub(super) const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";
/// The longest block, in bytes.
const BLOCK_LIMIT: usize = 64 * 1024;
/// The longest first line.
const LINE_LIMIT: usize = 80;
/// As much of a body must be there for the block to hold anything.
const BODY_LEAST: usize = 16;

/// The block at the beginning of a text that holds no other beginning, if it is that of a private
/// key and more than its first line. Gives its length.
pub(super) fn first(text: &str) -> Option<usize> {
    let name = crate::text::cut(text, LINE_LIMIT).strip_prefix(BEGIN)?;
    let name = name.get(..name.find(DASHES)?)?;
    if !name.contains("PRIVATE KEY") {
        return None;
    }
    let body = BEGIN.len() + name.len() + DASHES.len();
    let rest = crate::text::cut(text.get(body..)?, BLOCK_LIMIT);
    let length = closed(rest, name).unwrap_or_else(|| open(rest));
    let keyed = rest.get(..length)?.bytes().filter(u8::is_ascii_alphanumeric).count();
    (keyed >= BODY_LEAST).then_some(body + length)
}

/// How far a block goes whose last line is there.
fn closed(rest: &str, name: &str) -> Option<usize> {
    let last = format!("{END}{name}{DASHES}");
    rest.find(&last).map(|it| it + last.len())
}

/// How far a block without an end goes: as long as it is made of long runs.
fn open(rest: &str) -> usize {
    let (mut end, mut begin) = (0, 0);
    for run in rest.split_inclusive(|it: char| !is_keyed(it)) {
        let kept = run.trim_end_matches(|it: char| !is_keyed(it));
        // Between the lines there may be white space, quotes, or line ends written as escapes; and
        // the last line may be short, which its padding shows.
        let between = matches!(kept, "" | "n" | "r" | "t");
        let last = end > 0 && kept.ends_with('=');
        if kept.len() >= BODY_LEAST || last {
            end = begin + kept.len();
        } else if !between {
            break;
        }
        begin += run.len();
    }
    end
}

fn is_keyed(it: char) -> bool {
    it.is_ascii_alphanumeric() || matches!(it, '+' | '/' | '=')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_taken_whole_or_as_far_as_it_goes() {
        let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj";
        let begin = "-----BEGIN RSA PRIVATE KEY-----";
        let end = "-----END RSA PRIVATE KEY-----";
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(first(text).and_then(|it| text.get(..it)), expected, "{text}");
        };
        let whole = format!("{begin}\n{line}\n{line}\n{end}");
        check(&whole, Some(&whole));
        check(&format!("{whole}\nand more"), Some(&whole));
        let escaped = format!("{begin}\\n{line}\\n{end}");
        check(&format!("{escaped}\\n\","), Some(&escaped));
        let open = format!("{begin}\n{line}\n{line}");
        check(&open, Some(&open));
        check(&format!("{open}\nand then some words"), Some(&open));
        check(begin, None);
        check(&format!("{begin} is how such a file begins"), None);
        check(&whole.replace("PRIVATE", "PUBLIC"), None);
    }
}
