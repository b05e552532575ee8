//! Records commands that failed.

use crate::directory::Directory;
use crate::error::WorkError;
use crate::feature::{Feature, foreign_version};
use crate::history;
use crate::invocation::Invocation;
use crate::place::Place;
use crate::yaml::read_bytes;
use taffrail_contracts::ai_session::{HISTORY, STATE, replay};

impl Directory {
    /// Appends a line about a command that failed. A feature without a history gets none.
    ///
    /// # Errors
    /// An I/O error, or there is no such feature.
    pub fn log_failure(
        &self,
        id: &str,
        invocation: &Invocation,
        error: &str,
    ) -> Result<(), WorkError> {
        if !self.is_writable() {
            return Ok(());
        }
        match self.feature(id) {
            Ok(mut feature) => feature.log_failure(invocation, error),
            Err(WorkError::Unsound(_)) => self.log_beside_unsound(id, invocation, error),
            Err(other) => Err(other),
        }
    }

    /// The state cannot be read, so the history says which model is in use. A feature of a version that we
    /// do not know is left alone.
    fn log_beside_unsound(
        &self,
        id: &str,
        invocation: &Invocation,
        error: &str,
    ) -> Result<(), WorkError> {
        let Some(folder) = self.folder.sub(id)? else { return Ok(()) };
        let state = read_bytes(&folder.read(STATE)?.unwrap_or_default());
        if state.is_ok_and(|(_, document)| foreign_version(&document).is_some()) {
            return Ok(());
        }
        let place = Place::usual(&folder, id, HISTORY)?;
        let Some(whole) = history::whole(&place)? else { return Ok(()) };
        let Some(current) = replay(&whole.lines).current else { return Ok(()) };
        let last = whole.lines.iter().map(|it| it.timestamp).max();
        let about = (current.model_in_use, current.active_task);
        history::append(&place, &invocation.failed(about, error, self.written(last)))
    }
}

impl Feature<'_> {
    fn log_failure(&mut self, invocation: &Invocation, error: &str) -> Result<(), WorkError> {
        let current = &self.state.current;
        let about = (current.model_in_use, current.active_task.clone());
        let line = invocation.failed(about, error, self.directory.written(Some(self.last)));
        self.log(line).map(drop)
    }
}
