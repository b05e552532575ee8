//! Deterministic, bounded fuzzing: damaged inputs for one entry point of the program.
//!
//! The inputs are derived from real ones. The entry point must not panic and must not take longer
//! than an input's length allows; the test checks everything else. A failure prints its input, and
//! `TAFFRAIL_SEED` reproduces it.

mod bytes;

pub use bytes::Damager;

use crate::mutate::{Lengths, Mutator};
use crate::{Chance, Scale};
use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// The most CPU time for an input, and for each of its bytes, in a build without optimizations.
const SLOW: Duration = Duration::from_millis(500);
const SLOW_A_BYTE: Duration = Duration::from_micros(20);
/// How many times a slow input is repeated on a noisy machine before it counts as slow.
const TRIES: usize = 5;
/// How much of an input a failure shows, in bytes.
const SHOWN: usize = 4_000;
/// The longest input that is made.
const LONGEST: usize = 64 * 1024;

/// The number of inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// On every check.
    pub slice: usize,
    /// With `TAFFRAIL_FULL=1`.
    pub full: usize,
}

/// Inputs for one entry point.
#[derive(Debug)]
pub struct Fuzz {
    name: &'static str,
    seeds: Vec<Vec<u8>>,
    words: &'static [&'static str],
}

impl Fuzz {
    /// Derives inputs from these.
    ///
    /// # Panics
    /// When `seeds` is empty.
    #[must_use]
    pub fn of(name: &'static str, seeds: impl IntoIterator<Item = impl Into<Vec<u8>>>) -> Self {
        let seeds: Vec<Vec<u8>> = seeds.into_iter().map(Into::into).collect();
        assert!(!seeds.is_empty(), "{name} has no seeds");
        Self { name, seeds, words: &[] }
    }

    /// Words that mean something to this entry point; they are inserted, too.
    #[must_use]
    pub fn with_words(self, words: &'static [&'static str]) -> Self {
        Self { words, ..self }
    }

    /// Tries damaged inputs, and returns how many the entry point accepted.
    ///
    /// # Panics
    /// When the entry point panics or is slow.
    pub fn run(&self, counts: Counts, mut door: impl FnMut(&[u8]) -> Took) -> usize {
        let scale = Scale::from_env();
        let count = scale.pick(counts.slice, counts.full);
        let mut maker = Maker::new(self, scale.chance(self.name));
        let (began, mut taken, mut bytes) = (worked(), 0, 0);
        for number in 0..count {
            let input = maker.next();
            bytes += input.len();
            taken += usize::from(self.try_one(number, &input, &mut door) == Took::Yes);
        }
        let took = worked().saturating_sub(began);
        eprintln!("{}: {count} inputs, {bytes} bytes, {taken} taken, in {took:?}", self.name);
        taken
    }

    fn try_one(&self, number: usize, input: &[u8], door: &mut impl FnMut(&[u8]) -> Took) -> Took {
        let told = InputReport { name: self.name, number, input };
        let (took, outcome) = timed(|| door(input));
        let most = SLOW + SLOW_A_BYTE * u32::try_from(input.len()).unwrap_or(u32::MAX);
        if took > most {
            let best = (1..TRIES).map(|_| timed(|| door(input)).0).min().unwrap_or(took);
            assert!(best <= most, "{best:?} for {} bytes", input.len());
        }
        drop(told);
        outcome
    }
}

/// Whether an entry point accepted an input. A run that accepts none tests nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Took {
    /// It accepted the input.
    Yes,
    /// It refused the input.
    No,
}

impl From<bool> for Took {
    fn from(it: bool) -> Self {
        if it { Self::Yes } else { Self::No }
    }
}

/// Prints the input if the entry point panics.
struct InputReport<'a> {
    name: &'a str,
    number: usize,
    input: &'a [u8],
}

impl Drop for InputReport<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let begin = &self.input[..self.input.len().min(SHOWN)];
            let (name, number, length) = (self.name, self.number, self.input.len());
            eprintln!("{name}: input {number} of {length} bytes: {}", begin.escape_ascii());
        }
    }
}

/// Generates one input after another.
struct Maker<'a> {
    chance: Chance,
    seeds: &'a [Vec<u8>],
    members: Mutator,
    bytes: Damager,
}

impl<'a> Maker<'a> {
    fn new(fuzz: &'a Fuzz, chance: Chance) -> Self {
        let lengths = Lengths { usual: (500, LONGEST), extreme: None };
        let members = Mutator::new(chance.fork("members"), lengths);
        let bytes = Damager::new(chance.fork("bytes"), fuzz.words, LONGEST);
        Self { chance, seeds: &fuzz.seeds, members, bytes }
    }

    /// One in fifty is an unchanged seed; half the time the members of a single JSON object are
    /// damaged.
    fn next(&mut self) -> Vec<u8> {
        let [one, other] = [(); 2].map(|()| self.chance.pick(self.seeds));
        match self.chance.below(50) {
            0 => one.clone(),
            1..25 if one.starts_with(b"{") => self.members.mutate(one, other),
            _ => self.bytes.damage(one, other),
        }
    }
}

/// The CPU time that work took: a loaded machine does not make it longer.
pub fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let began = worked();
    let out = work();
    (worked().saturating_sub(began), out)
}

/// The CPU time of this thread so far.
fn worked() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.cast_unsigned(), u32::try_from(now.tv_nsec).unwrap())
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNTS: Counts = Counts { slice: 200, full: 200 };

    #[test]
    fn the_same_seed_makes_the_same_inputs() {
        let made = || {
            let mut all = Vec::new();
            let fuzz = Fuzz::of("x", ["{\"a\":1}", "a = 1"]).with_words(&["="]);
            let taken = fuzz.run(COUNTS, |input| {
                all.push(input.to_vec());
                Took::from(input == b"a = 1")
            });
            assert!(taken > 0, "a seed is among them");
            all
        };
        assert_eq!(made(), made());
    }

    #[test]
    #[should_panic(expected = "for 3 bytes")]
    fn a_slow_door_is_noticed() {
        Fuzz::of("slow", ["abc"]).try_one(0, b"abc", &mut |_| {
            let until = worked() + SLOW + SLOW_A_BYTE * 100;
            while worked() < until {}
            Took::Yes
        });
    }
}
