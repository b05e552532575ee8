//! Secrets of many lines: each starts or ends with its own marker and is redacted whole, or as far
//! as it goes. These are private keys, as text, in PuTTY's format and in base64, and invites to a
//! team.

mod body;

use super::cut::cut;
use super::entropy::{decoded, mixed};
use body::{Body, after, before};
use std::ops::Range;

/// The names of the kinds.
pub(super) const KINDS: [&str; 2] = ["private-key", "taffrail-invite"];

/// The marker at the start of a block, the index of its kind, and a function that measures the
/// block.
type Mark = (&'static str, usize, fn(&str) -> Option<usize>);
const MARKS: [Mark; 4] = [
    (BEGIN, 0, pem),
    ("Private-Lines:", 0, putty),
    // `-----BEGIN` in base64, as Kubernetes and environments hold it.
    ("LS0tLS1CRUdJTi", 0, encoded),
    (INVITE, 1, invite),
];
const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";
const INVITE: &str = "taffrail-invite-";
const PRIVATE: &str = "PRIVATE KEY";
/// The longest block, in bytes.
const BLOCK_LIMIT: usize = 64 * 1024;
/// The longest first line, in bytes.
const LINE_LIMIT: usize = 80;
/// The most header lines before the body.
const HEADERS: usize = 8;
/// The shortest body that counts as content, in bytes.
const BODY_LEAST: usize = 16;

const BASE64: Body = Body {
    holds: |it| it.is_ascii_alphanumeric() || matches!(it, '+' | '/' | '='),
    is_line: |it| it.len() >= BODY_LEAST,
};
/// Ordinary words have dashes too, so a line of an invite must look random.
const WORD: Body = Body {
    holds: |it| it.is_ascii_alphanumeric() || matches!(it, '-' | '_'),
    is_line: |it| it.len() >= BODY_LEAST && mixed(it),
};

/// The blocks of a text, in order, with the index of their kinds. Each byte is read once in each
/// direction: a block contains no other start marker, and a block with only an end starts after the
/// previous one.
pub(super) fn blocks(text: &str, work: &mut usize) -> Vec<(Range<usize>, usize)> {
    let begins = begins(text);
    let ends = begins.iter().skip(1).map(|(at, _)| *at).chain([text.len()]);
    let mut found = Vec::new();
    for ((begin, (_, kind, length)), end) in begins.iter().zip(ends) {
        *work += end - begin;
        if let Some(length) = text.get(*begin..end).and_then(length) {
            found.push((*begin..begin + length, *kind));
        }
    }
    let tails = tails(text, &found, work);
    found.extend(tails);
    found
}

fn begins(text: &str) -> Vec<(usize, Mark)> {
    let of = |mark: Mark| text.match_indices(mark.0).map(move |(at, _)| (at, mark));
    let mut begins: Vec<_> = MARKS.into_iter().flat_map(of).collect();
    begins.sort_by_key(|(at, _)| *at);
    begins
}

/// Keys with an end and no start, as in the last lines of a file.
fn tails(
    text: &str,
    whole: &[(Range<usize>, usize)],
    work: &mut usize,
) -> Vec<(Range<usize>, usize)> {
    let (mut out, mut done, mut whole) = (Vec::new(), 0, whole.iter().peekable());
    for (at, _) in text.match_indices(END) {
        while let Some((range, _)) = whole.next_if(|(range, _)| range.start < at) {
            done = done.max(range.end);
        }
        let from = text.ceil_char_boundary(done.max(at.saturating_sub(BLOCK_LIMIT)));
        let Some(last) = text.get(at..).and_then(|it| title(it, END)) else { continue };
        if let Some(lines) = text.get(from..at) {
            *work += lines.len();
            let begin = at - before(lines, &BASE64);
            let end = at + END.len() + last.len() + DASHES.len();
            out.extend((begin < at).then_some((begin..end, 0)));
        }
        done = done.max(at);
    }
    out
}

/// The title in the first or last line of a private key, if it is one.
fn title<'a>(text: &'a str, begin: &str) -> Option<&'a str> {
    let title = cut(text, LINE_LIMIT).strip_prefix(begin)?;
    title.get(..title.find(DASHES)?).filter(|it| it.contains(PRIVATE))
}

fn pem(text: &str) -> Option<usize> {
    let title = title(text, BEGIN)?;
    let begin = BEGIN.len() + title.len() + DASHES.len();
    let rest = cut(text.get(begin..)?, BLOCK_LIMIT);
    let length = closed(rest, title).unwrap_or_else(|| open(rest));
    holding(text, begin, length)
}

/// The length of a block with a last line.
fn closed(rest: &str, title: &str) -> Option<usize> {
    let last = format!("{END}{title}{DASHES}");
    rest.find(&last).map(|it| it + last.len())
}

/// The length of a block without an end, including the headers about its encryption.
fn open(rest: &str) -> usize {
    let mut begin = 0;
    for _ in 0..HEADERS {
        let line = rest.get(begin..).map_or("", first_line);
        // An empty line may have a number, or end with an escape.
        let is_empty = line.chars().all(|it| !it.is_alphabetic() || matches!(it, 'n' | 'r'));
        if !is_empty && !line.contains(": ") {
            break;
        }
        begin += line.len();
    }
    match after(rest.get(begin..).unwrap_or_default(), &BASE64) {
        0 => after(rest, &BASE64),
        length => begin + length,
    }
}

