//! The quality of the work in several sessions.

use super::event_views::quality_of_rows;
use taffrail_context::Error;
use taffrail_model::findings::{Quality, SessionQuality, total};
use taffrail_store::{Filter, IndexReader};

/// How many of the latest sessions are read: bounded, so that the answer is fast.
const SESSIONS: usize = 200;
/// How many of the latest events of each.
const EVENTS: usize = 2_000;

/// The quality of the work in the latest sessions, without sub-agents.
pub fn quality_of(reader: &IndexReader, filter: &Filter) -> Result<Quality, Error> {
    let latest = Filter { workers: false, limit: Some(SESSIONS), ..filter.clone() };
    let mut all: Vec<SessionQuality> = Vec::new();
    for row in reader.sessions(&latest)? {
        all.push(quality_of_rows(&reader.last_events(row.row, EVENTS)?));
    }
    Ok(total(&all))
}
