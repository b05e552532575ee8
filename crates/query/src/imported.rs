//! The status of imported sessions: their documents say it, and no process is behind it.

use taffrail_context::LiveStatus;
use taffrail_model::Timestamp;
use taffrail_model::evidence::Life;
use taffrail_model::status::Reading;
use taffrail_store::SessionRow;

/// The status of an imported session; `None` for other sessions.
pub(crate) fn imported_reading(row: &SessionRow) -> Option<Reading> {
    let since = row.last_event_at.or(row.started_at).unwrap_or(Timestamp::UNIX_EPOCH);
    row.imported.as_ref().map(|it| it.reading(since))
}

/// The live status of an imported session: its document is the only evidence.
pub(crate) fn imported_status(reading: Reading) -> LiveStatus {
    LiveStatus { reading, evidence: Vec::new(), process: None, life: Life::Unknown, executor: None }
}
