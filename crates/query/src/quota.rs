//! Limits of accounts: how full they are, who used them, and when they will be full.

use taffrail_api::{Quota, QuotaList, QuotaShare, SCHEMA_VERSION};
use taffrail_capture::{Home, text_below};
use taffrail_context::{Error, Settings};
use taffrail_model::quota::{Observation, Percent, burnt, full_at, windows};
use taffrail_model::{SessionId, Timestamp};
use taffrail_store::IndexReader;

/// The longest file of an agent that is read for limits.
const LONGEST: u64 = 16 * 1024 * 1024;

/// What the index and the agents' own files know of limits.
///
/// # Errors
/// When our own files cannot be read.
pub fn quota(settings: &Settings) -> Result<QuotaList, Error> {
    let mut seen = match IndexReader::open(&settings.data)? {
        Some(reader) => reader.quotas()?,
        None => Vec::new(),
    };
    let now = (settings.now)();
    let cached = settings.usual_homes().into_iter().flat_map(|it| cached(&it));
    seen.extend(cached.filter(|it| it.at <= now));
    Ok(listed(seen, now))
}

/// The limits in the file that an agent keeps in its home or beside it. They are read whenever
/// they are asked for, because such a file holds too much to be kept.
fn cached(home: &Home) -> Vec<Observation> {
    let Some(file) = home.adapter.limits_file() else { return Vec::new() };
    let folders = [Some(home.root.as_path()), home.root.parent()].into_iter().flatten();
    // The file may be absent in either.
    let texts = folders.filter_map(|it| text_below(it, file.name, LONGEST).ok());
    texts.flat_map(|it| (file.read)(&it)).collect()
}

fn listed(seen: Vec<Observation>, now: Timestamp) -> QuotaList {
    let windows = windows(seen, now);
    let quotas = windows.iter().filter_map(|it| row(it, now)).collect();
    QuotaList { schema_version: SCHEMA_VERSION, quotas }
}

fn row(history: &[Observation], now: Timestamp) -> Option<Quota> {
    let newest = history.last()?;
    let stale = newest.is_stale(now);
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
        full_at: full_at(history, now).filter(|_| !stale),
        sessions: burnt(history).into_iter().map(share).collect(),
    })
}
