//! Who runs a session now, as far as that can be proved.

use crate::contracts::Known;
use crate::running::executor_of;
use crate::standing::{card_of, is_run};
use crate::{DaemonError, Settings};
use taffrail_capture::{panes, tmux_sockets};
use taffrail_store::SessionRow;

/// The name of who can take commands for a session: `tmux:%3` for a pane, `pty:416` for a run of ours,
/// `process:417` for a process in none. A worker is reached through the session it works for, and has none of its own.
pub(super) fn executor_now(
    settings: &Settings,
    row: &SessionRow,
    known: Known<'_>,
) -> Result<Option<String>, DaemonError> {
    if row.parent.is_some() {
        return Ok(None);
    }
    let card = card_of(settings, row, known)?;
    let Some(process) = card.process.filter(|_| is_run(&card)) else { return Ok(None) };
    let found = || executor_of(&settings.runtime, process.pid, &panes(&tmux_sockets()));
    Ok(card.executor.clone().or_else(found))
}
