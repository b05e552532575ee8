//! `taffrail work import` and `taffrail work export`: a feature and a session state convert into each
//! other.

use super::{Work, known_model};
use crate::env;
use crate::error::CliError;
use crate::output::Out;
use serde_json::json;
use std::path::Path;
use taffrail_config::Config;
use taffrail_contracts::ai_session::FeatureStatus;
use taffrail_contracts::feature_state::{Place, state_of, work_of};
use taffrail_query::contracts::{checked, state_in_file};
use taffrail_team::own_name;
use taffrail_workspace::Directory;

impl Work<'_> {
    /// Creates a feature from a session state.
    pub(super) fn import(&self, file: &Path, model: &str) -> Result<(), CliError> {
        let model = known_model(model)?;
        let (_, state) = state_in_file(&self.env.here.join(file))?;
        let work = work_of(&state, model).ok_or_else(|| {
            let message = "the goal of the state has no letter or digit to make an id of";
            CliError::refused(message, "give the state a goal in words")
        })?;
        let asked = self.asked("import", &file.to_string_lossy());
        let id = Directory::import(&self.env.here, &work, &asked, env::now)?;
        self.told(json!({ "feature_id": id }), &format!("made {id}"))
    }

    /// Prints the feature as a session state.
    pub(super) fn export(&self) -> Result<(), CliError> {
        let held = self.feature(FeatureStatus::Active)?;
        let work = held.feature()?.work()?;
        let config = Config::read(&self.env.config_path()).unwrap_or_default();
        let settings = self.env.settings(&config);
        let device = own_name(&settings).unwrap_or_else(|| settings.host.clone());
        let project = held.directory.project().to_string_lossy().into_owned();
        let state = state_of(&work, Place { project: &project, device: &device });
        Out::new().raw_json(&checked("state", &state)?)
    }
}
