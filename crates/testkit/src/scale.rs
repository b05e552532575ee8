//! The size of a slow suite: a slice on every check, everything on request.

use crate::Chance;
use crate::chance::hash;

/// The size of a run and the seed that chose its slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scale {
    /// `TAFFRAIL_FULL=1`: everything.
    pub full: bool,
    /// `TAFFRAIL_SEED`: a number, or any text.
    pub seed: u64,
}

impl Scale {
    /// Reads the environment and prints the result, so that a failure can be reproduced.
    #[must_use]
    pub fn from_env() -> Self {
        let full = std::env::var("TAFFRAIL_FULL").is_ok_and(|it| it == "1");
        let seed = std::env::var("TAFFRAIL_SEED").map_or(1, |text| seed_of(&text));
        eprintln!("TAFFRAIL_FULL={} TAFFRAIL_SEED={seed}", u8::from(full));
        Self { full, seed }
    }

    /// One of two sizes.
    #[must_use]
    pub fn pick<T>(self, slice: T, full: T) -> T {
        if self.full { full } else { slice }
    }

    /// A generator for one purpose.
    #[must_use]
    pub fn chance(self, purpose: &str) -> Chance {
        Chance::new(self.seed).fork(purpose)
    }
}

fn seed_of(text: &str) -> u64 {
    text.parse().unwrap_or_else(|_| hash(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_is_a_seed() {
        assert_eq!(seed_of("42"), 42);
        assert_eq!(seed_of("a1b2"), seed_of("a1b2"));
        assert_ne!(seed_of("a1b2"), seed_of("a1b3"));
    }
}
