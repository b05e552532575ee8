//! Keeping a completed feature out of the way.

use crate::change::Asked;
use crate::directory::{ARCHIVE, Directory};
use crate::error::WorkError;
use taffrail_contracts::ai_session::{FeatureStatus, HistoryLine, Outcome};
use taffrail_model::Timestamp;

impl Directory {
    /// Moves a completed feature into the archive and takes it off the list. Nothing is deleted.
    ///
    /// # Errors
    /// It is not completed, or the disk says no.
    pub fn archive(&self, id: &str, asked: &Asked) -> Result<(), WorkError> {
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
        feature.log(HistoryLine {
            timestamp: Timestamp::UNIX_EPOCH,
            command: asked.command.clone(),
            arguments: asked.arguments.clone(),
            model: feature.state.current.model_in_use,
            agent: asked.by.clone(),
            task_id: None,
            status: Outcome::Success,
            duration_ms: 0,
            error: None,
            change: None,
        })?;
        let archive = self.folder.make(ARCHIVE)?;
        // With this it is archived; whoever comes next takes it off the list where we do not.
        self.folder.rename(id, &archive, id)?;
        archive.sync()?;
        self.folder.sync()?;
        active.write(&self.folder)
    }
}
