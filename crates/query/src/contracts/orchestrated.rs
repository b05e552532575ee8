//! Worktree sessions in tmux: a plan or a session's name, a folder for each worker, and panes.

use super::snapshots::{SnapshotAdapter, SnapshotTarget};
use std::path::{Path, PathBuf};
use taffrail_capture::{checkout, linked_root, panes_of, text_below, tmux_servers};
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
    let place = if by_plan { planned(target)? } else { dmux::nowhere(target.text) };
    let (place, panes) = with_panes(settings, place);
    let place = if by_plan { place } else { found(place, target.here, panes.as_deref()) };
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
    Ok(Some(dmux::snapshot(&place, &workers, &panes.unwrap_or_default(), (settings.now)())))
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

/// The place with its panes: a session of tmux has the name as given, or as folders have it.
fn with_panes(settings: &Settings, place: Place) -> (Place, Option<Vec<Pane>>) {
    if let Some(panes) = panes(settings, &place.session) {
        return (place, Some(panes));
    }
    match panes(settings, &place.slug) {
        Some(panes) => (Place { session: place.slug.clone(), ..place }, Some(panes)),
        None => (place, None),
    }
}

/// The first place that has workers, below the current repository or that of a pane.
fn found(session: Place, here: &Path, panes: Option<&[Pane]>) -> Place {
    let panes = panes.into_iter().flatten().map(|it| PathBuf::from(&it.path));
    let folders = std::iter::once(here.to_owned()).chain(panes);
    let roots: Vec<String> = folders.flat_map(|it| roots(&it)).collect();
    let places = dmux::by_name(&session.target.value, &roots);
    let place = places.into_iter().find(|it| !folders_in(&it.folder).is_empty());
    place.map_or(session.clone(), |it| Place { session: session.session, ..it })
}

/// The root of a folder's working tree, that of the repository it is linked to, and the folder itself.
fn roots(folder: &Path) -> Vec<String> {
    let own = checkout(folder).map(|it| it.root);
    let all = [own, linked_root(folder), Some(folder.to_owned())];
    all.into_iter().flatten().map(|it| it.to_string_lossy().into_owned()).collect()
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
