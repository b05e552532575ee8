//! The kept output of terminals under `taffrail run`: whether it may be kept, and when it goes.

use std::collections::HashSet;
use taffrail_capture::{prune_runs, remove_runs};
use taffrail_context::{Error, Settings};
use taffrail_model::{Facts, RuntimeIdentity, SessionId, Timestamp};
use taffrail_store::{Ledger, StoreError};

/// Whether output of a session may be kept: it is captured, and not forgotten. If the ledger cannot
/// be read, nothing is kept.
#[must_use]
pub fn keeps_terminal(settings: &Settings, who: &RuntimeIdentity) -> bool {
    let is_left_out = || -> Result<bool, StoreError> {
        let Some(ledger) = Ledger::open_read_only(&settings.data)? else { return Ok(false) };
        Ok(ledger.uncaptured()?.has(who) || ledger.forgotten()?.holds(who, &Facts::default()))
    };
    is_left_out().is_ok_and(|it| !it)
}

/// Removes what is kept of these sessions' terminals.
pub(crate) fn remove_terminals(
    settings: &Settings,
    sessions: &HashSet<SessionId>,
) -> Result<(), Error> {
    let is_meant = |who: &RuntimeIdentity| sessions.contains(&who.session());
    Ok(remove_runs(&settings.data, &is_meant).map_err(StoreError::from)?)
}

/// Removes what is too old, and the oldest beyond the total.
pub(crate) fn expire_terminals(
    settings: &Settings,
    before: Option<Timestamp>,
) -> Result<(), Error> {
    let pruned = prune_runs(&settings.data, settings.run.total, before);
    Ok(pruned.map_err(StoreError::from)?)
}
