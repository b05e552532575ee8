//! What the disk of this device says of the files that a session changed.

use std::fs::Metadata;
use std::path::Path;
use std::time::SystemTime;
use taffrail_capture::text_below;
use taffrail_contracts::captured::{Captured, Disk, OnDisk};
use taffrail_contracts::derived::changed_paths;
use taffrail_model::Timestamp;

/// The most files that are looked at.
const FILES: usize = 1000;
/// The largest file that is read, in bytes.
const FILE_LIMIT: u64 = 1024 * 1024;
/// How far the clocks of an agent and of a file system may differ, in seconds.
const CLOCKS_DIFFER: i64 = 2;

/// The files that a session changed, as they are on disk now.
pub(super) fn disk(captured: &Captured) -> Disk {
    let Some(project) = captured.main.project_path.as_deref().map(Path::new) else {
        return Disk::default();
    };
    let ended = captured.all().iter().filter_map(|it| it.moved()).max();
    let paths = changed_paths(captured).into_iter().take(FILES);
    let found = paths.filter_map(|path| {
        let on_disk = on_disk(project, Path::new(&path), ended)?;
        Some((path, on_disk))
    });
    Disk { files: found.collect() }
}

fn on_disk(project: &Path, path: &Path, ended: Option<Timestamp>) -> Option<OnDisk> {
    let metadata = path.symlink_metadata().ok()?;
    let changed_at = moment(metadata.modified().ok());
    let is_settled = ended
        .zip(changed_at)
        .is_some_and(|(ended, changed)| changed.as_second() <= ended.as_second() + CLOCKS_DIFFER);
    let content = if is_settled { content(project, path, &metadata) } else { None };
    let born_at = moment(metadata.created().ok());
    Some(OnDisk { born_at, changed_at, is_folder: metadata.is_dir(), content })
}

fn content(project: &Path, path: &Path, metadata: &Metadata) -> Option<String> {
    let is_small = metadata.is_file() && metadata.len() <= FILE_LIMIT;
    let below = path.strip_prefix(project).ok().filter(|_| is_small)?;
    text_below(project, below.to_str()?, FILE_LIMIT).ok()
}

fn moment(time: Option<SystemTime>) -> Option<Timestamp> {
    time.and_then(|it| Timestamp::try_from(it).ok())
}
