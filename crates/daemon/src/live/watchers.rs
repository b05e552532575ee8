//! Starts watchers on the places that contain sources.

use super::by_root;
use super::event_loop::{HOMES_TIME, Loop};
use super::loop_message::LoopMessage;
use crate::DaemonError;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};
use taffrail_adapters::remotes;
use taffrail_capture::{Home, make_spool};
use taffrail_ingest::watcher::{self, ToLoop, WATCHES, WatcherConfig};

/// How often projects are looked into, while sessions change and while none does.
const MOVED_PROJECTS: Duration = Duration::from_secs(10);
const PROJECTS: Duration = Duration::from_mins(1);

/// Creates our own folders that contain sources. Their parent is not watched, so they must exist
/// first.
pub(super) fn make_folders(data: &Path) -> io::Result<()> {
    make_spool(data)?;
    let roots = remotes().flat_map(|it| it.descriptor().roots);
    let mut make = DirBuilder::new();
    make.recursive(true).mode(0o700);
    roots.into_iter().try_for_each(|root| make.create(data.join(root)))
}

impl Loop {
    /// Starts a watcher on every place that has none.
    pub(super) fn start_watchers(&mut self) -> Result<(), DaemonError> {
        self.next_homes = Instant::now() + HOMES_TIME;
        for (root, homes) in by_root(self.watched()) {
            if self.watchers.iter().any(|opened| opened.root == root) {
                continue;
            }
            let given = WatcherConfig {
                settings: self.settings.clone(),
                rules: self.rules.clone(),
                device: self.device.as_str().to_owned(),
                send: to_loop(self.to_self.clone()),
                state: self.state.clone(),
                budget: WATCHES / 4,
            };
            let opened = watcher::open(self.watchers.len(), homes, given)?;
            self.handle.live().note_watcher(self.watchers.len(), opened.health());
            self.watchers.push(opened);
        }
        Ok(())
    }
}

impl Loop {
    /// How long until something is due.
    pub(super) fn rest(&self) -> Duration {
        let now = Instant::now();
        let mut rest = self.next_homes.saturating_duration_since(now);
        if let Some(due) = self.searchable.due() {
            rest = rest.min(due.saturating_duration_since(now));
        }
        if let Some(at) = self.board.next().into_iter().chain(self.monitor.next()).min() {
            let left = at.as_millisecond() - (self.settings.now)().as_millisecond();
            rest = rest.min(Duration::from_millis(u64::try_from(left + 1).unwrap_or(0)));
        }
        rest
    }

    /// The places to watch. A new session may name a new project; else projects are looked into
    /// seldom, because that asks the index.
    fn watched(&mut self) -> Vec<Home> {
        let (looked, has_moved) = self.projects;
        let wait = if has_moved { MOVED_PROJECTS } else { PROJECTS };
        if looked.is_some_and(|at| at.elapsed() < wait) {
            return self.settings.watched_outside_projects();
        }
        self.projects = (Some(Instant::now()), false);
        self.settings.watched_homes()
    }
}

/// Hands the messages of a watcher to the loop.
fn to_loop(wakes: Sender<LoopMessage>) -> ToLoop {
    Arc::new(move |message| wakes.send(LoopMessage::Watcher(message)).is_ok())
}

#[cfg(test)]
mod tests;
