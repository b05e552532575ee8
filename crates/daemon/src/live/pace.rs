//! How often things are looked at: pure, so that it can be tested without waiting.

use std::time::Duration;

/// Sources that changed of late are looked at so often, should the watcher miss something.
pub(crate) const POLL: Duration = Duration::from_millis(750);
/// A source counts as changed of late for so long.
pub(crate) const OF_LATE: Duration = Duration::from_secs(600);
/// Everything is looked at after so long at first.
const FIRST: Duration = Duration::from_secs(5);
/// Looks at everything may cost at most one part in so many of a core.
const SHARE: u32 = 1000;
/// The longest time between two looks at everything, unless they cost more than their share.
const LAST: Duration = Duration::from_secs(120);

/// The time until everything is looked at again: twice as long each time nothing was found, less
/// often where a look costs much.
pub(crate) fn until_whole(before: Duration, found: bool, cost: Duration) -> Duration {
    let next = if found { FIRST } else { before.saturating_mul(2).clamp(FIRST, LAST) };
    next.max(cost.saturating_mul(SHARE).min(Duration::from_secs(3600)))
}

/// The pause after a batch: a small multiple of what it cost, so that a flood is written in larger
/// batches and a single line at once.
pub(crate) fn pause(cost: Duration) -> Duration {
    cost.saturating_mul(3).min(Duration::from_millis(100))
}

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
        assert_eq!(pause(Duration::from_millis(1)), Duration::from_millis(3));
        assert_eq!(pause(Duration::from_secs(1)), Duration::from_millis(100));
    }
}
