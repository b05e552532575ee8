//! Evidence by its time, and how late each source may report it.

use crate::evidence::Evidence;
use crate::{Confidence, Origin, Timestamp};

/// What a transcript says may be written down so many milliseconds after a hook said the same.
pub(super) const LAG_MS: i64 = 5_000;

/// A piece of evidence by its time and its place among the given ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) at: Timestamp,
    pub(super) place: usize,
}

/// Milliseconds from one instant to another.
pub(super) fn ms(from: Timestamp, to: Timestamp) -> i64 {
    to.as_millisecond() - from.as_millisecond()
}

/// It was said while it was so. Telemetry comes late and, like a transcript, says nothing while a
/// person is asked.
pub(super) fn is_live(it: &Evidence) -> bool {
    !matches!(it.source, Origin::Transcript | Origin::Telemetry)
}

/// It was said after this. What has no time of its own must be so by more than it may be late.
pub(super) fn is_timely(it: &Evidence, since: Timestamp) -> bool {
    it.confidence != Confidence::Low || ms(since, it.at) > LAG_MS
}
