//! Findings about limits of an account: one for each window, at the highest threshold it passed.

use super::{Finding, FindingDraft, FindingKind, ways};
use crate::quota::{Limit, Observation, Percent, windows};
use crate::{AgentId, SessionId, Timestamp};
use std::collections::BTreeMap;

/// When a window becomes a finding.
const NEARLY_FULL: Percent = Percent::hundredths(8_000);
/// When it is time to go elsewhere.
const FULL: Percent = Percent::hundredths(9_500);

/// The findings about limits, from their observations in any order. A finding belongs to the
/// session that first saw the threshold passed, and ends with the window.
#[must_use]
pub fn nearly_used_up(seen: Vec<Observation>, now: Timestamp) -> Vec<Finding> {
    let windows = windows(seen, now);
    let newest: Vec<&Observation> = windows.iter().filter_map(|it| it.current.last()).collect();
    windows.iter().filter_map(|it| found(&it.current, &newest, now)).collect()
}

/// When the next of these findings ends by time alone.
#[must_use]
pub fn used_up_until(seen: &[Observation], now: Timestamp) -> Option<Timestamp> {
    let high = seen.iter().filter(|it| it.used >= NEARLY_FULL);
    high.map(|it| it.resets_at).filter(|it| *it > now).min()
}

fn found(window: &[Observation], all: &[&Observation], now: Timestamp) -> Option<Finding> {
    let newest = window.last().filter(|it| it.resets_at > now)?;
    let threshold = [FULL, NEARLY_FULL].into_iter().find(|it| newest.used >= *it)?;
    let passed: Vec<&Observation> = window.iter().filter(|it| it.used >= threshold).collect();
    let since = passed.first()?.at;
    let session: SessionId = passed.iter().find_map(|it| it.session)?;
    let ways = (threshold == FULL).then(|| ways(session, roomiest(newest, all, now)));
    let says = says(newest) + &ways.unwrap_or_default();
    Some(FindingDraft::new(FindingKind::Quota, since, &[], says).of(session))
}

fn says(newest: &Observation) -> String {
    let (agent, window) = (newest.limit.agent.as_str(), span(&newest.limit));
    let used = newest.used.as_hundredths() / 100;
    let name = newest.limit.name.replace('_', " ");
    format!(
        "{agent} used {used} % of its {window} limit ({name}); it resets at {:.0}.",
        newest.resets_at
    )
}

/// The length of a window: `5-hour`, `7-day`.
fn span(limit: &Limit) -> String {
    match limit.window_minutes {
        minutes if minutes % 1440 == 0 => format!("{}-day", minutes / 1440),
        minutes if minutes % 60 == 0 => format!("{}-hour", minutes / 60),
        minutes => format!("{minutes}-minute"),
    }
}

/// How to go on at a limit: wait, or hand over to the agent with the most room, if one is known.
fn ways(session: SessionId, other: Option<(&AgentId, Percent)>) -> String {
    let room = other.map(|(_, used)| format!(" (at {} %)", used.as_hundredths() / 100));
    let hand_over = ways::hand_over(session, other.map(|(agent, _)| agent.as_str()));
    format!(" Wait: {}, or: {hand_over}{}.", ways::wait(session), room.unwrap_or_default())
}

/// The agent whose fullest limit is the least full, if that is known and fresh.
fn roomiest<'a>(
    newest: &Observation,
    all: &[&'a Observation],
    now: Timestamp,
) -> Option<(&'a AgentId, Percent)> {
    let mut fullest: BTreeMap<&AgentId, Percent> = BTreeMap::new();
    let others = all.iter().filter(|it| it.limit.agent != newest.limit.agent);
    for it in others.filter(|it| !it.is_stale(now)) {
        let used = fullest.entry(&it.limit.agent).or_default();
        *used = it.used.max(*used);
    }
    fullest.into_iter().min_by_key(|it| it.1).filter(|it| it.1 < NEARLY_FULL)
}
