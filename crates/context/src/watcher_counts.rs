//! The counters of a watcher: its notifications, its reads, and its lag.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

/// Counters of one watcher since the daemon was started.
#[derive(Debug, Default)]
pub struct WatcherCounters {
    /// Notifications of changes.
    told: AtomicU64,
    /// Notifications for places that already waited for a scan.
    coalesced: AtomicU64,
    /// How many times the system dropped notifications, and everything was scanned instead.
    dropped: AtomicU64,
    /// Sources that were read.
    reads: AtomicU64,
    /// Scans of everything.
    looks: AtomicU64,
    /// Milliseconds from the latest change to its write to the index.
    lag: AtomicI64,
    /// The time of the last read, in milliseconds since 1970; 0 for never.
    read_at: AtomicI64,
    /// Entries of hooks may be on their way from the spool to the index.
    moves_hooks: AtomicBool,
}

/// The counters as plain numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WatcherCounts {
    /// Notifications of changes.
    pub told: u64,
    /// Notifications for places that already waited for a scan.
    pub coalesced: u64,
    /// How many times the system dropped notifications, and everything was scanned instead.
    pub dropped: u64,
    /// Sources that were read.
    pub reads: u64,
    /// Scans of everything.
    pub looks: u64,
    /// Milliseconds from the latest change to its write to the index; `None` before the first one.
    pub lag_ms: Option<u64>,
    /// The time of the last read, in milliseconds since 1970.
    pub read_at: Option<i64>,
}

impl WatcherCounters {
    /// Counts notifications, some of them for places that already waited.
    pub fn tell(&self, told: usize, coalesced: usize) {
        self.told.fetch_add(told as u64, Ordering::Relaxed);
        self.coalesced.fetch_add(coalesced as u64, Ordering::Relaxed);
    }

    /// Records that entries of hooks are taken from the spool, or that all of them are written.
    pub fn move_hooks(&self, moves: bool) {
        self.moves_hooks.store(moves, Ordering::SeqCst);
    }

    /// Whether entries of hooks may be on their way from the spool to the index.
    #[must_use]
    pub fn moves_hooks(&self) -> bool {
        self.moves_hooks.load(Ordering::SeqCst)
    }

    /// Counts dropped notifications.
    pub fn drop_some(&self) {
        self.dropped.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts sources that were read, in a full scan or not.
    pub fn looked(&self, reads: usize, whole: bool) {
        self.reads.fetch_add(reads as u64, Ordering::Relaxed);
        self.looks.fetch_add(u64::from(whole), Ordering::Relaxed);
    }

    /// Records the lag of a change that is written now; both times in milliseconds since 1970.
    pub fn wrote(&self, changed: i64, now: i64) {
        self.lag.store(now.saturating_sub(changed).max(0), Ordering::Relaxed);
        self.read_at.store(now, Ordering::Relaxed);
    }

    /// Reads all counters.
    #[must_use]
    pub fn read(&self) -> WatcherCounts {
        let number = |it: &AtomicU64| it.load(Ordering::Relaxed);
        let read_at = Some(self.read_at.load(Ordering::Relaxed)).filter(|it| *it > 0);
        let lag = self.lag.load(Ordering::Relaxed).unsigned_abs();
        WatcherCounts {
            told: number(&self.told),
            coalesced: number(&self.coalesced),
            dropped: number(&self.dropped),
            reads: number(&self.reads),
            looks: number(&self.looks),
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
        let counts = WatcherCounters::default();
        assert_eq!(counts.read(), WatcherCounts::default());
        counts.tell(3, 1);
        counts.drop_some();
        counts.wrote(1_000, 1_007);
        counts.looked(2, true);
        counts.looked(1, false);
        let (lag_ms, read_at) = (Some(7), Some(1_007));
        let expected = WatcherCounts {
            told: 3,
            coalesced: 1,
            dropped: 1,
            reads: 3,
            looks: 1,
            lag_ms,
            read_at,
        };
        assert_eq!(counts.read(), expected);
        // A file may have a modification time in the future.
        counts.wrote(2_000, 1_500);
        assert_eq!(counts.read().lag_ms, Some(0));
    }
}
