//! Findings about several sessions at once.

use super::{Finding, FindingDraft, FindingKind, Thresholds, later};
use crate::{EventId, SessionId, Timestamp};

/// A session that waits for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blocked {
    /// The session.
    pub session: SessionId,
    /// When the wait began.
    pub since: Timestamp,
    /// The event that asks, if known.
    pub asked: Option<EventId>,
}

/// The finding for several sessions that wait for a person, in any order. It belongs to the session
/// that waits longest.
#[must_use]
pub fn together(blocked: &[Blocked], now: Timestamp, thresholds: &Thresholds) -> Option<Finding> {
    let waiting = in_order(blocked);
    let since = from(&waiting, thresholds).filter(|at| *at <= now)?;
    let first = waiting.first()?;
    let ripe = |it: &&Blocked| later(it.since, thresholds.blocked_for).is_some_and(|at| at <= now);
    let ripe: Vec<&Blocked> = waiting.iter().filter(ripe).collect();
    let ids: Vec<EventId> = ripe.iter().filter_map(|it| it.asked).collect();
    let says = format!("{} sessions wait for you; this one waits longest.", ripe.len());
    Some(FindingDraft::new(FindingKind::SeveralBlocked, since, &ids, says).of(first.session))
}

/// When time alone would cause this finding.
#[must_use]
pub fn together_until(
    blocked: &[Blocked],
    now: Timestamp,
    thresholds: &Thresholds,
) -> Option<Timestamp> {
    from(&in_order(blocked), thresholds).filter(|at| *at > now)
}

fn in_order(blocked: &[Blocked]) -> Vec<Blocked> {
    let mut all = blocked.to_vec();
    all.sort_by_key(|it| (it.since, it.session));
    all.dedup_by_key(|it| it.session);
    all
}

/// When enough sessions have waited long enough.
fn from(waiting: &[Blocked], thresholds: &Thresholds) -> Option<Timestamp> {
    let last = waiting.get(thresholds.blocked.checked_sub(1)?)?;
    later(last.since, thresholds.blocked_for)
}
