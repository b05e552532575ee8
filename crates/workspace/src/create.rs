//! Making a feature: all of it, or nothing.

use crate::active::Active;
use crate::change::Asked;
use crate::directory::{ARCHIVE, Directory};
use crate::error::WorkError;
use crate::history;
use crate::plan::must_be_name;
use crate::render::document;
use serde_json::{Value, json};
use std::path::Path;
use taffrail_contracts::ai_session::{
    ARTIFACTS, ActiveFeature, Change, Current, FeatureStatus, HISTORY, HistoryLine, Model, Outcome,
    PLAN, Plan, PlanFeature, README, README_TEXT, STATE, VERSION, What, after, feature_id,
};
use taffrail_model::Timestamp;

/// What a folder is called while it is being filled.
const UNFINISHED: &str = ".new-";

/// A feature to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct New {
    /// Its name for people.
    pub name: String,
    /// What it is about.
    pub description: String,
    /// The model it begins with.
    pub model: Model,
}

impl Directory {
    /// Makes a feature in the directory of this folder's project, or in a new one in this folder.
    ///
    /// # Errors
    /// The name makes no id, there is a feature of that id, the list is not sound, or the disk says no.
    pub fn create(
        here: &Path,
        new: &New,
        asked: &Asked,
        now: fn() -> Timestamp,
    ) -> Result<String, WorkError> {
        must_be_name("a name", &new.name)?;
        let at = after(now(), None);
        let needs = || {
            WorkError::refused(format!("{:?} has no letter or digit to make an id of", new.name))
        };
        let id = feature_id(&new.name, at).ok_or_else(needs)?;
        let directory = Self::open_or_make(here, now)?;
        directory.make(&id, new, (asked, at))?;
        Ok(id)
    }

    fn make(&self, id: &str, new: &New, (asked, at): (&Asked, Timestamp)) -> Result<(), WorkError> {
        let mut active = self.active()?.unwrap_or_else(Active::empty);
        if self.is_taken(id, &active)? {
            return Err(WorkError::refused(format!("there is already a feature {id}")));
        }
        let entry = ActiveFeature {
            feature_id: id.to_owned(),
            started_at: at,
            last_active: at,
            status: FeatureStatus::Active,
        };
        active.push(&entry)?;
        self.sweep()?;
        let unfinished = format!("{UNFINISHED}{id}");
        self.fill(&unfinished, &Begun::of(id, new, at), asked)?;
        self.write_readme()?;
        // With this name it is made; whoever comes next lists it where we do not come to it.
        self.folder.rename(&unfinished, &self.folder, id)?;
        self.folder.sync()?;
        active.write(&self.folder).inspect_err(|_| {
            // Best effort: a feature that could not be listed is taken back, and else it is listed later.
            self.folder.rename(id, &self.folder, &unfinished).ok();
        })
    }

    fn is_taken(&self, id: &str, active: &Active) -> Result<bool, WorkError> {
        let is_archived = self.folder.sub(ARCHIVE)?.is_some_and(|archive| archive.has(id));
        Ok(is_archived || active.entry(id).is_some() || self.folder.has(id))
    }

    /// Removes what was never finished. Nobody fills it while we hold the lock.
    fn sweep(&self) -> Result<(), WorkError> {
        let names = self.folder.names()?.into_iter();
        let mut left = names.filter(|(name, _)| name.starts_with(UNFINISHED));
        left.try_for_each(|(name, _)| self.folder.remove_all(&name))
    }

    pub(crate) fn write_readme(&self) -> Result<(), WorkError> {
        if self.folder.has(README) {
            return Ok(());
        }
        self.folder.replace(README, README_TEXT.as_bytes())
    }

    fn fill(&self, name: &str, begun: &Begun, asked: &Asked) -> Result<(), WorkError> {
        let folder = self.folder.make(name)?;
        folder.make(ARTIFACTS)?;
        folder.replace(PLAN, document(&json!(begun.plan)).as_bytes())?;
        folder.replace(HISTORY, b"")?;
        history::append(&folder, &begun.line(asked))?;
        folder.replace(STATE, begun.state_text().as_bytes())
    }
}

/// A feature as it begins.
pub(crate) struct Begun {
    pub(crate) plan: Plan,
    pub(crate) current: Current,
}

impl Begun {
    pub(crate) fn of(id: &str, new: &New, at: Timestamp) -> Self {
        let feature = PlanFeature {
            id: id.to_owned(),
            name: new.name.clone(),
            description: new.description.clone(),
            created_at: at,
        };
        let current = Current { active_task: None, model_in_use: new.model, started_at: at };
        Self { plan: Plan { feature, phases: Vec::new() }, current }
    }

    fn line(&self, asked: &Asked) -> HistoryLine {
        let what = What::Created { feature: self.plan.feature.clone() };
        HistoryLine {
            timestamp: self.current.started_at,
            command: asked.command.clone(),
            arguments: asked.arguments.clone(),
            model: self.current.model_in_use,
            agent: asked.by.clone(),
            task_id: None,
            status: Outcome::Success,
            duration_ms: 0,
            error: None,
            change: Some(Change { what, state: self.current.clone() }),
        }
    }

    fn state_text(&self) -> String {
        document(&state_document(&self.plan.feature.id, &self.current, self.current.started_at))
    }
}

/// A state as it is written anew.
pub(crate) fn state_document(id: &str, current: &Current, last_updated: Timestamp) -> Value {
    json!({
        "version": VERSION,
        "feature_id": id,
        "current_state": {
            "active_task": current.active_task,
            "model_in_use": current.model_in_use,
            "started_at": current.started_at,
            "last_updated": last_updated,
        },
    })
}
