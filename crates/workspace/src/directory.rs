//! The directory of a project: found upward, locked, and settled before anything else is done.

use crate::active::Active;
use crate::error::WorkError;
use crate::feature::Feature;
use crate::folder::Folder;
use crate::lock::{self, Lock};
use rustix::fs::FileType;
use std::path::{Path, PathBuf};
use taffrail_contracts::ai_session::{
    ACTIVE_FEATURES, ActiveFeature, ErrorContext, FOLDER, FeatureStatus, Linkable, Operation, Task,
    TaskStatus, after, is_feature_id, replay,
};
use taffrail_model::Timestamp;

/// Where archived features are kept.
pub(crate) const ARCHIVE: &str = ".archive";

/// An `.ai-session` directory that nobody else changes while we hold it.
#[derive(Debug)]
pub struct Directory {
    pub(crate) folder: Folder,
    project: PathBuf,
    now: fn() -> Timestamp,
    /// None where the disk cannot be written to.
    lock: Option<Lock>,
}

/// A feature as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overview {
    /// As it is listed.
    pub listed: ActiveFeature,
    /// Its name for people, where the plan can be read.
    pub name: Option<String>,
    /// The task somebody is at, where the state can be read.
    pub active_task: Option<String>,
    /// Tasks that are done, and all; where the plan can be read.
    pub tasks: Option<(usize, usize)>,
}

/// The project of a folder: the nearest at or above it with a directory.
#[must_use]
pub fn find(here: &Path) -> Option<PathBuf> {
    let has = |it: &&Path| it.join(FOLDER).symlink_metadata().is_ok();
    here.ancestors().find(has).map(Path::to_owned)
}

/// What links sessions in a project to its features; none where nothing can be read. Takes no lock.
#[must_use]
pub fn linkable(project: &Path) -> Option<Linkable> {
    let folder = Folder::open(&project.join(FOLDER)).ok()?;
    let features = Active::read(&folder).ok()??.ok()?.features;
    Some(Linkable { project: project.to_owned(), features })
}

impl Directory {
    /// Opens the directory of the project a folder belongs to.
    ///
    /// # Errors
    /// There is none, it is a link, or others keep it locked.
    pub fn open(here: &Path, now: fn() -> Timestamp) -> Result<Self, WorkError> {
        let project = find(here).ok_or_else(|| WorkError::NoDirectory(here.to_owned()))?;
        Self::hold(project, now)
    }

    /// Opens it, or makes one in this folder.
    pub(crate) fn open_or_make(here: &Path, now: fn() -> Timestamp) -> Result<Self, WorkError> {
        let project = find(here).unwrap_or_else(|| here.to_owned());
        let above = Folder::open(&project)?;
        if !above.has(FOLDER) {
            above.make(FOLDER)?;
            above.sync()?;
        }
        Self::hold(project, now)
    }

    fn hold(project: PathBuf, now: fn() -> Timestamp) -> Result<Self, WorkError> {
        let folder = Folder::open(&project.join(FOLDER))?;
        let lock = lock::take(&folder)?;
        let held = Self { folder, project, now, lock };
        held.settle()?;
        Ok(held)
    }

    /// Completes what was broken off while features were made or archived.
    fn settle(&self) -> Result<(), WorkError> {
        if !self.is_writable() {
            return Ok(());
        }
        // A list that is not sound is settled by hand or by a recovery.
        let Ok(Some(mut active)) = self.active() else { return Ok(()) };
        let before = active.text.clone();
        for id in self.folders()? {
            if active.entry(&id).is_none()
                && let Some(entry) = self.made_by_us(&id)?
            {
                active.push(&entry)?;
            }
        }
        let archive = self.folder.sub(ARCHIVE)?;
        let moved = |it: &ActiveFeature| {
            !self.folder.has(&it.feature_id)
                && archive.as_ref().is_some_and(|archive| archive.has(&it.feature_id))
        };
        for entry in active.features.clone().iter().filter(|it| moved(it)) {
            active.remove(&entry.feature_id)?;
        }
        if active.text == before { Ok(()) } else { active.write(&self.folder) }
    }

