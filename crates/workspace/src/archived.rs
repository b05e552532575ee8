//! Lists and reads archived features.

use crate::directory::{ARCHIVE, Directory};
use crate::error::WorkError;
use crate::feature::Feature;
use crate::overview::{counted, matching};
use rustix::fs::FileType;
use taffrail_contracts::ai_session::is_feature_id;
use taffrail_model::Timestamp;

/// An archived feature as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archived {
    /// Its id.
    pub feature_id: String,
    /// Its display name, if the plan can be read.
    pub name: Option<String>,
    /// When it began, if the state can be read.
    pub started_at: Option<Timestamp>,
    /// The time of the last line of its history, if there is one.
    pub last_active: Option<Timestamp>,
    /// Completed tasks and all tasks, if the plan can be read.
    pub tasks: Option<(usize, usize)>,
}

impl Directory {
    /// All archived features.
    ///
    /// # Errors
    /// An I/O error.
    pub fn archived(&self) -> Result<Vec<Archived>, WorkError> {
        Ok(self.archived_ids()?.into_iter().map(|id| self.archived_row(id)).collect())
    }

    /// The archived feature with this id or prefix of an id, else the only one.
    ///
    /// # Errors
    /// No feature or several match, or its state is invalid.
    pub fn archived_feature(&self, named: Option<&str>) -> Result<Feature<'_>, WorkError> {
        let those = matching(self.archived_ids()?, named.unwrap_or_default());
        match those.as_slice() {
            [] if named.is_none() => Err(WorkError::NoFeature("no feature is archived".to_owned())),
            [] => {
                let name = named.unwrap_or_default();
                Err(WorkError::NoFeature(format!("no archived feature begins with {name:?}")))
            }
            [one] => self.open_archived(one),
            _ => Err(WorkError::Several(those)),
        }
    }

    fn archived_ids(&self) -> Result<Vec<String>, WorkError> {
        let Some(archive) = self.folder.sub(ARCHIVE)? else { return Ok(Vec::new()) };
        let names = archive.names()?.into_iter();
        let features = names.filter(|(name, kind)| {
            is_feature_id(name) && matches!(kind, FileType::Directory | FileType::Unknown)
        });
        Ok(features.map(|(name, _)| name).collect())
    }

    /// A change that was interrupted is completed before a feature is archived, so none is pending.
    fn open_archived(&self, id: &str) -> Result<Feature<'_>, WorkError> {
        let gone = || WorkError::NoFeature(format!("the feature {id} has no folder"));
        let archive = self.folder.sub(ARCHIVE)?.ok_or_else(gone)?;
        self.opened_feature(archive.sub(id)?.ok_or_else(gone)?, id)
    }

    fn archived_row(&self, id: String) -> Archived {
        // Values that cannot be read are unknown; `work show --archived` reports the reason.
        let feature = self.open_archived(&id).ok();
        let plan = feature.as_ref().and_then(|it| it.plan().ok());
        let lines = feature.as_ref().and_then(|it| it.history().ok()).unwrap_or_default();
        Archived {
            feature_id: id,
            tasks: plan.as_ref().map(counted),
            name: plan.map(|it| it.feature.name),
            started_at: feature.map(|it| it.state.current.started_at),
            last_active: lines.iter().map(|it| it.timestamp).max(),
        }
    }
}
