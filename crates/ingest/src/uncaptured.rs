//! Sessions that are not captured.

use std::collections::HashSet;
use taffrail_adapters::Shape;
use taffrail_capture::Plan;
use taffrail_context::Error;
use taffrail_store::Uncaptured;

/// Leaves out sources whose sessions are all uncaptured.
pub(crate) fn leave_out_uncaptured(
    plan: &mut Plan,
    uncaptured: &Uncaptured,
    files: impl FnOnce() -> Result<HashSet<(String, String)>, taffrail_store::StoreError>,
) -> Result<(), Error> {
    if uncaptured.is_empty() || plan.jobs.is_empty() {
        return Ok(());
    }
    let files = files()?;
    plan.jobs.retain(|job| {
        let found = &job.found;
        let is_database = matches!(found.place.shape, Shape::Sqlite(_));
        let is_named = found.place.session.as_ref().is_some_and(|it| uncaptured.has(it));
        let is_known = files.contains(&(found.home.clone(), found.path.clone()));
        is_database || !(is_named || is_known)
    });
    Ok(())
}
