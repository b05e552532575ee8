//! Repairs text that was cut in the middle of a character.
//!
//! Agents written in JavaScript cut strings by UTF-16 units, so their JSON may contain half a
//! surrogate pair as an escape. No Rust string can hold that, and the whole record would be lost.

const PAIRED: usize = 12;
const SINGLE: usize = 6;
const STAND_IN: &[u8] = br"\ufffd";

/// The same line with every unpaired surrogate escape replaced; `None` if there is none.
pub fn mended(line: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(line.len());
    let mut rest = line;
    let mut found = false;
    while let Some((step, lone)) = next_step(rest) {
        let (head, tail) = rest.split_at_checked(step)?;
        out.extend_from_slice(if lone { STAND_IN } else { head });
        found |= lone;
        rest = tail;
    }
    found.then_some(out)
}

/// The number of bytes that belong together at the start, and whether they are half a character.
fn next_step(rest: &[u8]) -> Option<(usize, bool)> {
    let step = match rest {
        [] => return None,
        [b'\\', b'u', ..] => match (unit(rest), rest.get(SINGLE..).and_then(unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => (PAIRED, false),
            (Some(0xd800..=0xdfff), _) => (SINGLE, true),
            (Some(_), _) => (SINGLE, false),
            (None, _) => (1, false),
        },
        [b'\\', _, ..] => (2, false),
        _ => (plain(rest), false),
    };
    Some(step)
}

fn plain(rest: &[u8]) -> usize {
    rest.iter().position(|byte| *byte == b'\\').unwrap_or(rest.len()).max(1)
}

fn unit(escape: &[u8]) -> Option<u16> {
    let digits = escape.strip_prefix(br"\u")?.get(..4)?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_characters_are_replaced_and_whole_ones_kept() {
        let check = |line: &str, expected: Option<&str>| {
            let mended = mended(line.as_bytes()).map(|line| String::from_utf8(line).unwrap());
            assert_eq!(mended.as_deref(), expected, "{line}");
        };
        check(r#""a\ud83db""#, Some(r#""a\ufffdb""#));
        check(r#""\udc00""#, Some(r#""\ufffd""#));
        check(r#""\ud83d\ud83d\ude00""#, Some(r#""\ufffd\ud83d\ude00""#));
        check(r#""\ud83d\ude00""#, None);
        check(r#""\\ud83d""#, None);
        check(r#""\u00e9\n""#, None);
        check(r#""\u+123\u12"#, None);
        check(r"\", None);
        check("", None);
    }
}
