//! Lists indexed sessions for clients that must answer at once: reads no source.

use crate::session_row::session;
use std::path::Path;
use taffrail_api::Session;
use taffrail_context::Devices;
use taffrail_context::Error;
use taffrail_store::{Filter, IndexReader};

/// The latest sessions whose id has this prefix, at most `limit`. Includes sub-agents only if the
/// prefix is not empty.
///
/// # Errors
/// When the index cannot be read.
pub fn recent(data: &Path, begins: &str, limit: usize) -> Result<Vec<Session>, Error> {
    let id_prefix = (!begins.is_empty()).then(|| begins.to_owned());
    let workers = id_prefix.is_some();
    let filter = Filter { workers, id_prefix, limit: Some(limit), ..Filter::default() };
    let Some(reader) = IndexReader::open(data)? else { return Ok(Vec::new()) };
    // Completion does not need the names of devices.
    let unnamed = Devices::default();
    Ok(reader.sessions(&filter)?.into_iter().map(|it| session(&unnamed, it)).collect())
}
