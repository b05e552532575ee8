//! How full the limits of accounts are, as the daemon last listed them.

use taffrail_api::{Gauge, QuotaList};
use taffrail_model::Timestamp;

/// The limits, and when they were requested.
#[derive(Debug, Default)]
pub(crate) struct Limits {
    pub(crate) gauges: Vec<Gauge>,
    asked_at: Option<Timestamp>,
}

impl Limits {
    /// True if the list is due again, this many milliseconds after the last request.
    pub(crate) fn is_due(&self, now: Timestamp, after: i64) -> bool {
        self.asked_at.is_some_and(|at| now.as_millisecond() - at.as_millisecond() >= after)
    }

    /// Records the time of a request.
    pub(crate) fn asked(&mut self, now: Timestamp) {
        self.asked_at = Some(now);
    }

    /// Takes a list that was made now.
    pub(crate) fn take(&mut self, list: &QuotaList, now: Timestamp) {
        self.gauges = list.quotas.iter().map(|it| Gauge::of(it, now)).collect();
    }
}
