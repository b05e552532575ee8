//! What each session used of a window.

use super::{Observation, Percent, SAME_RESET};
use crate::SessionId;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The shares that sessions used of one window, the largest first, from its history in order.
///
/// A rise belongs to the session that reported it. What was used before the first report belongs
/// to nobody known, unless the window began with that report. An older figure that an idle session
/// repeats is not a fall, so that the next true one is not a rise.
#[must_use]
pub fn burnt(history: &[Observation]) -> Vec<(SessionId, Percent)> {
    let mut shares: BTreeMap<SessionId, Percent> = BTreeMap::new();
    let mut most = history.first().map_or(Percent::default(), before);
    for it in history {
        let rise = most.up_to(it.used);
        most = most.max(it.used);
        if let Some(session) = it.session.filter(|_| rise > Percent::default()) {
            let share = shares.entry(session).or_default();
            *share = share.plus(rise);
        }
    }
    let mut shares: Vec<_> = shares.into_iter().collect();
    shares.sort_by_key(|(session, share)| (Reverse(*share), *session));
    shares
}

/// What was used before the first report of a window.
fn before(first: &Observation) -> Percent {
    let since_start = first.at.as_second() - first.begins_at();
    let began_with_it = since_start.abs() <= SAME_RESET.min(first.limit.seconds() / 10);
    if began_with_it { Percent::default() } else { first.used }
}
