//! Bytes with their own checksum, to detect a file that a power failure left empty or torn.

use bytes::Bytes;

const MARK: &[u8; 4] = b"TFH1";
/// How many bytes of the hash are stored.
const SUM: usize = 16;

/// Prepends a marker and a checksum.
pub(super) fn wrap(bytes: &[u8]) -> Bytes {
    let mut framed = head(bytes);
    framed.extend_from_slice(bytes);
    framed.into()
}

/// The bytes, if they are intact.
pub(super) fn unwrap(mut framed: Bytes) -> Option<Bytes> {
    if framed.len() < MARK.len() + SUM {
        return None;
    }
    let written = framed.split_to(MARK.len() + SUM);
    (written == head(&framed)).then_some(framed)
}

fn head(bytes: &[u8]) -> Vec<u8> {
    let sum = blake3::hash(bytes);
    MARK.iter().chain(sum.as_bytes().iter().take(SUM)).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_cut_or_flip_is_noticed() {
        let framed = wrap(b"hello");
        assert_eq!(unwrap(framed.clone()), Some(Bytes::from("hello")));
        assert_eq!(unwrap(wrap(b"")), Some(Bytes::new()));
        for end in 0..framed.len() {
            assert_eq!(unwrap(framed.slice(..end)), None, "cut at {end}");
        }
        for at in 0..framed.len() {
            let mut flipped = framed.to_vec();
            flipped[at] ^= 1;
            assert_eq!(unwrap(flipped.into()), None, "flipped at {at}");
        }
    }
}
