//! Session files in Markdown, as the snapshot contract's own project writes them.

use super::snapshots::{SnapshotAdapter, SnapshotTarget};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use taffrail_capture::text_below;
use taffrail_context::{Error, Settings, TargetError};
use taffrail_contracts::ecc::Snapshot;
use taffrail_contracts::ecc::history::{self, ALIASES, FOLDERS, Target};

/// The largest file that is read, in bytes.
const FILE_LIMIT: u64 = 4 * 1024 * 1024;

/// Whether the target is clearly a session file, by its prefix or its name.
pub(super) fn is_meant(text: &str) -> bool {
    history::target(text).is_some()
}

/// A snapshot of the matching session file; `None` if there is none and the caller did not request
/// one.
pub(super) fn snapshot(
    settings: &Settings,
    target: SnapshotTarget<'_>,
) -> Result<Option<Snapshot>, Error> {
    let clear = history::target(target.text);
    let is_asked = clear.is_some() || target.adapter == Some(SnapshotAdapter::Recorded);
    let meant = match clear {
        Some(meant) => meant,
        None if target.text == "latest" && is_asked => Target::Latest,
        None => Target::Id(target.text.to_owned()),
    };
    let (file, meant) = match (found(settings, &meant, target.here)?, meant) {
        // A bare word may also be an alias.
        (None, Target::Id(id)) => {
            let meant = Target::Alias(id);
            (found(settings, &meant, target.here)?, meant)
        }
        (file, meant) => (file, meant),
    };
    let Some(file) = file else {
        let missing = || TargetError::NotFound(target.text.to_owned()).into();
        return if is_asked { Err(missing()) } else { Ok(None) };
    };
    let text = text_of(&file)?;
    let path = file.to_string_lossy();
    Ok(Some(history::snapshot(&path, &text, meant.told(&path))))
}

fn found(settings: &Settings, target: &Target, here: &Path) -> Result<Option<PathBuf>, Error> {
    let mut files = match target {
        Target::File(path) => {
            let mut paths = folders(settings).into_iter().map(|it| it.join(path));
            let given = here.join(path);
            let file = if given.is_file() { Some(given) } else { paths.find(|it| it.is_file()) };
            return Ok(file);
        }
        Target::Alias(name) => return Ok(aliased(settings, name)),
        Target::Latest => files(settings, &|name| history::named(name).is_some()),
        Target::Id(id) => files(settings, &|name| history::is_meant(name, id)),
    };
    // The file that changed last wins; at equal times that of the current folder.
    files.sort_by_key(|(changed, _)| std::cmp::Reverse(*changed));
    let ids: Vec<_> = files.iter().filter_map(|(_, file)| short_id(file)).collect();
    if let (Target::Id(id), Some(first)) = (target, ids.first())
        && ids.iter().any(|it| it != first)
    {
        return Err(TargetError::Ambiguous(id.clone(), ids.join(", ")).into());
    }
    Ok(files.into_iter().next().map(|(_, file)| file))
}

fn short_id(file: &Path) -> Option<String> {
    let name = file.file_name()?.to_str()?;
    history::named(name)?.1.map(str::to_owned)
}

/// The folders to search: the configured ones, or the defaults.
fn folders(settings: &Settings) -> Vec<PathBuf> {
    match settings.history_folders.as_slice() {
        [] => FOLDERS.iter().map(|it| settings.user_home.join(it)).collect(),
        set => set.to_vec(),
    }
}

fn files(settings: &Settings, is_meant: &dyn Fn(&str) -> bool) -> Vec<(SystemTime, PathBuf)> {
    let entries = folders(settings).into_iter().flat_map(std::fs::read_dir).flatten().flatten();
    let meant = entries.filter(|it| it.file_name().to_str().is_some_and(is_meant));
    let file = |it: std::fs::DirEntry| {
        let known = it.metadata().ok().filter(std::fs::Metadata::is_file)?;
        Some((known.modified().ok()?, it.path()))
    };
    meant.filter_map(file).collect()
}

/// The file of an alias: a path, or a name in one of the folders.
fn aliased(settings: &Settings, name: &str) -> Option<PathBuf> {
    let text = text_below(&settings.user_home, ALIASES, FILE_LIMIT).ok()?;
    let aliases = serde_json::from_str(&text).ok()?;
    let path = history::aliased(&aliases, name)?;
    let mut paths = folders(settings).into_iter().map(|it| it.join(path));
    paths.find(|it| it.is_file())
}

fn text_of(file: &Path) -> Result<String, Error> {
    let (folder, name) = (file.parent().unwrap_or(file), file.file_name().unwrap_or_default());
    let text = text_below(folder, &name.to_string_lossy(), FILE_LIMIT);
    text.map_err(|error| Error::File(format!("{}: {error}", file.display())))
}
