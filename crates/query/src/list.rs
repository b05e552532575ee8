//! Lists sessions from the current index.

use crate::filter::filter;
use crate::session_row::session;
use taffrail_api::{ListRequest, Session};
use taffrail_context::{Error, Settings};
use taffrail_store::IndexReader;

/// Lists the sessions of the index, the latest first. The caller adds status and tags.
///
/// # Errors
/// When our own files cannot be read.
pub fn list(settings: &Settings, request: &ListRequest) -> Result<Vec<Session>, Error> {
    let Some(reader) = IndexReader::open(&settings.data)? else { return Ok(Vec::new()) };
    let rows = reader.sessions(&filter(settings, request)?)?.into_iter();
    Ok(rows.map(|it| session(&settings.devices, it)).collect())
}
