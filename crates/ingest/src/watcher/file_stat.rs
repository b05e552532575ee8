//! The stat of a file, to detect changes.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The stat of a file when it was last read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FileStat {
    pub(super) inode: u64,
    size: u64,
    modified: (i64, i64),
}

impl FileStat {
    pub(super) fn of(path: &Path) -> Option<Self> {
        let it = std::fs::symlink_metadata(path).ok()?;
        Some(Self { inode: it.ino(), size: it.size(), modified: (it.mtime(), it.mtime_nsec()) })
    }
}

/// The modification time of a folder, when an entry was last created or removed.
pub(super) fn modified_ns(folder: &Path) -> i128 {
    let looks = FileStat::of(folder).map(|it| it.modified).unwrap_or_default();
    i128::from(looks.0) * 1_000_000_000 + i128::from(looks.1)
}
