//! Evidence by its time, and how late each source may report.

use crate::evidence::Evidence;
use crate::{Confidence, Origin, Timestamp};

/// A transcript may record something this many milliseconds after a hook reported it.
pub(super) const LAG_MS: i64 = 5_000;

/// A piece of evidence by its time and its index in the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) at: Timestamp,
    pub(super) place: usize,
}

/// Milliseconds from one instant to another.
pub(super) fn ms(from: Timestamp, to: Timestamp) -> i64 {
    to.as_millisecond() - from.as_millisecond()
}

/// Whether the source reported it as it happened. Telemetry comes late and, like a transcript, is
/// silent while a person is asked.
pub(super) fn is_live(it: &Evidence) -> bool {
    !matches!(it.source, Origin::Transcript | Origin::Telemetry)
}

/// Whether the evidence came after an instant. A source without its own times must exceed its
/// possible delay.
pub(super) fn is_timely(it: &Evidence, since: Timestamp) -> bool {
    it.confidence != Confidence::Low || ms(since, it.at) > LAG_MS
}
