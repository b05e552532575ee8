//! How well the work of several sessions went.

use super::event_views::quality_of_rows;
use taffrail_context::Error;
use taffrail_model::findings::{Quality, SessionQuality, total};
use taffrail_store::{Filter, IndexReader};

/// The latest sessions that are looked at: what is asked is answered at once, however many there are.
const SESSIONS: usize = 200;
/// The latest events of each.
const EVENTS: usize = 2_000;

/// How well the work of the latest sessions went, workers left out.
pub fn quality_of(reader: &IndexReader, filter: &Filter) -> Result<Quality, Error> {
    let latest = Filter { workers: false, limit: Some(SESSIONS), ..filter.clone() };
    let mut all: Vec<SessionQuality> = Vec::new();
    for row in reader.sessions(&latest)? {
        all.push(quality_of_rows(&reader.last_events(row.row, EVENTS)?));
    }
    Ok(total(&all))
}
