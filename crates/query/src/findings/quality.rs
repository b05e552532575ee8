//! The quality of the work in several sessions, and what came out of it.

use super::is_recent;
use taffrail_api::{NothingTally, Outcomes};
use taffrail_context::Error;
use taffrail_model::Timestamp;
use taffrail_model::cost::plus;
use taffrail_model::findings::{Outcome, Quality, SessionQuality, total};
use taffrail_store::{Filter, IndexReader, SessionRow};

/// How many of the latest sessions count: bounded, so that the answer is fast.
const SESSIONS: usize = 200;

/// The quality of the work in the latest sessions, without sub-agents, and what came out of it. The
/// index holds the measures of each session, so no event is read.
pub fn quality_of(
    reader: &IndexReader,
    filter: &Filter,
    now: Timestamp,
) -> Result<(Quality, Outcomes), Error> {
    let latest = Filter { workers: false, limit: Some(SESSIONS), ..filter.clone() };
    let mut all: Vec<SessionQuality> = Vec::new();
    let (mut outcomes, mut cost) = (Outcomes::default(), None);
    for row in reader.sessions(&latest)? {
        let quality = reader.quality(row.row)?;
        let own = plus(row.cost_microdollars, row.workers_microdollars);
        cost = plus(cost, own);
        outcomes.sessions += 1;
        outcomes.commits += quality.outcome.commits;
        if is_nothing(&row, quality.outcome, now) {
            add(&mut outcomes.nothing, own);
        }
        all.push(quality);
    }
    let commits = i64::try_from(outcomes.commits).unwrap_or(i64::MAX);
    outcomes.cost_per_commit_microdollars = cost.and_then(|it| it.checked_div(commits));
    Ok((total(&all), outcomes))
}

/// Whether a session is over and nothing came out of it. The work of its sub-agents is not known
/// here, so that a session with sub-agents may have had one.
fn is_nothing(row: &SessionRow, outcome: Outcome, now: Timestamp) -> bool {
    let is_over = row.ended_at.is_some() || !is_recent(row, now);
    is_over && outcome.is_nothing() && row.workers_microdollars.is_none()
}

fn add(nothing: &mut NothingTally, cost: Option<i64>) {
    nothing.sessions += 1;
    nothing.cost_microdollars = plus(nothing.cost_microdollars, cost);
}
