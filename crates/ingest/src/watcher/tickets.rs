//! Limits how far a watcher may be ahead of the loop.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Pieces that a watcher may always have in flight, however large.
const PIECES: usize = 2;
/// Small pieces may be more: then many sessions that change at once are written in one batch.
const BYTES: u64 = 1024 * 1024;
const SMALL_PIECES: usize = 256;

/// What is in flight from a watcher to the index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Load {
    /// Pieces.
    pub pieces: usize,
    /// The bytes that were read for them.
    pub bytes: u64,
}

impl Load {
    /// One piece.
    pub fn one(bytes: u64) -> Self {
        Self { pieces: 1, bytes }
    }

    /// The sum of both.
    pub fn plus(self, other: Self) -> Self {
        Self { pieces: self.pieces + other.pieces, bytes: self.bytes.saturating_add(other.bytes) }
    }

    fn minus(self, other: Self) -> Self {
        let pieces = self.pieces.saturating_sub(other.pieces);
        Self { pieces, bytes: self.bytes.saturating_sub(other.bytes) }
    }

    fn is_too_much(self) -> bool {
        self.pieces > PIECES && (self.bytes > BYTES || self.pieces > SMALL_PIECES)
    }
}

/// Counts what is in flight.
#[derive(Debug, Default)]
pub struct Tickets {
    out: Mutex<Load>,
    back: Condvar,
}

impl Tickets {
    /// Takes tickets as soon as there is room.
    pub fn take(&self, load: Load) {
        let wait = self.back.wait_while(self.out(), |out| out.plus(load).is_too_much());
        let mut out = wait.unwrap_or_else(PoisonError::into_inner);
        *out = out.plus(load);
    }

    /// Returns tickets once their pieces are written.
    pub fn give(&self, load: Load) {
        let mut out = self.out();
        *out = out.minus(load);
        self.back.notify_all();
    }

    /// Waits until everything is written.
    pub fn settle(&self) {
        drop(self.back.wait_while(self.out(), |out| out.pieces > 0));
    }

    fn out(&self) -> MutexGuard<'_, Load> {
        self.out.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_of_any_size_or_many_small_ones() {
        let check = |pieces: usize, bytes: u64, expected: bool| {
            assert_eq!(Load { pieces, bytes }.is_too_much(), expected, "{pieces}, {bytes}");
        };
        check(2, u64::MAX, false);
        check(3, BYTES, false);
        check(3, BYTES + 1, true);
        check(SMALL_PIECES, 0, false);
        check(SMALL_PIECES + 1, 0, true);
    }
}
