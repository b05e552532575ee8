//! Finds words inside one session: all matches counted, the first ones with their places.

use crate::resolve::resolve;
use taffrail_api::{MatchRow, Matches, SCHEMA_VERSION};
use taffrail_context::{Error, Settings, Target};
use taffrail_model::{EventId, Timestamp};
use taffrail_store::IndexReader;
use taffrail_store::search::{Match, Query, SearchReader};

/// The events of a session that have all words of a query, in the session's order.
///
/// # Errors
/// When the query is empty, or our own files cannot be read.
pub fn find(
    settings: &Settings,
    target: &Target,
    (words, limit): (&str, usize),
) -> Result<Matches, Error> {
    let session = resolve(settings, target)?;
    let query = Query::parse(words);
    if query.has_no_words() {
        return Err(Error::NoQuestion);
    }
    let none = Matches { schema_version: SCHEMA_VERSION, total: 0, matches: Vec::new() };
    let Some(reader) = IndexReader::open(&settings.data)? else { return Ok(none) };
    let Some(search) = SearchReader::open(&settings.data) else { return Ok(none) };
    reader.hold()?;
    let found = search.within(session.row, &query)?;
    if found.is_empty() {
        return Ok(none);
    }
    let outline = reader.outline(session.row)?;
    let mut matches = Vec::new();
    for event in first_of(&reader, session.row, (&found, limit))? {
        let (sequence, turn) = reader.place_of(&outline, event)?;
        matches.push(MatchRow { event_id: event.0, turn, sequence });
    }
    matches.sort_by_key(|it| it.sequence);
    matches.truncate(limit);
    Ok(Matches { total: found.len() as u64, matches, ..none })
}

/// The events of the first matches. Search knows seconds only, so the whole second of the last one
/// is looked up.
fn first_of(
    reader: &IndexReader,
    session: i64,
    (found, limit): (&[Match], usize),
) -> Result<Vec<(EventId, Timestamp)>, Error> {
    let last = limit.min(found.len()).checked_sub(1).and_then(|it| found.get(it));
    let Some(last) = last else { return Ok(Vec::new()) };
    let mut out = Vec::new();
    for found in found.iter().take_while(|it| it.second <= last.second) {
        // An event that was removed since has no place.
        out.extend(reader.event_time(session, found.key)?);
    }
    Ok(out)
}
