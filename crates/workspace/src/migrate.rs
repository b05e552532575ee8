//! Migrates states to the version that we write. The old file is kept beside the new one.

use crate::directory::Directory;
use crate::edit::{Edit, edited};
use crate::error::WorkError;
use serde_json::{Value, json};
use taffrail_contracts::ai_session::{Operation, STATE, VERSION};

/// A state that was migrated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Migrated {
    /// The feature.
    pub feature_id: String,
    /// The name of the old file.
    pub kept_as: String,
}

impl Directory {
    /// Writes our version into every state that names none, or writes it differently.
    ///
    /// # Errors
    /// A version is unknown, a state is invalid, or an I/O error.
    pub fn migrate(&self, only: Option<&str>) -> Result<Vec<Migrated>, WorkError> {
        let ids = self.folders()?.into_iter();
        let ids = ids.filter(|id| only.is_none_or(|only| only == *id));
        let moved = ids.map(|id| self.migrate_one(&id)).collect::<Result<Vec<_>, _>>()?;
        Ok(moved.into_iter().flatten().collect())
    }

    fn migrate_one(&self, id: &str) -> Result<Option<Migrated>, WorkError> {
        let feature = self.feature(id)?;
        let state = &feature.state;
        if state.document.get("version") == Some(&Value::from(VERSION)) {
            return Ok(None);
        }
        let set = [Edit::Set("/version".to_owned(), json!(VERSION))];
        let invalid = |why: String| self.unsound(Operation::Update, (STATE, Some(id)), why);
        let text = edited(&state.text, &set).map_err(|unfit| invalid(unfit.to_string()))?;
        let mut names = (1..).map(|it| format!("{STATE}.before-{VERSION}-{it}"));
        let kept_as = names.find(|it| !feature.folder.has(it)).unwrap_or_default();
        feature.folder.replace(&kept_as, state.text.as_bytes())?;
        feature.folder.replace(STATE, text.as_bytes())?;
        Ok(Some(Migrated { feature_id: id.to_owned(), kept_as }))
    }
}
