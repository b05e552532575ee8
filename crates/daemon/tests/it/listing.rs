//! Lists sessions like a command without a daemon.

use taffrail_api::{ListRequest, Session};
use taffrail_context::{Error, Settings};
use taffrail_ingest::Budget;
use taffrail_query::board::recent_statuses;
use taffrail_query::status::apply_status;
use taffrail_query::{caught_up, list};
use taffrail_store::IndexReader;

/// Catches up, lists, and adds each session's status.
pub(crate) fn sessions(settings: &Settings, request: &ListRequest) -> Result<Vec<Session>, Error> {
    caught_up(settings, Budget::Whole, &mut |_| {})?;
    let mut sessions = list(settings, request)?;
    let Some(index) = IndexReader::open(&settings.data)? else { return Ok(sessions) };
    let statuses = recent_statuses(settings, &index)?;
    for session in &mut sessions {
        if let Some(status) = statuses.get(&session.id) {
            apply_status(session, status, (settings.now)());
        }
    }
    Ok(sessions)
}
