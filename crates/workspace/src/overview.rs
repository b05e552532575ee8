//! The features of a directory: a list of them, and the one that a command names.

use crate::directory::Directory;
use crate::error::WorkError;
use crate::feature::Feature;
use taffrail_contracts::ai_session::{ActiveFeature, FeatureStatus, Plan, Task, TaskStatus};

/// A feature as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overview {
    /// Its entry in the list.
    pub listed: ActiveFeature,
    /// Its display name, if the plan can be read.
    pub name: Option<String>,
    /// The active task, if the state can be read.
    pub active_task: Option<String>,
    /// Completed tasks and all tasks, if the plan can be read.
    pub tasks: Option<(usize, usize)>,
}

impl Directory {
    /// All listed features.
    ///
    /// # Errors
    /// The list is invalid.
    pub fn overview(&self) -> Result<Vec<Overview>, WorkError> {
        let listed = self.active()?.map(|it| it.features).unwrap_or_default();
        Ok(listed.into_iter().map(|it| self.overview_of(it)).collect())
    }

    fn overview_of(&self, listed: ActiveFeature) -> Overview {
        // A feature that cannot be read is shown as unknown; `check` reports the reason.
        let feature = self.feature(&listed.feature_id).ok();
        let plan = feature.as_ref().and_then(|it| it.plan().ok());
        Overview {
            listed,
            tasks: plan.as_ref().map(counted),
            name: plan.map(|it| it.feature.name),
            active_task: feature.and_then(|it| it.state.current.active_task),
        }
    }

    /// The feature with this id or prefix of an id, else the only one with this status.
    ///
    /// # Errors
    /// No feature or several match, or its state is invalid.
    pub fn choose(
        &self,
        named: Option<&str>,
        wanted: FeatureStatus,
    ) -> Result<Feature<'_>, WorkError> {
        self.feature(&self.choose_id(named, wanted)?)
    }

    /// The id of that feature, whatever its state is.
    ///
    /// # Errors
    /// No feature or several match.
    pub fn choose_id(
        &self,
        named: Option<&str>,
        wanted: FeatureStatus,
    ) -> Result<String, WorkError> {
        match named {
            Some(name) => self.named(name),
            None => self.only(wanted),
        }
    }

    /// The id that an id or a prefix names.
    ///
    /// # Errors
    /// No feature or several match.
    pub fn named(&self, name: &str) -> Result<String, WorkError> {
        let those = matching(self.folders()?, name);
        match those.as_slice() {
            [] => Err(WorkError::NoFeature(format!("no feature begins with {name:?}"))),
            [one] => Ok(one.clone()),
            _ => Err(WorkError::Several(those)),
        }
    }

    fn only(&self, wanted: FeatureStatus) -> Result<String, WorkError> {
        let listed = self.active()?.map(|it| it.features).unwrap_or_default();
        let ids = |of: &dyn Fn(&ActiveFeature) -> bool| {
            listed.iter().filter(|it| of(it)).map(|it| it.feature_id.clone()).collect::<Vec<_>>()
        };
        let those = ids(&|it| it.status == wanted);
        let those = if those.is_empty() { ids(&|_| true) } else { those };
        match those.as_slice() {
            [] => Err(WorkError::NoFeature("no feature is listed".to_owned())),
            [one] => Ok(one.clone()),
            _ => Err(WorkError::Several(those)),
        }
    }
}

/// The ids that begin with a name; only the id itself if the name is one.
pub(crate) fn matching(ids: Vec<String>, name: &str) -> Vec<String> {
    match ids.iter().find(|id| *id == name) {
        Some(exact) => vec![exact.clone()],
        None => ids.into_iter().filter(|id| id.starts_with(name)).collect(),
    }
}

/// Completed tasks and all tasks.
pub(crate) fn counted(plan: &Plan) -> (usize, usize) {
    let is_done = |it: &&Task| it.status == TaskStatus::Completed;
    (plan.tasks().filter(is_done).count(), plan.tasks().count())
}
