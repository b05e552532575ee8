//! Stores how sessions ended in their rows, so that listing years of sessions reads no events.

use crate::db::StoreError;
use crate::db::codec::micros;
use crate::db::rows::{EVENT, EventRow, read_event};
use rusqlite::{Connection, params};
use taffrail_model::Timestamp;
use taffrail_model::evidence::{Evidence, Life};
use taffrail_model::status::{Failure, Given, Reading, StatusRule, Thresholds, read};

/// How many of the latest events about turns are read.
const LATEST: i64 = 16;

/// The kinds that begin and end turns and sessions, as in the index `events_of_turns`.
const OF_TURNS: &str = " AND e.removed = 0 AND \
  (e.marks & 2 <> 0 OR e.kind IN ('user.prompt', 'session.started', 'session.exited') OR e.signal IN \
   ('started', 'took-over', 'prompted', 'turn-over', 'working-on', 'interrupted', 'failed', 'quiet', \
    'ended', 'died')) ORDER BY e.at DESC LIMIT ?2";

/// Stores how a session failed and when its agent reported the end, in case no event follows.
pub(crate) fn note(index: &Connection, session: i64) -> Result<(), StoreError> {
    let evidence = evidence(index, session)?;
    let has_process = index
        .prepare_cached("SELECT pid IS NOT NULL FROM sessions WHERE id = ?1")?
        .query_row([session], |row| row.get(0))?;
    let life = if has_process { Life::Dead } else { Life::Unknown };
    let last = last_reading(&evidence, life);
    let failure = last.as_ref().and_then(|it| it.failure).map(Failure::as_str);
    let ended = last.filter(is_reported).map(|it| micros(it.since));
    index.prepare_cached(NOTE)?.execute(params![session, failure, ended])?;
    Ok(())
}

fn evidence(index: &Connection, session: i64) -> Result<Vec<Evidence>, StoreError> {
    let mut statement = index.prepare_cached(&format!("{EVENT}{OF_TURNS}"))?;
    let rows = statement.query_map(params![session, LATEST], read_event)?;
    let rows = rows.collect::<Result<Vec<_>, _>>()?;
    Ok(rows.iter().filter_map(EventRow::evidence).collect())
}

const NOTE: &str = "UPDATE sessions SET failure = ?2, ended_at = ?3 \
  WHERE id = ?1 AND (failure IS NOT ?2 OR ended_at IS NOT ?3)";

/// Whether the end itself was observed, and not only the silence after it.
fn is_reported(reading: &Reading) -> bool {
    matches!(reading.rule, StatusRule::AgentEnded | StatusRule::ProcessEnded)
}

/// The reading long after the last event, when no evidence counts as fresh.
fn last_reading(evidence: &[Evidence], life: Life) -> Option<Reading> {
    let thresholds = Thresholds::default();
    let last = evidence.iter().map(|it| it.at).max()?;
    let after = last.as_second().saturating_add(thresholds.over.saturating_mul(2));
    let now = Timestamp::from_second(after).unwrap_or(Timestamp::MAX);
    Some(read(&Given { evidence, life, workers: &[], now, thresholds }))
}
