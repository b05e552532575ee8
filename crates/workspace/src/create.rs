//! Creates a feature atomically.

use crate::active::Active;
use crate::directory::{ARCHIVE, Directory};
use crate::error::WorkError;
use crate::history;
use crate::invocation::{Invocation, Written};
use crate::names::must_be_name;
use crate::place::Place;
use crate::render::document;
use serde_json::{Value, json};
use std::path::Path;
use taffrail_contracts::ai_session::{
    ARTIFACTS, ActiveFeature, Change, Current, FeatureStatus, HISTORY, HistoryLine, Model, PLAN,
    Plan, PlanFeature, README, README_TEXT, STATE, VERSION, What, after, feature_id,
};
use taffrail_model::Timestamp;

/// Prefix of a folder that is not complete yet.
const UNFINISHED: &str = ".new-";

/// A feature to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct New {
    /// Its display name.
    pub name: String,
    /// The description.
    pub description: String,
    /// The model it begins with.
    pub model: Model,
}

impl Directory {
    /// Creates a feature in the directory of this folder's project, or in a new directory in this folder.
    ///
    /// # Errors
    /// The name yields no id, a feature of that id exists, the list is invalid, or an I/O error.
    pub fn create(
        here: &Path,
        new: &New,
        invocation: &Invocation,
        now: fn() -> Timestamp,
    ) -> Result<String, WorkError> {
        must_be_name("a name", &new.name)?;
        let at = after(now(), None);
        let needs = || {
            WorkError::refused(format!("{:?} has no letter or digit to make an id of", new.name))
        };
        let id = feature_id(&new.name, at).ok_or_else(needs)?;
        let directory = Self::open_or_make(here, now)?;
        let begun = Begun::of(&id, new, at);
        let lines = [begun.line(invocation, Written { timestamp: at, now: now() })];
        directory.make(&begun, (FeatureStatus::Active, at), &lines)?;
        Ok(id)
    }

    /// Creates a feature with this content and this history, unless there is one of its id.
    pub(crate) fn make(
        &self,
        begun: &Begun,
        (status, at): (FeatureStatus, Timestamp),
        lines: &[HistoryLine],
    ) -> Result<(), WorkError> {
        let id = begun.plan.feature.id.as_str();
        let mut active = self.active()?.unwrap_or_else(Active::empty);
        if self.is_taken(id, &active)? {
            return Err(WorkError::refused(format!("there is already a feature {id}")));
        }
        let entry = ActiveFeature {
            feature_id: id.to_owned(),
            started_at: begun.current.started_at,
            last_active: at,
            status,
        };
        active.push(&entry)?;
        self.sweep()?;
        let unfinished = format!("{UNFINISHED}{id}");
        self.fill(&unfinished, (begun, at), lines)?;
        self.write_readme()?;
        // The feature exists from here on. If we crash, the next process adds it to the list.
        self.folder.rename(&unfinished, &self.folder, id)?;
        self.folder.sync()?;
        active.write(&self.folder).inspect_err(|_| {
            // Best effort: a feature that could not be listed is removed; if that fails, it is listed later.
            self.folder.rename(id, &self.folder, &unfinished).ok();
        })
    }

    fn is_taken(&self, id: &str, active: &Active) -> Result<bool, WorkError> {
        let is_archived = self.folder.sub(ARCHIVE)?.is_some_and(|archive| archive.has(id));
        Ok(is_archived || active.entry(id).is_some() || self.folder.has(id))
    }

    /// Removes incomplete folders. No other process fills one while we hold the lock.
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

    fn fill(
        &self,
        name: &str,
        (begun, at): (&Begun, Timestamp),
        lines: &[HistoryLine],
    ) -> Result<(), WorkError> {
        let folder = self.folder.make(name)?;
        folder.make(ARTIFACTS)?;
        folder.replace(PLAN, document(&json!(begun.plan)).as_bytes())?;
        folder.replace(HISTORY, b"")?;
        let place = Place::usual(&folder, name, HISTORY)?;
        lines.iter().try_for_each(|line| history::append(&place, line))?;
        folder.replace(STATE, begun.state_text(at).as_bytes())
    }
}

/// The initial content of a feature.
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

    /// The line that creates the feature.
    pub(crate) fn line(&self, invocation: &Invocation, at: Written) -> HistoryLine {
        self.line_of(What::Created { feature: self.plan.feature.clone() }, (invocation, at))
    }

    /// A line about a part of the initial content.
    pub(crate) fn line_of(
        &self,
        what: What,
        (invocation, at): (&Invocation, Written),
    ) -> HistoryLine {
        let change = Change { what, state: self.current.clone() };
        invocation.succeeded((self.current.model_in_use, None), Some(change), at)
    }

    fn state_text(&self, at: Timestamp) -> String {
        document(&state_document(&self.plan.feature.id, &self.current, at))
    }
}

/// The text of a new state.
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
