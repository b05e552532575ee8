//! `taffrail work import` and `taffrail work export`: a feature and a session state convert into each
//! other.

use super::{Failure, Origin, Work, known_model};
use crate::error::CliError;
use crate::output::Out;
use serde_json::json;
use std::path::Path;
use taffrail_config::Config;
use taffrail_contracts::feature_state::{Place, state_of, work_of};
use taffrail_env as env;
use taffrail_query::contracts::{checked, state_in_file};
use taffrail_team::own_name;
use taffrail_workspace::Directory;

impl Work<'_> {
    /// Creates a feature from a session state.
    pub(super) fn import(&self, file: &Path, model: &str) -> Result<(), Failure> {
        let model = known_model(model)?;
        let (_, state) = state_in_file(&self.env.here.join(file)).map_err(CliError::from)?;
        let work = work_of(&state, model).ok_or_else(|| {
            let message = "the goal of the state has no letter or digit to make an id of";
            CliError::refused(message, "give the state a goal in words")
        })?;
        self.chose(&work.plan.feature.id);
        let id = Directory::import(&self.env.here, &work, &self.invocation(), env::now)?;
        Ok(self.told(json!({ "feature_id": id }), &format!("made {id}"))?)
    }

    /// Prints the feature as a session state.
    pub(super) fn export(&self) -> Result<(), Failure> {
        let held = self.held(Origin::Listed)?;
        let work = held.feature()?.work()?;
        let config = Config::read(&self.env.config_path()).unwrap_or_default();
        let settings = self.env.settings(&config);
        let device = own_name(&settings).unwrap_or_else(|| settings.host.clone());
        let project = held.directory.project().to_string_lossy().into_owned();
        let state = state_of(&work, Place { project: &project, device: &device });
        let document = checked("state", &state).map_err(CliError::from)?;
        Ok(Out::new().raw_json(&document)?)
    }
}
