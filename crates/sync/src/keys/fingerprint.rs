//! Six words for two keys, from our own list of 2,048.

use crate::signing::{Purpose, digest};
use std::fmt;

const WORDS: &str = include_str!("words.txt");
/// The number of words; each encodes eleven bits.
const COUNT: usize = 6;
const BITS: u32 = 11;

/// The first 66 bits of the hash of a device's keys, as six words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint([u16; COUNT]);

impl Fingerprint {
    pub(super) fn of(signing: &[u8; 32], recipient: &str) -> Self {
        let hash = digest(Purpose::Fingerprint, &[signing, recipient.as_bytes()]);
        let mut bits = hash.as_bytes().iter().take(16).fold(0_u128, |bits, byte| {
            // The first byte is the most significant.
            (bits << 8) | u128::from(*byte)
        });
        Self(std::array::from_fn(|_| {
            bits = bits.rotate_left(BITS);
            // The mask leaves eleven bits.
            u16::try_from(bits & ((1 << BITS) - 1)).unwrap_or_default()
        }))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, number) in self.0.iter().enumerate() {
            let dash = if place == 0 { "" } else { "-" };
            let word = WORDS.lines().nth(usize::from(*number)).unwrap_or_default();
            write!(f, "{dash}{word}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_list_has_2048_short_words() {
        let words: BTreeSet<_> = WORDS.lines().collect();
        assert_eq!((words.len(), WORDS.lines().count()), (1 << BITS, 1 << BITS));
        let odd = |word: &&&str| {
            !(3..=6).contains(&word.len()) || !word.bytes().all(|b| b.is_ascii_lowercase())
        };
        assert_eq!(words.iter().find(odd), None);
    }

    #[test]
    fn every_bit_of_the_first_66_counts() {
        let hash = digest(Purpose::Fingerprint, &[&[1; 32], b"age1"]);
        let written: String = hash.as_bytes().iter().map(|byte| format!("{byte:08b}")).collect();
        let got: String =
            Fingerprint::of(&[1; 32], "age1").0.iter().map(|n| format!("{n:011b}")).collect();
        assert_eq!(Some(got.as_str()), written.get(..66));
    }
}
