//! Limits of accounts: how full they are, who used them, and when they will be full.

use crate::limits::Limits;
use taffrail_api::{Quota, QuotaList, QuotaShare, SCHEMA_VERSION};
use taffrail_context::{Error, Settings};
use taffrail_model::quota::{Observation, Percent, Window, burnt, windows};
use taffrail_model::{SessionId, Timestamp};

/// What the index and the agents' own files know of limits.
///
/// # Errors
/// When our own files cannot be read.
pub fn quota(settings: &Settings) -> Result<QuotaList, Error> {
    let mut limits = Limits::default();
    limits.read(settings)?;
    Ok(quota_list(limits.until((settings.now)()), (settings.now)()))
}

/// The limits, as they are quota_list now.
#[must_use]
pub fn quota_list(seen: Vec<Observation>, now: Timestamp) -> QuotaList {
    let windows = windows(seen, now);
    let quotas = windows.iter().filter_map(|it| row(it, now)).collect();
    QuotaList { schema_version: SCHEMA_VERSION, quotas }
}

fn row(window: &Window, now: Timestamp) -> Option<Quota> {
    let newest = window.current.last()?;
    let stale = newest.is_stale(now);
    let runway = window.runway(now).filter(|_| !stale);
    let share =
        |(session_id, it): (SessionId, Percent)| QuotaShare { session_id, percent: it.as_number() };
    Some(Quota {
        agent: newest.limit.agent.as_str().to_owned(),
        limit: newest.limit.name.clone(),
        window_minutes: newest.limit.window_minutes,
        used_percent: newest.used.as_number(),
        resets_at: newest.resets_at,
        source: newest.source.as_str().to_owned(),
        age_seconds: newest.age(now),
        stale,
        full_at: runway.and_then(|it| it.at),
        full_from: runway.map(|it| it.from),
        full_until: runway.and_then(|it| it.until),
        sessions: burnt(&window.current).into_iter().map(share).collect(),
    })
}
