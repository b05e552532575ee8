//! Writes the disk of a folder out, on Linux.

use std::fs::File;
use std::io;

/// Waits until everything on the file system of this folder is on its disk.
pub(super) fn sync_disk_of(folder: &File) -> io::Result<()> {
    Ok(rustix::fs::syncfs(folder)?)
}
