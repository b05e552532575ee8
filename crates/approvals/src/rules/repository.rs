//! Finds a repository's rules files.

use std::path::{Path, PathBuf};

/// The file's path in a folder of the repository.
pub(super) const FILE: &str = ".taffrail/policy.toml";
/// The most folders that are searched.
const MOST_FOLDERS: usize = 64;

/// The folders that may hold rules for a project: the project, and its parents up to the root of
/// its repository. Without a repository, only the project.
pub(super) fn folders(project: &Path) -> Vec<PathBuf> {
    let real = std::fs::canonicalize(project).unwrap_or_else(|_| project.to_owned());
    if !real.is_absolute() {
        return Vec::new();
    }
    let above: Vec<PathBuf> = real.ancestors().take(MOST_FOLDERS).map(Path::to_owned).collect();
    let root = above.iter().position(|it| it.join(".git").symlink_metadata().is_ok());
    above.into_iter().take(root.map_or(1, |at| at + 1)).collect()
}
