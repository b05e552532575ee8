//! Estimates whether a run of characters is a secret: random text looks unlike words.

use super::placeholder::{is_code, is_placeholder, is_reference};

/// Prefixes of long runs that are public: public keys, certificates, checksums.
const PUBLIC: [&str; 6] = ["AAAA", "MII", "sha1-", "sha256-", "sha384-", "sha512-"];

/// The pattern alone is enough.
pub(super) fn always(_: &str) -> bool {
    true
}

/// Whether it varies as much as random text, without four typed x in a row.
pub(super) fn varied(text: &str) -> bool {
    let is_blanked = |it: &[u8]| it.iter().all(|byte| byte.eq_ignore_ascii_case(&b'x'));
    bits(text) >= 2.8 && !text.as_bytes().windows(4).any(is_blanked)
}

/// Whether it varies, and mixes cases or digits as no word does.
pub(super) fn mixed(text: &str) -> bool {
    let count = Count::of(text);
    varied(text)
        && ((count.upper > 0 && count.lower > 0) || count.digit > 2)
        && changes(text) >= 0.15
}

/// Whether it looks generated, given that its name means secret, key or token.
pub(super) fn secret(text: &str) -> bool {
    !is_placeholder(text)
        && !is_reference(text)
        && (random(text) || is_uuid(text) || is_hex_key(text))
}

/// Whether it is the credential after the scheme of an authorization header.
pub(super) fn authorization(text: &str) -> bool {
    let count = Count::of(text);
    !is_placeholder(text) && !is_code(text) && (count.digit > 0 || bits(text) >= 3.5)
}

/// Whether it looks generated and is in a URL, where it may be short.
pub(super) fn in_query(text: &str) -> bool {
    let count = Count::of(text);
    let is_short_key = text.len() >= 10
        && count.digit >= 2
        && count.lower + count.upper >= 2
        && count.other == 0
        && changes(text) >= 0.25;
    secret(text) || (is_short_key && !is_placeholder(text))
}

/// Whether it looks generated, with only a hint nearby: long, of both cases, with digits.
pub(super) fn drawn(text: &str) -> bool {
    let count = Count::of(text);
    random(text)
        && bits(text) >= 4.0
        && count.upper >= 3
        && count.lower >= 3
        && count.digit >= 2
        && changes(text) >= 0.4
        && !is_placeholder(text)
        && !is_reference(text)
        && !is_checksum(text)
        && !is_labelled(text)
        && !PUBLIC.iter().any(|it| text.starts_with(it))
}

/// Whether it is a name and a password in base64, as registry configurations hold them.
pub(super) fn encoded_pair(text: &str) -> bool {
    let plain = decoded(text);
    plain.contains(&b':') && plain.iter().all(|it| (0x20..0x7f).contains(it))
}

/// Whether letters and digits alternate as in random text.
fn random(text: &str) -> bool {
    let count = Count::of(text);
    if text.len() < 16 || !text.is_ascii() || bits(text) < 3.0 || count.other > text.len() / 3 {
        return false;
    }
    let changes = changes(text);
    let drawn_digits = count.digit >= 2 && count.lower + count.upper >= 2 && changes >= 0.2;
    drawn_digits || (count.upper >= 3 && count.lower >= 3 && changes >= 0.45)
}

/// Whether it has the length and padding of a checksum of 32 or 64 bytes in base64.
fn is_checksum(text: &str) -> bool {
    (text.len() == 44 && text.ends_with('=')) || (text.len() == 88 && text.ends_with("=="))
}

/// Whether it is an id with a prefix for its type, such as `req_` and `msg_`.
fn is_labelled(text: &str) -> bool {
    text.split_once('_').is_some_and(|(label, _)| {
        (2..=8).contains(&label.len()) && label.bytes().all(|it| it.is_ascii_lowercase())
    })
}

fn is_hex_key(text: &str) -> bool {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    digits.len() >= 32 && digits.bytes().all(|it| it.is_ascii_hexdigit()) && bits(digits) >= 2.8
}

fn is_uuid(text: &str) -> bool {
    let parts: Vec<usize> = text.split('-').map(str::len).collect();
    parts == [8, 4, 4, 4, 12]
        && text.bytes().all(|it| it == b'-' || it.is_ascii_hexdigit())
        && bits(text) > 2.5
}

/// The entropy per character, in bits.
#[expect(clippy::cast_precision_loss, reason = "counts of characters are small")]
fn bits(text: &str) -> f64 {
    let mut counts = [0u32; 256];
    for byte in text.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let all = text.len() as f64;
    let share = |count: &u32| f64::from(*count) / all;
    counts.iter().filter(|it| **it > 0).map(share).map(|it| -it * it.log2()).sum()
}

/// How often neighbouring letters and digits are of different classes.
fn changes(text: &str) -> f64 {
    let kinds: Vec<Option<u8>> = text.bytes().map(kind).collect();
    let pairs = kinds.windows(2).filter_map(|it| match it {
        [Some(one), Some(two)] => Some(one != two),
        _ => None,
    });
    let (mut all, mut changed) = (0u32, 0u32);
    for it in pairs {
        all += 1;
        changed += u32::from(it);
    }
    if all == 0 { 0.0 } else { f64::from(changed) / f64::from(all) }
}

fn kind(byte: u8) -> Option<u8> {
    match byte {
        b'a'..=b'z' => Some(0),
        b'A'..=b'Z' => Some(1),
        b'0'..=b'9' => Some(2),
        _ => None,
    }
}

/// The number of characters of each class.
pub(super) struct Count {
    pub(super) lower: usize,
    pub(super) upper: usize,
    pub(super) digit: usize,
    pub(super) other: usize,
}

impl Count {
    pub(super) fn of(text: &str) -> Self {
        let mut it = Self { lower: 0, upper: 0, digit: 0, other: 0 };
        for byte in text.chars() {
            let place = match byte {
                'a'..='z' => &mut it.lower,
                'A'..='Z' => &mut it.upper,
                '0'..='9' => &mut it.digit,
                _ => &mut it.other,
            };
            *place += 1;
        }
        it
    }
}

/// Decodes base64, skipping other characters.
pub(super) fn decoded(text: &str) -> Vec<u8> {
    let (mut out, mut held, mut width) = (Vec::new(), 0u32, 0u32);
    for byte in text.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => continue,
        };
        held = (held << 6 | u32::from(value)) & 0xffff;
        width += 6;
        if width >= 8 {
            width -= 8;
            out.push(u8::try_from((held >> width) & 0xff).unwrap_or_default());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chance_is_told_from_words() {
        let check = |test: fn(&str) -> bool, text: &str, expected: bool| {
            assert_eq!(test(text), expected, "{text}");
        };
        check(secret, "q8Zt4nWc0RjX2mLp7Vb1", true);
        check(secret, "b7c1e09fa2d84c5590aa1b3c4d5e6f70", true);
        check(secret, "550e8400-e29b-41d4-a716-446655440000", true);
        check(secret, "settings.api_key_for_tests", false);
        check(secret, "my-service-2024-01-prod-v2", false);
        check(secret, "getTheTokenFromSomewhere", false);
        check(secret, "your-api-key-goes-here-123", false);
        check(secret, "/run/secrets/token-7f3a9b2c", false);
        check(secret, "short1", false);
        check(secret, "SslExpandExporterMasterKeyFn", false);
        check(encoded_pair, "dXNlcjpwYXNzd29yZDE=", true);
        check(encoded_pair, "aGVsbG8gd29ybGQgYWdhaW4=", false);
        check(varied, "xxxxxxxxxxxxxxxxxxxx", false);
    }
}
