//! Secrets that people type: a hundred bits in five groups of four letters.

use std::fmt;
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

/// Digits and letters that people do not confuse (Crockford's base 32).
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// How many letters a secret has, of five bits each.
const LENGTH: usize = 20;
const GROUP: usize = 4;

/// A secret as people type it. It is never printed by mistake, and is wiped on drop.
#[derive(Clone, PartialEq, Eq, Zeroize, ZeroizeOnDrop)]
pub struct Letters(String);

impl Letters {
    /// Makes a secret from random bytes.
    #[must_use]
    pub fn from_random(random: &[u8; 32]) -> Self {
        let letters = random.iter().take(LENGTH).filter_map(|it| {
            let at = usize::from(it & 31);
            ALPHABET.get(at).copied().map(char::from)
        });
        Self(letters.collect())
    }

    /// Parses what a person typed: case, spaces and hyphens do not matter, nor do `o`, `i` and `l`
    /// for the digits they look like.
    #[must_use]
    pub fn parse(typed: &str) -> Option<Self> {
        let written = typed.chars().filter(|it| !it.is_whitespace() && *it != '-');
        let meant = written.map(|it| match it.to_ascii_lowercase() {
            'o' => '0',
            'i' | 'l' => '1',
            other => other,
        });
        let text: Zeroizing<String> = Zeroizing::new(meant.collect());
        let is_letter = |it: u8| ALPHABET.contains(&it);
        (text.len() == LENGTH && text.bytes().all(is_letter)).then(|| Self(text.to_string()))
    }

    /// The letters without groups.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// The text for people, in groups.
    #[must_use]
    pub fn to_text(&self) -> Zeroizing<String> {
        let mut out = Zeroizing::new(String::with_capacity(2 * LENGTH));
        for (n, letter) in self.0.chars().enumerate() {
            if n > 0 && n.is_multiple_of(GROUP) {
                out.push('-');
            }
            out.push(letter);
        }
        out
    }
}

impl fmt::Debug for Letters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Letters")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_secret_is_read_back_however_it_is_typed(random: [u8; 32], upper: bool, bare: bool) {
            let secret = Letters::from_random(&random);
            let mut typed = secret.to_text().to_string();
            prop_assert_eq!(typed.len(), 24);
            if upper {
                typed = typed.to_uppercase().replace('0', "O").replace('1', "I");
            }
            if bare {
                typed = typed.replace('-', " ");
            }
            prop_assert_eq!(Letters::parse(&typed), Some(secret));
        }

        #[test]
        fn a_letter_too_few_or_too_many_is_no_secret(random: [u8; 32], at in 0_usize..24) {
            let typed = Letters::from_random(&random).to_text().to_string();
            let (mut less, mut more) = (typed.replace('-', ""), typed.clone());
            less.remove(at.min(19));
            more.insert(at, 'x');
            prop_assert_eq!(Letters::parse(&less), None);
            prop_assert_eq!(Letters::parse(&more), None);
            prop_assert_eq!(Letters::parse(&typed.replace(typed.chars().next().unwrap(), "u")), None);
        }
    }

    #[test]
    fn every_letter_counts_five_bits() {
        let seen: std::collections::BTreeSet<_> =
            (0..=255_u8).map(|it| Letters::from_random(&[it; 32]).to_text().to_string()).collect();
        assert_eq!(seen.len(), 32);
    }
}
