//! Opens a feature and completes the changes that an earlier process left unfinished.

use crate::change::{Next, status_of};
use crate::directory::Directory;
use crate::error::WorkError;
use crate::feature::Feature;
use crate::folder::Folder;
use crate::history;
use crate::invocation::Invocation;
use taffrail_contracts::ai_session::{Change, HistoryLine, Operation, STATE, What};

impl Directory {
    /// Opens a feature and rolls its state forward.
    ///
    /// # Errors
    /// The feature does not exist, or its state is invalid.
    pub fn feature(&self, id: &str) -> Result<Feature<'_>, WorkError> {
        let gone = || WorkError::NoFeature(format!("the feature {id} has no folder"));
        let folder = self.folder.sub(id)?.ok_or_else(gone)?;
        let mut feature = self.opened_feature(folder, id)?;
        feature.roll_forward()?;
        Ok(feature)
    }

    /// A feature in this folder, as its files say.
    pub(crate) fn opened_feature(
        &self,
        folder: Folder,
        id: &str,
    ) -> Result<Feature<'_>, WorkError> {
        let state = self.state(&folder, id)?;
        let refused = |why| self.unsound(Operation::Read, (STATE, Some(id)), why);
        let places = self.places(&folder, (id, &state.document))?.map_err(refused)?;
        let last = state.last_updated;
        Ok(Feature { directory: self, folder, places, id: id.to_owned(), state, last })
    }
}

impl Feature<'_> {
    /// Completes interrupted changes, and records what other tools wrote.
    fn roll_forward(&mut self) -> Result<(), WorkError> {
        let before = self.state.last_updated;
        let tail = history::tail(&self.places.history, before)?;
        self.last = before.max(tail.last.unwrap_or(before));
        let (known, broken_off): (Vec<_>, Vec<_>) =
            tail.changes.iter().partition(|line| line.timestamp <= before);
        if !self.is_left_by_us(known.last().copied(), !broken_off.is_empty()) {
            return if self.directory.is_writable() { self.note_foreign() } else { Ok(()) };
        }
        for line in broken_off {
            match self.directory.is_writable() {
                true => self.redo(line)?,
                false => self.foresee(line),
            }
        }
        Ok(())
    }

    /// Shows a reader the state as it will be after the interrupted change is completed.
    fn foresee(&mut self, line: &HistoryLine) {
        let Some(change) = &line.change else { return };
        // A state that cannot be edited is shown as it is on disk.
        if let Ok(next) = self.next_state(&change.state, line.timestamp) {
            self.state = next.state;
        }
    }

    /// Whether we wrote the state last: it equals the result of the last change up to its timestamp. If later
    /// changes were interrupted, the timestamps must also be equal: another tool's clock may be behind ours or
    /// count in seconds, and its write is still the last one.
    fn is_left_by_us(&self, known: Option<&HistoryLine>, is_behind: bool) -> bool {
        let Some(line) = known else { return is_behind };
        let is_same = line.change.as_ref().is_some_and(|it| it.state == self.state.current);
        is_same && (!is_behind || line.timestamp == self.state.last_updated)
    }

    /// Makes a change that the history already contains. An invalid plan or list is left to a recovery,
    /// which reads the same history.
    fn redo(&mut self, line: &HistoryLine) -> Result<(), WorkError> {
        let Some(change) = &line.change else { return Ok(()) };
        let list = self.list().ok().and_then(|mut list| {
            list.touch(&self.id, line.timestamp, status_of(&change.what)).ok().map(|()| list)
        });
        let plan = self.next_plan(&change.what).ok().flatten();
        let state = self.next_state(&change.state, line.timestamp)?;
        self.write(Next { plan, list, state }, line.timestamp)
    }

    /// Appends the state that another tool wrote to the history: the last write wins, and a
    /// recovery leads to the same state.
    fn note_foreign(&mut self) -> Result<(), WorkError> {
        let invocation = Invocation::own("work observe", self.directory.opened());
        let change = Change { what: What::Observed, state: self.state.current.clone() };
        let line = self.line(change, &invocation);
        let state = self.next_state(&self.state.current, line.timestamp)?;
        history::append(&self.places.history, &line)?;
        self.write(Next { plan: None, list: None, state }, line.timestamp)
    }
}
