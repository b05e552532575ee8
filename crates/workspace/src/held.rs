//! A feature that is read, from the directory or from the archive.

use crate::directory::Directory;
use crate::error::WorkError;
use crate::feature::Feature;
use taffrail_contracts::ai_session::FeatureStatus;

/// A directory with the id of the feature that is meant in it.
#[derive(Debug)]
pub struct Held {
    /// The directory.
    pub directory: Directory,
    /// The feature's id.
    pub id: String,
    /// Where the feature is.
    pub origin: Origin,
}

/// Where a feature is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// In the directory, on the list or not.
    Listed,
    /// In the archive.
    Archive,
}

impl Origin {
    /// What the option `--archived` asks for.
    #[must_use]
    pub fn of(archived: bool) -> Self {
        if archived { Self::Archive } else { Self::Listed }
    }
}

impl Held {
    /// The feature of this name, else the only active or archived one.
    ///
    /// # Errors
    /// None or several could be meant.
    pub fn choose(
        directory: Directory,
        named: Option<&str>,
        origin: Origin,
    ) -> Result<Self, WorkError> {
        let id = match origin {
            Origin::Archive => directory.archived_feature(named)?.id,
            Origin::Listed => directory.choose_id(named, FeatureStatus::Active)?,
        };
        Ok(Self { directory, id, origin })
    }

    /// The feature itself.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn feature(&self) -> Result<Feature<'_>, WorkError> {
        match self.origin {
            Origin::Listed => self.directory.feature(&self.id),
            Origin::Archive => self.directory.archived_feature(Some(&self.id)),
        }
    }
}