/// A line with its end, which may be an escape; empty if the line is long.
fn first_line(text: &str) -> &str {
    let near = cut(text, LINE_LIMIT);
    let end = near.find('\n').map(|it| it + 1);
    let escaped = near.find("\\n").map(|it| it + 2);
    near.get(..end.into_iter().chain(escaped).min().unwrap_or(0)).unwrap_or_default()
}

fn putty(text: &str) -> Option<usize> {
    let begin = text.find(':')? + 1;
    holding(text, begin, after(cut(text.get(begin..)?, BLOCK_LIMIT), &BASE64))
}

fn encoded(text: &str) -> Option<usize> {
    let text = cut(text, BLOCK_LIMIT);
    let plain = decoded(cut(text, LINE_LIMIT));
    let is_private = plain.windows(PRIVATE.len()).any(|it| it == PRIVATE.as_bytes());
    is_private.then(|| after(text, &BASE64))
}

fn invite(text: &str) -> Option<usize> {
    let rest = cut(text.strip_prefix(INVITE)?, BLOCK_LIMIT);
    let word: &str = rest.split(|it| !(WORD.holds)(it)).next().unwrap_or_default();
    (WORD.is_line)(word).then(|| INVITE.len() + after(rest, &WORD))
}

/// The length of a block, if it has more than its first line.
fn holding(text: &str, begin: usize, length: usize) -> Option<usize> {
    let keyed = text.get(begin..begin + length)?.bytes().filter(u8::is_ascii_alphanumeric).count();
    (keyed >= BODY_LEAST).then_some(begin + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found = blocks(text, &mut 0);
        let found: Vec<&str> =
            found.iter().filter_map(|(range, _)| text.get(range.clone())).collect();
        assert_eq!(found, expected, "{text}");
    }

    const LINE: &str = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj";
    const FIRST: &str = "-----BEGIN RSA PRIVATE KEY-----";
    const LAST: &str = "-----END RSA PRIVATE KEY-----";

    #[test]
    fn a_block_is_taken_whole_or_as_far_as_it_goes() {
        let whole = format!("{FIRST}\n{LINE}\n{LINE}\n{LAST}");
        check(&whole, &[&whole]);
        check(&format!("{whole}\nand more {whole}"), &[&whole, &whole]);
        let escaped = format!("{FIRST}\\n{LINE}\\n{LAST}");
        check(&format!("{escaped}\\n\","), &[&escaped]);
        let open = format!("{FIRST}\n{LINE}\n{LINE}");
        check(&open, &[&open]);
        check(&format!("{open}\nand then some words"), &[&open]);
        check(&format!("{open}\n\nDone."), &[&open]);
        check(FIRST, &[]);
        check(&format!("{FIRST} is how such a file begins"), &[]);
        check(&whole.replace("PRIVATE", "PUBLIC"), &[]);
    }

    #[test]
    fn a_block_that_was_cut_is_taken_with_its_numbers_and_headers() {
        for between in ["\n", "\n     2→", "\n     2\t", "\n2:", "\\n  12 | ", "\n+", "\n> "] {
            let open = format!("{FIRST}{between}{LINE}{between}{LINE}");
            check(&format!("{open}\n"), &[&open]);
            let torn = format!("{open}{between}q8Zt");
            check(&torn, &[&torn]);
        }
        let header =
            format!("{FIRST}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n{LINE}");
        check(&header, &[&header]);
    }

    #[test]
    fn a_block_is_taken_from_its_end_where_that_is_all() {
        let tail = format!("{LINE}\n   49→{LINE}\n   50→x7Pq2k\n   51→{LAST}");
        check(&format!("   48→{tail}\n"), &[&tail]);
        check(&format!("it ends with {LAST} and nothing else"), &[]);
        check(&format!("see internationalisation\n{LAST}"), &[]);
        let whole = format!("{FIRST}\n{LINE}\n{LAST}");
        check(&format!("{whole}\n{LINE}\nsome words\n{LAST}"), &[&whole]);
    }

    #[test]
    fn other_marks_begin_blocks_too() {
        let putty = format!("Private-Lines: 2\n{LINE}\n{LINE}");
        check(&format!("Public-Lines: 1\n{LINE}\n{putty}\nPrivate-MAC: 0a1b"), &[&putty]);
        check("Private-Lines: 2", &[]);
        let key = "LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFdlFJQkFEQU4=";
        check(&format!("key: {key}, x"), &[key]);
        check("LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUV2UUlCQURBTg==", &[]);
        let invite = "taffrail-invite-x7Pq2_kLm9-TtR4sWz8Yb3Nc\n6Vd1Qe5x7Pq2_kLm9-TtR4sWz8Yb3Nc";
        check(&format!("take {invite} and join"), &[invite]);
        check("taffrail-invite-something-for-the-team", &[]);
    }
}
