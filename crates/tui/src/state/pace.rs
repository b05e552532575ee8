//! How fast the sessions spend tokens, and the cost of the day so far.

use std::collections::{HashMap, VecDeque};
use taffrail_api::{Session, Stats};
use taffrail_model::{SessionId, Timestamp};

/// How often the rate is sampled while anything works.
pub(crate) const STEP_MS: i64 = 12_000;
/// How many samples are kept.
const LOOKS: usize = 12;
/// Bars of the sparkline, lowest first.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Tokens spent between samples.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    spent: HashMap<SessionId, u64>,
    looked_at: Option<Timestamp>,
    asked_at: Option<Timestamp>,
    /// Tokens per minute, latest last.
    rates: VecDeque<u64>,
    /// Today's known cost in millionths of a dollar, and the part of it that agents reported.
    pub(crate) today: Option<i64>,
    pub(crate) reported: Option<i64>,
    counted_at: Option<Timestamp>,
}

impl Pace {
    /// True if the next sample is due.
    pub(crate) fn is_due(&self, now: Timestamp) -> bool {
        self.asked_at.is_none_or(|at| now.as_millisecond() - at.as_millisecond() >= STEP_MS)
    }

    /// Records the time of a request for a sample.
    pub(crate) fn asked(&mut self, now: Timestamp) {
        self.asked_at = Some(now);
    }

    /// True if the day's cost is due again, this many milliseconds after the last request.
    pub(crate) fn is_cost_due(&self, now: Timestamp, after: i64) -> bool {
        self.counted_at.is_none_or(|at| now.as_millisecond() - at.as_millisecond() >= after)
    }

    /// Takes a sample of what sessions have spent so far. The first one is only a baseline.
    pub(crate) fn look(&mut self, sessions: &[Session], now: Timestamp) {
        let mut more = 0;
        for session in sessions {
            let total = session.usage.total();
            let before = self.spent.insert(session.id, total);
            more += before.map_or(0, |before| total.saturating_sub(before));
        }
        if let Some(before) = self.looked_at.replace(now) {
            let passed = (now.as_millisecond() - before.as_millisecond()).max(1);
            let rate = more.saturating_mul(60_000) / u64::try_from(passed).unwrap_or(1);
            self.rates.push_back(rate);
        }
        while self.rates.len() > LOOKS {
            self.rates.pop_front();
        }
    }

    /// Takes the totals of the last days; days are in UTC.
    pub(crate) fn take(&mut self, stats: &Stats, now: Timestamp) {
        self.counted_at = Some(now);
        let day: String = now.to_string().chars().take(10).collect();
        let today = stats.by_day.iter().find(|it| it.key.as_deref() == Some(day.as_str()));
        self.today = today.and_then(|it| it.tally.cost_microdollars);
        self.reported = today.and_then(|it| it.tally.reported_microdollars);
    }

    /// The current tokens per minute; `None` if none were spent recently.
    pub(crate) fn rate(&self) -> Option<u64> {
        let latest = *self.rates.back()?;
        self.rates.iter().any(|it| *it > 0).then_some(latest)
    }

    /// The last samples as bars.
    pub(crate) fn bars(&self) -> String {
        let most = self.rates.iter().copied().max().unwrap_or_default().max(1);
        let bar = |rate: &u64| {
            let step = rate.saturating_mul(7).div_ceil(most);
            BARS.get(usize::try_from(step).unwrap_or(7)).copied().unwrap_or('█')
        };
        self.rates.iter().map(bar).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn what_is_spent_between_looks_is_a_rate() {
        let at = |second: i64| Timestamp::from_second(1_700_000_000 + second).unwrap();
        let spent = |tokens: u64| {
            let mut session = samples::working();
            session.usage.input_tokens = tokens;
            session.usage.output_tokens = 0;
            [session]
        };
        let mut pace = Pace::default();
        pace.look(&spent(1_000), at(0));
        assert_eq!((pace.rate(), pace.bars()), (None, String::new()));
        pace.look(&spent(1_000), at(12));
        assert_eq!((pace.rate(), pace.bars().as_str()), (None, "▁"));
        pace.look(&spent(1_200), at(24));
        assert_eq!((pace.rate(), pace.bars().as_str()), (Some(1_000), "▁█"));
        pace.look(&spent(1_300), at(36));
        assert_eq!((pace.rate(), pace.bars().as_str()), (Some(500), "▁█▅"));
    }
}
