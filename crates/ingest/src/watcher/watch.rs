//! Watches folders for changes, within a budget.

use super::command::WatcherCommand;
use super::own_folders::OwnFolders;
use notify::event::{EventKind, ModifyKind};
use notify::{Config, RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use taffrail_context::WatcherCounters;

/// The most folders that are watched, over all watchers.
pub const WATCHES: usize = 8192;

/// Paths that were touched and not scanned.
#[derive(Debug, Default)]
pub(super) struct Touches {
    paths: Mutex<HashSet<PathBuf>>,
}

impl Touches {
    /// Adds paths; `true` when there were none, so that the watcher must be woken.
    fn add(&self, paths: Vec<PathBuf>, counts: &WatcherCounters) -> bool {
        let mut all = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        let (before, told) = (all.len(), paths.len());
        all.extend(paths);
        counts.tell(told, told - (all.len() - before));
        before == 0 && !all.is_empty()
    }

    /// Takes all paths.
    pub(super) fn take(&self) -> Vec<PathBuf> {
        let mut all = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *all).into_iter().collect()
    }
}

/// The folders that a watcher watches.
pub(super) struct Watch {
    watcher: Option<RecommendedWatcher>,
    folders: HashSet<PathBuf>,
    own: OwnFolders,
    budget: usize,
    /// Whether the log says that some folders are only polled.
    is_logged: bool,
}

impl Watch {
    /// Sends touched paths to `commands`. If the system has no watches left, scans find the
    /// changes.
    pub(super) fn new(
        commands: Sender<WatcherCommand>,
        (touches, counts): (Arc<Touches>, Arc<WatcherCounters>),
        (own, budget): (OwnFolders, usize),
    ) -> Self {
        let ours = own.clone();
        let told = move |event| {
            if let Some(command) = command_of(event, &ours, (&touches, &counts)) {
                // A watcher that ended needs no command.
                commands.send(command).ok();
            }
        };
        let watcher = RecommendedWatcher::new(told, Config::default());
        let watcher = watcher.inspect_err(|error| {
            tracing::warn!(%error, "the system gives no notifications of changes; folders are polled");
        });
        Self { watcher: watcher.ok(), folders: HashSet::new(), own, budget, is_logged: false }
    }

    /// Watches a folder, if it is not our own and the budget allows it; `true` if it was not
    /// watched before.
    pub(super) fn add(&mut self, folder: &Path) -> bool {
        if self.folders.contains(folder) || self.is_own(folder) {
            return false;
        }
        if self.folders.len() >= self.budget {
            self.log_polling(&"the budget of watches is used up");
            return false;
        }
        let Some(watcher) = &mut self.watcher else { return false };
        // Scans cover a folder that cannot be watched.
        if let Err(error) = watcher.watch(folder, RecursiveMode::NonRecursive) {
            // A folder that was removed meanwhile needs no watch.
            if folder.exists() {
                self.log_polling(&error);
            }
            return false;
        }
        self.folders.insert(folder.to_owned())
    }

    /// Whether the system sends notifications.
    pub(super) fn is_told(&self) -> bool {
        self.watcher.is_some()
    }

    /// Logs once that some folders are only polled.
    fn log_polling(&mut self, why: &dyn std::fmt::Display) {
        if !self.is_logged {
            self.is_logged = true;
            tracing::warn!(%why, folders = self.folders.len(), "some folders are not watched but polled");
        }
    }

    /// Whether only our own files change in this folder.
    pub(super) fn is_own(&self, folder: &Path) -> bool {
        self.own.has(folder)
    }

    /// Forgets a folder that is gone; if it comes back it is watched again.
    pub(super) fn forget(&mut self, folder: &Path) {
        self.folders.remove(folder);
    }
}

/// The command for a notification, if any.
fn command_of(
    event: notify::Result<notify::Event>,
    own: &OwnFolders,
    (touches, counts): (&Touches, &WatcherCounters),
) -> Option<WatcherCommand> {
    match event {
        Ok(mut event) if !event.need_rescan() => {
            event.paths.retain(|path| !own.made(path, event.kind));
            let is_new = is_change(&event.kind) && touches.add(event.paths, counts);
            is_new.then_some(WatcherCommand::Touched)
        }
        // The system dropped notifications without saying which: everything is scanned.
        lost => {
            let error = lost.err().map(|it| it.to_string());
            tracing::info!(error, "notifications of changes were lost; everything is looked at");
            counts.drop_some();
            Some(WatcherCommand::Whole)
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
    use notify::event::{AccessKind, DataChange, Flag, MetadataKind};
    use notify::{Event, Result};
    use taffrail_context::WatcherCounts;

    fn changed(path: &str) -> Result<Event> {
        let kind = EventKind::Modify(ModifyKind::Data(DataChange::Any));
        Ok(Event::new(kind).add_path(PathBuf::from(path)))
    }

    #[test]
    fn a_change_told_twice_is_one_errand_and_a_dropped_one_is_a_look_at_everything() {
        let (touches, counts) = (Touches::default(), WatcherCounters::default());
        let check = |event: Result<Event>, expected: Option<WatcherCommand>| {
            let own = OwnFolders::default();
            assert_eq!(command_of(event, &own, (&touches, &counts)), expected);
        };
        check(changed("/h/a"), Some(WatcherCommand::Touched));
        check(changed("/h/a"), None);
        check(changed("/h/b"), None);
        let of_kind = |kind| Ok(Event::new(kind).add_path(PathBuf::from("/h/c")));
        check(of_kind(EventKind::Access(AccessKind::Any)), None);
        check(of_kind(EventKind::Modify(ModifyKind::Metadata(MetadataKind::Any))), None);
        check(Ok(Event::new(EventKind::Other).set_flag(Flag::Rescan)), Some(WatcherCommand::Whole));
        check(Err(notify::Error::generic("lost")), Some(WatcherCommand::Whole));
        let mut taken = touches.take();
        taken.sort();
        assert_eq!(taken, [PathBuf::from("/h/a"), PathBuf::from("/h/b")]);
        check(changed("/h/a"), Some(WatcherCommand::Touched));
        let expected =
            WatcherCounts { told: 4, coalesced: 1, dropped: 2, ..WatcherCounts::default() };
        assert_eq!(counts.read(), expected);
    }
}
