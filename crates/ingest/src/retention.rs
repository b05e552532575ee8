//! Enforces the user's retention limits.

use crate::archive::{Prune, prune};
use crate::terminals::expire_terminals;
use crate::unsearch::unsearch;
use taffrail_capture::Plan;
use taffrail_context::{Error, Settings};
use taffrail_model::Timestamp;
use taffrail_store::Writer;

const DAY: i64 = 86_400;

/// The instant before which the index holds nothing.
pub(crate) fn index_begins(settings: &Settings) -> Option<Timestamp> {
    before(settings, settings.retention.index_days)
}

fn before(settings: &Settings, days: Option<u32>) -> Option<Timestamp> {
    let seconds = i64::from(days?).checked_mul(DAY)?;
    Timestamp::from_second((settings.now)().as_second().checked_sub(seconds)?).ok()
}

/// Leaves out sources that did not change within the retention period.
pub(crate) fn leave_out_old(settings: &Settings, plan: &mut Plan) {
    if let Some(begins) = index_begins(settings) {
        let begins = begins.as_nanosecond();
        plan.jobs.retain(|job| i128::from(job.found.fingerprint.modified_ns) >= begins);
    }
}

/// Drops data older than the retention period, once a day.
pub(crate) fn expire(settings: &Settings, writer: &mut Writer) -> Result<(), Error> {
    let now = (settings.now)();
    if !writer.note_day(&format!(" {:?}", settings.retention), now)? {
        return Ok(());
    }
    if let Some(begins) = index_begins(settings) {
        let rows = writer.sessions_before(begins)?;
        if !rows.is_empty() {
            unsearch(settings, writer, &rows)?;
            writer.erase(&rows, now)?;
        }
    }
    expire_terminals(settings, before(settings, Some(settings.retention.journal.days)))?;
    if let Some(begins) = before(settings, settings.retention.archive_days) {
        prune(settings, writer, Prune::Before(begins.into()))?;
    }
    Ok(())
}
