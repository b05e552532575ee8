//! Being told of changes: watches on folders, within a budget.

use super::eye::Errand;
use notify::event::{EventKind, ModifyKind};
use notify::{Config, RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};

/// The most folders that are watched, over all eyes.
pub(crate) const WATCHES: usize = 8192;

/// Paths that were touched and not looked at.
#[derive(Debug, Default)]
pub(crate) struct Touches {
    paths: Mutex<HashSet<PathBuf>>,
}

impl Touches {
    /// Adds paths; `true` when there were none, so that somebody must be told.
    fn add(&self, paths: Vec<PathBuf>) -> bool {
        let mut all = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        let first = all.is_empty();
        all.extend(paths);
        first && !all.is_empty()
    }

    /// Takes all of them.
    pub(crate) fn take(&self) -> Vec<PathBuf> {
        let mut all = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *all).into_iter().collect()
    }
}

/// The folders an eye is told of.
pub(crate) struct Watch {
    watcher: Option<RecommendedWatcher>,
    folders: HashSet<PathBuf>,
    budget: usize,
}

impl Watch {
    /// Tells `errands` of what is touched. Where the system has no watches to give, everything is
    /// found by looking.
    pub(crate) fn new(errands: Sender<Errand>, touches: Arc<Touches>, budget: usize) -> Self {
        let told = move |event: notify::Result<notify::Event>| {
            let errand = match event {
                Ok(event) if event.need_rescan() => Some(Errand::Whole),
                Ok(event) if is_change(&event.kind) => {
                    touches.add(event.paths).then_some(Errand::Touched)
                }
                Ok(_) => None,
                Err(_) => Some(Errand::Whole),
            };
            if let Some(errand) = errand {
                // An eye that ended needs not be told.
                errands.send(errand).ok();
            }
        };
        let watcher = RecommendedWatcher::new(told, Config::default()).ok();
        Self { watcher, folders: HashSet::new(), budget }
    }

    /// Watches a folder, if the budget allows it; `true` when it was not watched before.
    pub(crate) fn add(&mut self, folder: &Path) -> bool {
        let Some(watcher) = &mut self.watcher else { return false };
        if self.folders.len() >= self.budget || self.folders.contains(folder) {
            return false;
        }
        // A folder that cannot be watched is found by looking.
        watcher.watch(folder, RecursiveMode::NonRecursive).is_ok()
            && self.folders.insert(folder.to_owned())
    }

    /// A folder is gone; if it comes back it is watched anew.
    pub(crate) fn forget(&mut self, folder: &Path) {
        self.folders.remove(folder);
    }
}

fn is_change(kind: &EventKind) -> bool {
    match kind {
        EventKind::Access(_) | EventKind::Modify(ModifyKind::Metadata(_)) => false,
        EventKind::Any
        | EventKind::Create(_)
        | EventKind::Modify(_)
        | EventKind::Remove(_)
        | EventKind::Other => true,
    }
}
