//! Worktree sessions in tmux: a plan or a session's name, a folder for each worker, and panes.

use super::snapshots::{SnapshotAdapter, SnapshotTarget};
use std::path::Path;
use taffrail_capture::{checkout, panes_of, text_below, tmux_servers};
use taffrail_context::{Error, Settings};
use taffrail_contracts::ecc::Snapshot;
use taffrail_contracts::ecc::dmux::{self, FILES, PANE_FORMAT, Pane, Place, WorkerFiles};

/// The largest plan or worker's file that is read, in bytes.
const FILE_LIMIT: u64 = 4 * 1024 * 1024;
/// The most workers that are read.
const WORKERS: usize = 1000;

/// Whether the target is the path of a plan.
pub(super) fn is_plan(target: SnapshotTarget<'_>) -> bool {
    let is_json = Path::new(target.text).extension().is_some_and(|it| it == "json");
    is_json && target.here.join(target.text).is_file()
}

/// A snapshot of the session that a plan or a name refers to; `None` if it does not exist and the
/// caller did not request this adapter.
pub(super) fn snapshot(
    settings: &Settings,
    target: SnapshotTarget<'_>,
) -> Result<Option<Snapshot>, Error> {
    let by_plan = is_plan(target);
    let place = if by_plan { planned(target)? } else { named(target) };
    let panes = panes(settings, &place.session);
    let folders = folders_in(&place.folder);
    let is_there = panes.is_some() || !folders.is_empty();
    let is_asked = by_plan || target.adapter == Some(SnapshotAdapter::Orchestrated);
    if !is_there && !is_asked {
        return Ok(None);
    }
    let mut workers: Vec<_> = folders.iter().map(|name| worker(&place.folder, name)).collect();
    if is_there {
        // Only the plan knows a worker that has not begun.
        let waiting = place.planned.iter().map(|(name, _, _)| name);
        let waiting = waiting.filter(|name| !folders.contains(*name));
        workers.extend(waiting.map(|name| worker(&place.folder, name)));
    }
    Ok(Some(dmux::snapshot(&place, &workers, &panes.unwrap_or_default())))
}

fn planned(target: SnapshotTarget<'_>) -> Result<Place, Error> {
    let path = target.here.join(target.text);
    let shown = path.to_string_lossy().into_owned();
    let told = |why: String| Error::NoPlan(format!("{shown}: {why}"));
    let (folder, name) = (path.parent().unwrap_or(target.here), path.file_name());
    let name = name.map(|it| it.to_string_lossy().into_owned()).unwrap_or_default();
    let text = text_below(folder, &name, FILE_LIMIT).map_err(|error| told(error.to_string()))?;
    let plan = serde_json::from_str(&text).map_err(|error| told(error.to_string()))?;
    dmux::by_plan(&shown, &plan, &target.here.to_string_lossy()).map_err(told)
}

fn named(target: SnapshotTarget<'_>) -> Place {
    let root = checkout(target.here).map_or_else(|| target.here.to_owned(), |it| it.root);
    dmux::by_name(target.text, &root.to_string_lossy())
}

/// The panes of the tmux session of this name; `None` if no server has it.
fn panes(settings: &Settings, session: &str) -> Option<Vec<Pane>> {
    let sockets = tmux_servers(&settings.variables);
    panes_of(&sockets, session, PANE_FORMAT).map(|answer| dmux::panes(&answer))
}

/// The names of the workers' folders, in alphabetical order.
fn folders_in(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|it| it.file_type().is_ok_and(|it| it.is_dir()));
    let mut names: Vec<_> = folders.filter_map(|it| it.file_name().into_string().ok()).collect();
    names.retain(|name| {
        let held = |file: &&str| Path::new(folder).join(name).join(file).is_file();
        FILES.iter().any(held)
    });
    names.sort();
    names.truncate(WORKERS);
    names
}

fn worker(folder: &str, name: &str) -> WorkerFiles {
    // A missing file, or one that links elsewhere, counts as empty.
    let read =
        |file: &str| text_below(Path::new(folder), &format!("{name}/{file}"), FILE_LIMIT).ok();
    let [status, task, handoff] = FILES.map(read);
    WorkerFiles { name: name.to_owned(), folder: format!("{folder}/{name}"), status, task, handoff }
}
