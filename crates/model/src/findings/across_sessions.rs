//! Findings about several sessions at once.

use super::{Finding, FindingDraft, FindingKind, Thresholds, later};
use crate::{EventId, SessionId, Timestamp};

/// A session that waits for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blocked {
    /// The session.
    pub session: SessionId,
    /// Since when.
    pub since: Timestamp,
    /// The event that asks, where it is known.
    pub asked: Option<EventId>,
}

/// What several sessions that wait for a person come to, in any order. The finding is of the one that
/// waits longest.
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

/// When time alone would bring it.
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

/// When enough of them have waited for long enough.
fn from(waiting: &[Blocked], thresholds: &Thresholds) -> Option<Timestamp> {
    let last = waiting.get(thresholds.blocked.checked_sub(1)?)?;
    later(last.since, thresholds.blocked_for)
}
