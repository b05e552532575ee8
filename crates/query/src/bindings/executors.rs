//! Finds the executor of a session, as far as it can be proved.

use crate::explain::status_of;
use crate::status::StatusLookup;
use crate::status::is_run;
use taffrail_capture::TMUX_DEADLINE;
use taffrail_context::{Error, Settings};
use taffrail_run::locate_one;
use taffrail_store::SessionRow;

/// The name of the executor of a session: `tmux:%3` for a pane, `pty:416` for a run of ours,
/// `process:417` for a process in neither. A sub-agent is reached through its parent session, and
/// has none.
pub(super) fn executor_now(
    settings: &Settings,
    row: &SessionRow,
    known: StatusLookup<'_>,
) -> Result<Option<String>, Error> {
    if row.parent.is_some() {
        return Ok(None);
    }
    let card = status_of(settings, row, known)?;
    let Some(process) = card.process.filter(|_| is_run(&card)) else { return Ok(None) };
    let found = || locate_one(settings, process.pid, TMUX_DEADLINE).executor;
    Ok(card.executor.clone().or_else(found))
}
