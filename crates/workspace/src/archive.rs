//! Archives a completed feature.

use crate::directory::{ARCHIVE, Directory};
use crate::error::WorkError;
use crate::invocation::Invocation;
use taffrail_contracts::ai_session::FeatureStatus;

impl Directory {
    /// Moves a completed feature into the archive and removes it from the list. No file is deleted.
    ///
    /// # Errors
    /// The feature is not completed, or an I/O error.
    pub fn archive(&self, id: &str, invocation: &Invocation) -> Result<(), WorkError> {
        let mut feature = self.feature(id)?;
        let mut active = feature.list()?;
        let status = active.entry(id).map_or(FeatureStatus::Active, |it| it.status);
        if status != FeatureStatus::Completed {
            let status = status.as_str();
            return Err(WorkError::refused(format!(
                "the feature {id} is {status}; only a completed one is archived"
            )));
        }
        active.remove(id)?;
        let model = feature.state.current.model_in_use;
        let written = self.written(Some(feature.last));
        feature.log(invocation.succeeded((model, None), None, written))?;
        let archive = self.folder.make(ARCHIVE)?;
        // The feature is archived from here on. If we crash, the next process removes it from the list.
        self.folder.rename(id, &archive, id)?;
        archive.sync()?;
        self.folder.sync()?;
        active.write(&self.folder)
    }
}
