//! A feature that a command reads, from the directory or from the archive.

use crate::env::Env;
use taffrail_api::Session;
use taffrail_api::client::Client;
use taffrail_config::Config;
use taffrail_contracts::ai_session::FeatureStatus;
use taffrail_query::bindings::sessions_of_feature;
use taffrail_workspace::{Directory, Feature, WorkError};

/// A directory with the id of the feature that is meant in it.
pub(super) struct Held {
    pub(super) directory: Directory,
    pub(super) id: String,
    pub(super) origin: Origin,
}

/// Where a feature is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// In the directory, on the list or not.
    Listed,
    /// In the archive.
    Archive,
}

impl Origin {
    /// What the option `--archived` asks for.
    pub(super) fn of(archived: bool) -> Self {
        if archived { Self::Archive } else { Self::Listed }
    }
}

impl Held {
    /// The feature of this name, else the only active or archived one.
    pub(super) fn choose(
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

    pub(super) fn feature(&self) -> Result<Feature<'_>, WorkError> {
        match self.origin {
            Origin::Listed => self.directory.feature(&self.id),
            Origin::Archive => self.directory.archived_feature(Some(&self.id)),
        }
    }

    /// The sessions that work for it. Where no index can be read, none are known.
    pub(super) fn sessions(&self, env: &Env) -> Vec<Session> {
        let project = self.directory.project();
        let config = Config::read(&env.config_path()).unwrap_or_default();
        let found = sessions_of_feature(&env.settings(&config), project, &self.id);
        let found = found.unwrap_or_default();
        let Ok(client) = Client::connect(&env.state_folder()) else { return found };
        // A daemon also knows where sessions run; a session it does not know stays as found.
        let known = |it: Session| client.get(&format!("/api/sessions/{}", it.id)).unwrap_or(it);
        found.into_iter().map(known).collect()
    }
}
