//! How far an eye may be ahead of the loop.

use std::sync::{Condvar, Mutex, PoisonError};

/// Pieces an eye may have read that are not written yet.
const AHEAD: usize = 2;

/// Counts pieces on their way from an eye to the index.
#[derive(Debug, Default)]
pub(crate) struct Tickets {
    out: Mutex<usize>,
    back: Condvar,
}

impl Tickets {
    /// Takes one, as soon as there is one.
    pub(crate) fn take(&self) {
        let out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = self.back.wait_while(out, |out| *out >= AHEAD);
        *wait.unwrap_or_else(PoisonError::into_inner) += 1;
    }

    /// Gives some back: their pieces are written.
    pub(crate) fn give(&self, count: usize) {
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        *out = out.saturating_sub(count);
        self.back.notify_all();
    }

    /// Waits until everything is written.
    pub(crate) fn settle(&self) {
        let out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.back.wait_while(out, |out| *out > 0));
    }
}
