//! Being told of changes: watches on folders, within a budget.

use super::counts::Counts;
use super::wake::Errand;
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
    fn add(&self, paths: Vec<PathBuf>, counts: &Counts) -> bool {
        let mut all = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        let (before, told) = (all.len(), paths.len());
        all.extend(paths);
        counts.tell(told, told - (all.len() - before));
        before == 0 && !all.is_empty()
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
    pub(crate) fn new(
        errands: Sender<Errand>,
        (touches, counts): (Arc<Touches>, Arc<Counts>),
        budget: usize,
    ) -> Self {
        let told = move |event| {
            if let Some(errand) = errand_of(event, &touches, &counts) {
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

/// What is to be done about a notification, if anything is.
fn errand_of(
    event: notify::Result<notify::Event>,
    touches: &Touches,
    counts: &Counts,
) -> Option<Errand> {
    match event {
        Ok(event) if !event.need_rescan() => {
            let is_new = is_change(&event.kind) && touches.add(event.paths, counts);
            is_new.then_some(Errand::Touched)
        }
        // Something was dropped, and nobody says what: everything is looked at.
        Ok(_) | Err(_) => {
            counts.drop_some();
            Some(Errand::Whole)
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::counts::Counted;
    use notify::event::{AccessKind, DataChange, Flag, MetadataKind};
    use notify::{Event, Result};

    fn changed(path: &str) -> Result<Event> {
        let kind = EventKind::Modify(ModifyKind::Data(DataChange::Any));
        Ok(Event::new(kind).add_path(PathBuf::from(path)))
    }

    #[test]
    fn a_change_told_twice_is_one_errand_and_a_dropped_one_is_a_look_at_everything() {
        let (touches, counts) = (Touches::default(), Counts::default());
        let check = |event: Result<Event>, expected: Option<Errand>| {
            assert_eq!(errand_of(event, &touches, &counts), expected);
        };
        check(changed("/h/a"), Some(Errand::Touched));
        check(changed("/h/a"), None);
        check(changed("/h/b"), None);
        let of_kind = |kind| Ok(Event::new(kind).add_path(PathBuf::from("/h/c")));
        check(of_kind(EventKind::Access(AccessKind::Any)), None);
        check(of_kind(EventKind::Modify(ModifyKind::Metadata(MetadataKind::Any))), None);
        check(Ok(Event::new(EventKind::Other).set_flag(Flag::Rescan)), Some(Errand::Whole));
        check(Err(notify::Error::generic("lost")), Some(Errand::Whole));
        let mut taken = touches.take();
        taken.sort();
        assert_eq!(taken, [PathBuf::from("/h/a"), PathBuf::from("/h/b")]);
        check(changed("/h/a"), Some(Errand::Touched));
        let expected = Counted { told: 4, coalesced: 1, dropped: 2, ..Counted::default() };
        assert_eq!(counts.read(), expected);
    }
}
