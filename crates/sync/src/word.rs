//! Data that people carry by hand, as one word: a prefix, and bytes with a checksum in base64.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;

/// The most unpacked bytes of a word.
const MOST_BYTES: usize = 4 * 1024 * 1024;
const LEVEL: i32 = 19;
const CHECKSUM: usize = 4;

/// Why a word cannot be parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WordFault {
    /// It has another prefix.
    #[error("this is something else")]
    OtherPrefix,
    /// It was truncated or mistyped.
    #[error("it was cut off or changed on the way")]
    Damaged,
    /// It contains more than allowed.
    #[error("it is too large")]
    TooLarge,
}

/// Encodes bytes as one word.
pub(crate) fn to_word(prefix: &str, bytes: &[u8]) -> Result<String, WordFault> {
    let packed = zstd::bulk::compress(bytes, LEVEL).map_err(|_| WordFault::TooLarge)?;
    if bytes.len() > MOST_BYTES {
        return Err(WordFault::TooLarge);
    }
    let mut all = checksum(&packed).to_vec();
    all.extend_from_slice(&packed);
    Ok(format!("{prefix}{}", BASE64.encode(all)))
}

/// Decodes a word. White space inside it, as mail inserts it, does not matter.
pub(crate) fn from_word(prefix: &str, text: &str) -> Result<Vec<u8>, WordFault> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let body = text.strip_prefix(prefix).ok_or(WordFault::OtherPrefix)?;
    let all = BASE64.decode(body).map_err(|_| WordFault::Damaged)?;
    let (sum, packed) = all.split_at_checked(CHECKSUM).ok_or(WordFault::Damaged)?;
    if sum != checksum(packed) {
        return Err(WordFault::Damaged);
    }
    zstd::bulk::decompress(packed, MOST_BYTES).map_err(|_| WordFault::TooLarge)
}

/// A checksum against typing errors, not attackers: whoever can change a word can make one.
fn checksum(bytes: &[u8]) -> [u8; CHECKSUM] {
    let hash = blake3::hash(bytes);
    let [a, b, c, d, ..] = *hash.as_bytes();
    [a, b, c, d]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_word_is_read_back_whatever_white_space_came_in(bytes: Vec<u8>, at: usize) {
            let mut word = to_word("a-word-", &bytes).unwrap();
            word.insert_str(at % word.len(), " \r\n");
            prop_assert_eq!(from_word("a-word-", &word), Ok(bytes));
        }

        #[test]
        fn a_cut_or_mistyped_word_is_refused(bytes: Vec<u8>, at: usize, typed in "[A-Za-z0-9_-]") {
            let word = to_word("w-", &bytes).unwrap();
            let at = at % word.len();
            prop_assert!(from_word("w-", word.get(..at).unwrap()).is_err());
            let mut other = word.clone();
            other.replace_range(at..=at, &typed);
            prop_assert!(other == word || from_word("w-", &other).is_err());
        }
    }

    #[test]
    fn a_word_that_unpacks_without_end_is_refused() {
        let bomb = zstd::bulk::compress(&vec![0; MOST_BYTES + 1], LEVEL).unwrap();
        let mut all = checksum(&bomb).to_vec();
        all.extend_from_slice(&bomb);
        let word = format!("w-{}", BASE64.encode(all));
        assert_eq!(from_word("w-", &word), Err(WordFault::TooLarge));
        assert_eq!(to_word("w-", &vec![0; MOST_BYTES + 1]), Err(WordFault::TooLarge));
    }
}
