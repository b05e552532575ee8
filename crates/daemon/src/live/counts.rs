//! What an eye counts: how much it was told, and how far behind it is.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// Counts of one eye since the daemon was started.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// Notifications of changes.
    told: AtomicU64,
    /// Those that came while their place already waited to be looked at.
    coalesced: AtomicU64,
    /// Times the system dropped notifications, and everything was looked at instead.
    dropped: AtomicU64,
    /// Milliseconds from the latest change to its being written down.
    lag: AtomicI64,
    /// When something was last read, in milliseconds since 1970; 0 for never.
    read_at: AtomicI64,
}

/// The same as plain numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counted {
    /// Notifications of changes.
    pub told: u64,
    /// Those that came while their place already waited to be looked at.
    pub coalesced: u64,
    /// Times the system dropped notifications, and everything was looked at instead.
    pub dropped: u64,
    /// Milliseconds from the latest change to its being written down; `None` before there was one.
    pub lag_ms: Option<u64>,
    /// When something was last read, in milliseconds since 1970.
    pub read_at: Option<i64>,
}

impl Counts {
    /// Changes were told, some of them of places that waited already.
    pub(crate) fn tell(&self, told: usize, coalesced: usize) {
        self.told.fetch_add(told as u64, Ordering::Relaxed);
        self.coalesced.fetch_add(coalesced as u64, Ordering::Relaxed);
    }

    /// The system dropped notifications.
    pub(crate) fn drop_some(&self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }

    /// Something that changed then is written down now; both in milliseconds since 1970.
    pub(crate) fn wrote(&self, changed: i64, now: i64) {
        self.lag.store(now.saturating_sub(changed).max(0), Ordering::Relaxed);
        self.read_at.store(now, Ordering::Relaxed);
    }

    /// All of it.
    #[must_use]
    pub(crate) fn read(&self) -> Counted {
        let number = |it: &AtomicU64| it.load(Ordering::Relaxed);
        let read_at = Some(self.read_at.load(Ordering::Relaxed)).filter(|it| *it > 0);
        let lag = self.lag.load(Ordering::Relaxed).unsigned_abs();
        Counted {
            told: number(&self.told),
            coalesced: number(&self.coalesced),
            dropped: number(&self.dropped),
            lag_ms: read_at.map(|_| lag),
            read_at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lag_is_known_once_something_was_written() {
        let counts = Counts::default();
        assert_eq!(counts.read(), Counted::default());
        counts.tell(3, 1);
        counts.drop_some();
        counts.wrote(1_000, 1_007);
        let lag_ms = Some(7);
        let expected = Counted { told: 3, coalesced: 1, dropped: 1, lag_ms, read_at: Some(1_007) };
        assert_eq!(counts.read(), expected);
        // A file may have been given a time that is still to come.
        counts.wrote(2_000, 1_500);
        assert_eq!(counts.read().lag_ms, Some(0));
    }
}
