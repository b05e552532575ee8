//! Keeps the small file for status bars up to date.

use super::event_loop::Loop;
use crate::DaemonError;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use taffrail_api::{LongestWait, STATUS_FILE, StatusFile};
use taffrail_context::LiveStatus;
use taffrail_model::status::{self, Group};
use taffrail_model::{SessionId, Timestamp};
use taffrail_store::StoreError;

impl Loop {
    /// Rewrites the file if its content changed.
    pub(super) fn keep_glance(&mut self) -> Result<(), DaemonError> {
        let is_counted = !std::mem::take(&mut self.stands_new);
        let before = self.glanced.as_ref().filter(|_| is_counted);
        if before.is_some_and(|it| it.quotas == self.monitor.gauges()) {
            return Ok(());
        }
        let Some(state) = self.state.clone() else { return Ok(()) };
        // A limit changes more often than a status, and sessions are counted for a status only.
        let counted = before.cloned().map_or_else(|| self.glance(), Ok)?;
        let glance = StatusFile { quotas: self.monitor.gauges().to_vec(), ..counted };
        if self.glanced.as_ref() == Some(&glance) {
            return Ok(());
        }
        write(&state, &glance).map_err(StoreError::from)?;
        self.glanced = Some(glance);
        Ok(())
    }

    fn glance(&self) -> Result<StatusFile, DaemonError> {
        let now = (self.settings.now)();
        let mut glance = StatusFile { pid: std::process::id(), ..StatusFile::default() };
        let mut first: Option<(Timestamp, SessionId, Arc<LiveStatus>)> = None;
        for (id, card) in self.handle.live().statuses() {
            if self.board.is_worker(id) {
                continue;
            }
            let group = status::group(&card.reading, now);
            let since = card.reading.since;
            if group != Group::Failed || status::is_recent(since, now) {
                glance.count(group);
            }
            if group == Group::NeedsYou && first.as_ref().is_none_or(|(at, ..)| since < *at) {
                first = Some((since, id, card));
            }
        }
        if let (Some((_, id, card)), Some(index)) = (first, &self.index) {
            let row = self.board.row(id).map(|row| index.session(row)).transpose()?.flatten();
            let path = row.and_then(|it| it.project_path).unwrap_or_default();
            let project = path.rsplit('/').next().unwrap_or_default().to_owned();
            let what = card.reading.waiting_for.as_ref().map(|it| it.text.clone());
            glance.first = Some(LongestWait { id, project, what: what.unwrap_or_default() });
        }
        Ok(glance)
    }
}

/// Writes that a daemon runs and does not know the statuses yet.
pub(super) fn say_reading(state: &Path) -> Result<(), DaemonError> {
    let glance = StatusFile { pid: std::process::id(), reading: true, ..StatusFile::default() };
    Ok(write(state, &glance).map_err(StoreError::from)?)
}

fn write(state: &Path, glance: &StatusFile) -> std::io::Result<()> {
    let mut file = tempfile::NamedTempFile::new_in(state)?;
    serde_json::to_writer(&mut file, glance)?;
    file.write_all(b"\n")?;
    file.persist(state.join(STATUS_FILE))?;
    Ok(())
}
