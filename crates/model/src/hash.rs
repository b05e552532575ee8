//! The one function that turns bytes into an identity.

/// A 16-byte digest: an identity, a checksum of raw bytes, or a hash of content.
pub type Digest16 = [u8; 16];

/// Inputs up to this many bytes are hashed without allocating; nearly all ids are.
const SMALL: usize = 256;

/// Hashes parts under a purpose. Each part is preceded by its length, so that different lists of
/// parts never produce the same bytes.
#[must_use]
pub fn digest(purpose: &str, parts: &[&[u8]]) -> Digest16 {
    let all = || std::iter::once(purpose.as_bytes()).chain(parts.iter().copied());
    let size = all().map(|part| part.len() + 8).sum();
    let mut small = [0; SMALL];
    if let Some(room) = small.get_mut(..size) {
        lay_out(all(), room);
        return of_bytes(room);
    }
    let mut large = vec![0; size];
    lay_out(all(), &mut large);
    of_bytes(&large)
}

fn lay_out<'p>(parts: impl Iterator<Item = &'p [u8]>, mut room: &mut [u8]) {
    for part in parts {
        let length = (part.len() as u64).to_le_bytes();
        for piece in [&length, part] {
            // The buffer is as large as all parts together.
            let Some((here, rest)) = room.split_at_mut_checked(piece.len()) else { return };
            here.copy_from_slice(piece);
            room = rest;
        }
    }
}

/// A checksum of bytes in a source: it detects a change, and does not serve as an identity.
#[must_use]
pub fn checksum(bytes: &[u8]) -> Digest16 {
    twox_hash::XxHash3_128::oneshot(bytes).to_be_bytes()
}

/// Hashes bytes into an identity.
#[must_use]
pub fn of_bytes(bytes: &[u8]) -> Digest16 {
    truncated(&blake3::hash(bytes))
}

fn truncated(hash: &blake3::Hash) -> Digest16 {
    let mut out = [0; 16];
    for (to, from) in out.iter_mut().zip(hash.as_bytes()) {
        *to = *from;
    }
    out
}

/// Formats bytes as lower-case hex digits; a digest as 32 of them.
#[must_use]
pub fn to_hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut out, byte| {
        // Writing to a String cannot fail.
        write!(out, "{byte:02x}").ok();
        out
    })
}

/// Parses 32 hex digits, with or without dashes.
#[must_use]
pub fn from_hex(text: &str) -> Option<Digest16> {
    let mut out = [0; 16];
    let mut digits = text.bytes().filter(|b| *b != b'-');
    for byte in &mut out {
        let high = char::from(digits.next()?).to_digit(16)?;
        let low = char::from(digits.next()?).to_digit(16)?;
        *byte = u8::try_from(high * 16 + low).ok()?;
    }
    digits.next().is_none().then_some(out)
}

/// Serializes an optional digest as hex digits.
pub(crate) mod maybe_hex {
    use super::{Digest16, from_hex, to_hex};
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[expect(clippy::ref_option, reason = "the signature serde asks for")]
    pub(crate) fn serialize<S: Serializer>(
        digest: &Option<Digest16>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        digest.as_ref().map(|it| to_hex(it)).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Digest16>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        Ok(text.as_deref().and_then(from_hex))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_never_run_together() {
        assert_ne!(digest("x", &[b"ab", b"c"]), digest("x", &[b"a", b"bc"]));
        assert_ne!(digest("x", &[b"a"]), digest("y", &[b"a"]));
    }

    #[test]
    fn parts_are_laid_out_alike_at_every_size() {
        for length in [0, SMALL - 31, SMALL - 30] {
            let part = vec![7; length];
            let mut bytes = Vec::new();
            for piece in [b"purpose".as_slice(), b"", &part] {
                bytes.extend_from_slice(&(piece.len() as u64).to_le_bytes());
                bytes.extend_from_slice(piece);
            }
            assert_eq!(digest("purpose", &[b"", &part]), of_bytes(&bytes), "{length}");
        }
    }

    #[test]
    fn hex_goes_there_and_back() {
        let digest = of_bytes(b"taffrail");
        assert_eq!(from_hex(&to_hex(&digest)), Some(digest));
        assert_eq!(from_hex("00"), None);
        assert_eq!(from_hex(&"0".repeat(33)), None);
    }
}
