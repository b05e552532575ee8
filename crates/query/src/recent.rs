//! A look at what is indexed, for a face that must answer at once: nothing is read anew.

use crate::session_row::session;
use std::path::Path;
use taffrail_api::Session;
use taffrail_context::Devices;
use taffrail_context::Error;
use taffrail_store::{Filter, IndexReader};

/// The latest sessions whose id begins so, at most `limit`. Workers are among them only where the
/// beginning of an id is given.
///
/// # Errors
/// When the index cannot be read.
pub fn recent(data: &Path, begins: &str, limit: usize) -> Result<Vec<Session>, Error> {
    let id_prefix = (!begins.is_empty()).then(|| begins.to_owned());
    let workers = id_prefix.is_some();
    let filter = Filter { workers, id_prefix, limit: Some(limit), ..Filter::default() };
    let Some(reader) = IndexReader::open(data)? else { return Ok(Vec::new()) };
    // Who completes a word needs no device's name.
    let unnamed = Devices::default();
    Ok(reader.sessions(&filter)?.into_iter().map(|it| session(&unnamed, it)).collect())
}
