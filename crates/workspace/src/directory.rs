//! The directory of a project: found at or above a folder, locked, and made consistent before use.

use crate::active::Active;
use crate::error::WorkError;
use crate::folder::Folder;
use crate::invocation::Written;
use crate::lock::{self, Lock};
use crate::place::Place;
use rustix::fs::FileType;
use std::path::{Path, PathBuf};
use taffrail_contracts::ai_session::{
    ACTIVE_FEATURES, ActiveFeature, ErrorContext, FOLDER, HISTORY, Linkable, Operation, after,
    is_feature_id, replay,
};
use taffrail_model::Timestamp;

/// The folder of archived features.
pub(crate) const ARCHIVE: &str = ".archive";

/// An `.ai-session` directory that no other Taffrail process changes while we hold it.
#[derive(Debug)]
pub struct Directory {
    pub(crate) folder: Folder,
    project: PathBuf,
    now: fn() -> Timestamp,
    /// When it was opened, before any wait for the lock.
    opened: Timestamp,
    access: Access,
}

/// What the lock allows.
#[derive(Debug)]
enum Access {
    /// Changes; no other process makes any meanwhile.
    Change { _lock: Lock },
    /// Reading, beside other readers. There is no lock if none was ever created, or on a read-only
    /// file system.
    Look { _lock: Option<Lock> },
}

/// The project of a folder: the nearest folder at or above it with an `.ai-session` directory.
#[must_use]
pub fn find(here: &Path) -> Option<PathBuf> {
    let has = |it: &&Path| it.join(FOLDER).symlink_metadata().is_ok();
    here.ancestors().find(has).map(Path::to_owned)
}

/// A path relative to the project of a folder, if it is inside.
#[must_use]
pub fn relative(path: &str, here: &Path) -> String {
    let project = find(here).unwrap_or_else(|| here.to_owned());
    let inner = Path::new(path).strip_prefix(&project).ok();
    inner.map_or_else(|| path.to_owned(), |it| it.display().to_string())
}

/// What links sessions in a project to its features; `None` if nothing can be read. Takes no lock.
#[must_use]
pub fn linkable(project: &Path) -> Option<Linkable> {
    let folder = Folder::open(&project.join(FOLDER)).ok()?;
    let features = Active::read(&folder).ok()??.ok()?.features;
    Some(Linkable { project: project.to_owned(), features })
}

impl Directory {
    /// Opens the directory of a folder's project.
    ///
    /// # Errors
    /// There is no directory, it is a link, or another process holds the lock.
    pub fn open(here: &Path, now: fn() -> Timestamp) -> Result<Self, WorkError> {
        let project = find(here).ok_or_else(|| WorkError::NoDirectory(here.to_owned()))?;
        Self::hold(project, now)
    }

    /// Opens the directory for reading: no byte changes, and interrupted changes stay so.
    ///
    /// # Errors
    /// There is no directory, it is a link, or another process holds an exclusive lock.
    pub fn look(here: &Path, now: fn() -> Timestamp) -> Result<Self, WorkError> {
        let project = find(here).ok_or_else(|| WorkError::NoDirectory(here.to_owned()))?;
        let (opened, folder) = (now(), Folder::open(&project.join(FOLDER))?);
        let access = Access::Look { _lock: lock::share(&folder)? };
        Ok(Self { folder, project, now, opened, access })
    }

    /// Opens the directory, or creates one in this folder.
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
        let (opened, folder) = (now(), Folder::open(&project.join(FOLDER))?);
        let access = match lock::take(&folder)? {
            Some(lock) => Access::Change { _lock: lock },
            None => Access::Look { _lock: None },
        };
        let held = Self { folder, project, now, opened, access };
        held.settle()?;
        Ok(held)
    }

    /// Completes the creation or archiving of features that was interrupted.
    fn settle(&self) -> Result<(), WorkError> {
        if !self.is_writable() {
            return Ok(());
        }
        // An invalid list is repaired by hand or by a recovery.
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

    /// The list entry of a feature, if its history shows that we created it.
    fn made_by_us(&self, id: &str) -> Result<Option<ActiveFeature>, WorkError> {
        let Some(folder) = self.folder.sub(id)? else { return Ok(None) };
        let history = Place::usual(&folder, id, HISTORY)?;
        let lines = crate::history::whole(&history)?.unwrap_or_default().lines;
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
        matches!(self.access, Access::Change { .. })
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.now)()
    }

    /// When the directory was opened.
    pub(crate) fn opened(&self) -> Timestamp {
        self.opened
    }

    /// The time of a line that is written now, after this one.
    pub(crate) fn written(&self, last: Option<Timestamp>) -> Written {
        let now = self.now();
        Written { timestamp: after(now, last), now }
    }

    /// The list of features; `None` if there is none.
    pub(crate) fn active(&self) -> Result<Option<Active>, WorkError> {
        let invalid =
            |details: String| self.unsound(Operation::Read, (ACTIVE_FEATURES, None), details);
        Active::read(&self.folder)?.transpose().map_err(invalid)
    }

    /// The features with a folder, listed or not.
    pub(crate) fn folders(&self) -> Result<Vec<String>, WorkError> {
        let names = self.folder.names()?.into_iter();
        let features = names.filter(|(name, kind)| {
            is_feature_id(name) && matches!(kind, FileType::Directory | FileType::Unknown)
        });
        Ok(features.map(|(name, _)| name).collect())
    }

    /// An error with the context that the contract requires.
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
        self.context_at(operation, (&inside, feature), details)
    }

    /// The same for a path that is relative to the directory.
    pub(crate) fn context_at(
        &self,
        operation: Operation,
        (path, feature): (&str, Option<&str>),
        details: String,
    ) -> ErrorContext {
        ErrorContext {
            operation,
            file: format!("{FOLDER}/{path}"),
            feature_id: feature.map(str::to_owned),
            timestamp: after(self.now(), None),
            details,
        }
    }
}