    /// The entry of a feature whose history says that we made it.
    fn made_by_us(&self, id: &str) -> Result<Option<ActiveFeature>, WorkError> {
        let Some(folder) = self.folder.sub(id)? else { return Ok(None) };
        let lines = crate::history::whole(&folder)?.unwrap_or_default().lines;
        let replayed = replay(&lines);
        let (Some(current), Some(status)) = (replayed.current, replayed.status) else {
            return Ok(None);
        };
        Ok(Some(ActiveFeature {
            feature_id: id.to_owned(),
            started_at: current.started_at,
            last_active: replayed.last_updated.unwrap_or(current.started_at),
            status,
        }))
    }

    /// The project's folder.
    #[must_use]
    pub fn project(&self) -> &Path {
        &self.project
    }

    pub(crate) fn is_writable(&self) -> bool {
        self.lock.is_some()
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.now)()
    }

    /// The list of features; none where there is none.
    pub(crate) fn active(&self) -> Result<Option<Active>, WorkError> {
        let told =
            |details: String| self.unsound(Operation::Read, (ACTIVE_FEATURES, None), details);
        Active::read(&self.folder)?.transpose().map_err(told)
    }

    /// Features with a folder, listed or not.
    pub(crate) fn folders(&self) -> Result<Vec<String>, WorkError> {
        let names = self.folder.names()?.into_iter();
        let features = names.filter(|(name, kind)| {
            is_feature_id(name) && matches!(kind, FileType::Directory | FileType::Unknown)
        });
        Ok(features.map(|(name, _)| name).collect())
    }

    /// Everything that is listed.
    ///
    /// # Errors
    /// The list is not sound.
    pub fn overview(&self) -> Result<Vec<Overview>, WorkError> {
        let listed = self.active()?.map(|it| it.features).unwrap_or_default();
        Ok(listed.into_iter().map(|it| self.overview_of(it)).collect())
    }

    fn overview_of(&self, listed: ActiveFeature) -> Overview {
        // What cannot be read is shown as unknown; `check` tells why.
        let feature = self.feature(&listed.feature_id).ok();
        let plan = feature.as_ref().and_then(|it| it.plan().ok());
        let counted = plan.as_ref().map(|plan| {
            let is_done = |it: &&Task| it.status == TaskStatus::Completed;
            (plan.tasks().filter(is_done).count(), plan.tasks().count())
        });
        Overview {
            listed,
            name: plan.map(|it| it.feature.name),
            active_task: feature.and_then(|it| it.state.current.active_task),
            tasks: counted,
        }
    }

    /// The feature that is meant: by its id or the beginning of it, else the only one that stands so.
    ///
    /// # Errors
    /// None or several could be meant, or its state is not sound.
    pub fn choose(
        &self,
        named: Option<&str>,
        wanted: FeatureStatus,
    ) -> Result<Feature<'_>, WorkError> {
        let id = match named {
            Some(name) => self.named(name)?,
            None => self.only(wanted)?,
        };
        self.feature(&id)
    }

    /// The id that is meant by an id or the beginning of one.
    ///
    /// # Errors
    /// None or several could be meant.
    pub fn named(&self, name: &str) -> Result<String, WorkError> {
        let all = self.folders()?;
        let those: Vec<_> = all.into_iter().filter(|id| id.starts_with(name)).collect();
        match those.as_slice() {
            [] => Err(WorkError::NoFeature(format!("no feature begins with {name:?}"))),
            [one] => Ok(one.clone()),
            several if several.iter().any(|id| id == name) => Ok(name.to_owned()),
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

    /// An error as the contract asks it to be told.
    pub(crate) fn unsound(
        &self,
        operation: Operation,
        (file, feature): (&str, Option<&str>),
        details: String,
    ) -> WorkError {
        WorkError::Unsound(Box::new(self.context(operation, (file, feature), details)))
    }

    pub(crate) fn context(
        &self,
        operation: Operation,
        (file, feature): (&str, Option<&str>),
        details: String,
    ) -> ErrorContext {
        let inside = feature.map_or_else(|| file.to_owned(), |id| format!("{id}/{file}"));
        ErrorContext {
            operation,
            file: format!("{FOLDER}/{inside}"),
            feature_id: feature.map(str::to_owned),
            timestamp: after(self.now(), None),
            details,
        }
    }
}
