//! The account's limits, which every `token_count` repeats.

use super::record::{Payload, RateLimit};
use super::rollout::Reading;
use taffrail_model::Timestamp;
use taffrail_model::quota::Reported;

/// Where these limits are written.
const SOURCE: &str = "codex-rollout";
/// The limit of versions that do not name it.
const UNNAMED: &str = "codex";

impl Reading<'_, '_, '_> {
    /// Reads the limits of a `token_count`.
    pub(super) fn limits(&mut self, event: &Payload<'_>) {
        let (Some(limits), Some(at)) = (&event.rate_limits, self.speaker.time()) else { return };
        let name = limits.limit_id.as_deref().unwrap_or(UNNAMED);
        for window in [&limits.primary, &limits.secondary].into_iter().flatten() {
            if let Some(reported) = reported(window, name, at) {
                self.speaker.keep_guess();
                self.speaker.quota(reported);
            }
        }
    }
}

fn reported<'a>(window: &RateLimit, name: &'a str, at: Timestamp) -> Option<Reported<'a>> {
    let rest = window.resets_in_seconds.and_then(|it| it.checked_add_signed(at.as_second()));
    let resets_at = i64::try_from(window.resets_at.or(rest)?).ok()?;
    Some(Reported {
        name,
        window_minutes: whole_hours(window.window_minutes?),
        used_percent: window.used_percent?,
        resets_at: Timestamp::from_second(resets_at).ok()?,
        source: SOURCE,
    })
}

/// Some versions count the minutes that remain of a window that has just begun: 299.
fn whole_hours(minutes: u64) -> u64 {
    if minutes % 60 == 59 { minutes.saturating_add(1) } else { minutes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_read_as_old_and_new_versions_write_it() {
        let at = Timestamp::from_second(1_800_000_000).unwrap();
        let check = |window: RateLimit, expected: Option<(u64, i64)>| {
            let got = reported(&window, UNNAMED, at);
            let got = got.map(|it| (it.window_minutes, it.resets_at.as_second()));
            assert_eq!(got, expected, "{window:?}");
        };
        let window = |minutes, resets_at, rest| RateLimit {
            used_percent: Some(64.0),
            window_minutes: minutes,
            resets_at,
            resets_in_seconds: rest,
        };
        check(window(Some(300), Some(1_800_000_060), None), Some((300, 1_800_000_060)));
        check(window(Some(299), None, Some(60)), Some((300, 1_800_000_060)));
        check(window(Some(10_080), None, Some(0)), Some((10_080, 1_800_000_000)));
        check(window(Some(300), None, None), None);
        check(window(None, Some(1_800_000_060), None), None);
        check(window(Some(300), Some(u64::MAX), None), None);
        check(window(Some(300), None, Some(u64::MAX)), None);
    }
}
