//! The list of features.

use crate::edit::{Edit, Unfit, edited};
use crate::error::WorkError;
use crate::folder::Folder;
use crate::render::document;
use crate::yaml::read_bytes;
use serde_json::{Value, json};
use taffrail_contracts::Strictness;
use taffrail_contracts::ai_session::{
    ACTIVE_FEATURES, ActiveFeature, FeatureStatus, Kind, validate,
};
use taffrail_model::Timestamp;

/// `active-features.yaml`: its text and its meaning.
#[derive(Debug, Clone)]
pub(crate) struct Active {
    pub(crate) text: String,
    pub(crate) features: Vec<ActiveFeature>,
}

impl Active {
    /// A list without features.
    pub(crate) fn empty() -> Self {
        Self { text: "active_features: []\n".to_owned(), features: Vec::new() }
    }

    /// Reads the list; `None` if there is none. The inner error is a sentence.
    pub(crate) fn read(folder: &Folder) -> Result<Option<Result<Self, String>>, WorkError> {
        Ok(folder.read(ACTIVE_FEATURES)?.map(|bytes| Self::of(&bytes)))
    }

    fn of(bytes: &[u8]) -> Result<Self, String> {
        let (text, value) = read_bytes(bytes)?;
        let report = validate(Kind::ActiveFeatures, &value, Strictness::default());
        if let Some(fault) = report.faults.first() {
            return Err(format!("{}: {}", fault.pointer, fault.message));
        }
        let list = value.get("active_features").cloned().unwrap_or(Value::Null);
        let features = serde_json::from_value(list).map_err(|error| error.to_string())?;
        Ok(Self { text, features })
    }

    pub(crate) fn entry(&self, id: &str) -> Option<&ActiveFeature> {
        self.features.iter().find(|it| it.feature_id == id)
    }

    fn index(&self, id: &str) -> Option<usize> {
        self.features.iter().position(|it| it.feature_id == id)
    }

    pub(crate) fn push(&mut self, entry: &ActiveFeature) -> Result<(), WorkError> {
        self.edit(&[Edit::Push("/active_features".to_owned(), json!(entry))])?;
        self.features.push(entry.clone());
        Ok(())
    }

    pub(crate) fn remove(&mut self, id: &str) -> Result<(), WorkError> {
        let Some(index) = self.index(id) else { return Ok(()) };
        self.edit(&[Edit::Remove("/active_features".to_owned(), index)])?;
        self.features.remove(index);
        Ok(())
    }

    /// Updates a feature's last activity and its status. Time never moves backwards.
    pub(crate) fn touch(
        &mut self,
        id: &str,
        at: Timestamp,
        status: Option<FeatureStatus>,
    ) -> Result<(), WorkError> {
        let Some(index) = self.index(id) else { return Ok(()) };
        let mut edits = Vec::new();
        if let Some(entry) = self.features.get_mut(index) {
            if entry.last_active < at {
                entry.last_active = at;
                edits.push(Edit::Set(format!("/active_features/{index}/last_active"), json!(at)));
            }
            if let Some(status) = status {
                entry.status = status;
                edits.push(Edit::Set(format!("/active_features/{index}/status"), json!(status)));
            }
        }
        self.edit(&edits)
    }

    fn edit(&mut self, edits: &[Edit]) -> Result<(), WorkError> {
        let refused = |unfit: Unfit| WorkError::refused(format!("{ACTIVE_FEATURES}: {unfit}"));
        self.text = edited(&self.text, edits).map_err(refused)?;
        Ok(())
    }

    pub(crate) fn write(&self, folder: &Folder) -> Result<(), WorkError> {
        folder.replace(ACTIVE_FEATURES, self.text.as_bytes())
    }

    /// The text of a new list.
    pub(crate) fn new(features: Vec<ActiveFeature>) -> Self {
        Self { text: document(&json!({ "active_features": features })), features }
    }
}
