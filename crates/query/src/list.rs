//! Lists sessions from the current index.

use crate::filter::filter;
use crate::session_row::session;
use taffrail_api::{ListRequest, Session};
use taffrail_context::{Error, Settings};
use taffrail_model::prompt_history::settled;
use taffrail_model::{Lifecycle, Timestamp};
use taffrail_store::{IndexReader, SessionRow};

/// Lists the sessions of the index, the latest first. The caller adds status and tags.
///
/// # Errors
/// When our own files cannot be read.
pub fn list(settings: &Settings, request: &ListRequest) -> Result<Vec<Session>, Error> {
    let Some(reader) = IndexReader::open(&settings.data)? else { return Ok(Vec::new()) };
    let rows = reader.sessions(&filter(settings, request)?)?.into_iter();
    let is_late = |it: &SessionRow| is_late(&it.lifecycle, it.last_event_at, (settings.now)());
    let rows = rows.filter(|it| !is_late(it));
    Ok(rows.map(|it| session(&settings.devices, it)).collect())
}

/// Whether a session has only prompts so far because its transcript may be a little late.
pub(crate) fn is_late(lifecycle: &Lifecycle, last: Option<Timestamp>, now: Timestamp) -> bool {
    *lifecycle == Lifecycle::PromptsOnly && last > Some(settled(now))
}
