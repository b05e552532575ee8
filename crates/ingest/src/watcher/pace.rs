//! How often to scan: pure, so that it can be tested without waiting.

use std::time::Duration;

/// How often recently changed sources are polled, in case a notification was missed.
pub(super) const POLL: Duration = Duration::from_millis(750);
/// When a database is read again after it was read. A writer fills its log, which notifies watchers, then flushes it,
/// and commits in shared memory at last, which notifies nobody: whoever reads in between sees the state before.
pub(super) const LATE_COMMITS: [Duration; 3] =
    [Duration::from_millis(100), Duration::from_millis(400), Duration::from_millis(1600)];
/// How long a source counts as recently changed.
pub(super) const RECENT: Duration = Duration::from_secs(600);
/// The first pause between two scans of everything.
const FIRST: Duration = Duration::from_secs(5);
/// Scans of everything may use at most one part in this many of a core.
const SHARE: u32 = 1000;
/// The longest pause between two scans of everything, unless they cost more than their share.
const LAST: Duration = Duration::from_secs(120);

/// The pause until the next scan of everything: doubles each time nothing was found, and is longer
/// if a scan costs much.
pub(super) fn until_whole(before: Duration, found: bool, cost: Duration) -> Duration {
    let next = if found { FIRST } else { before.saturating_mul(2).clamp(FIRST, LAST) };
    next.max(cost.saturating_mul(SHARE).min(Duration::from_secs(3600)))
}

/// The pause after a batch: as long as the batch took, so that a flood is written in larger batches
/// and a single line at once. A longer pause feeds itself: lines that arrive meanwhile make the
/// next batch longer, and with it the next pause, until every line waits for the maximum.
pub fn pause(cost: Duration) -> Duration {
    cost.min(LONGEST_PAUSE)
}

/// The longest that a line waits for a batch to begin.
const LONGEST_PAUSE: Duration = Duration::from_millis(20);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_at_everything_slow_down_and_stay_cheap() {
        let check = |before: u64, found, cost_ms, expected: u64| {
            let cost = Duration::from_millis(cost_ms);
            let next = until_whole(Duration::from_secs(before), found, cost);
            assert_eq!(next, Duration::from_secs(expected));
        };
        check(0, false, 0, 5);
        check(5, false, 1, 10);
        check(80, false, 1, 120);
        check(120, false, 1, 120);
        check(120, true, 1, 5);
        check(120, true, 30, 30);
        check(120, false, 900, 900);
        check(120, false, 90_000, 3600);
    }

    #[test]
    fn a_batch_is_paid_for_with_a_pause() {
        assert_eq!(pause(Duration::from_millis(1)), Duration::from_millis(1));
        assert_eq!(pause(Duration::from_secs(1)), LONGEST_PAUSE);
    }

    /// Two hundred sessions write a line a second each; a line costs a millisecond and a batch
    /// another. A machine that hangs for a moment must not make every line late from then on.
    #[test]
    fn a_moment_of_standstill_is_forgotten() {
        let cost = |lines: f64| Duration::from_secs_f64((1.0 + lines) / 1e3);
        let mut waited = Duration::from_millis(300);
        for _ in 0..20 {
            let took = cost(waited.as_secs_f64() * 200.0);
            waited = took + pause(took);
        }
        assert!(waited < Duration::from_millis(5), "a batch still begins only every {waited:?}");
    }
}
