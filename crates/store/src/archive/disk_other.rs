//! Writes the disk of a folder out, on systems that can only write all disks out.

use std::fs::File;
use std::io;

/// Has the system write everything out, and waits for the folder itself. A system may still be writing files
/// when this returns; what a power cut then takes is found when its source is read again.
pub(super) fn sync_disk_of(folder: &File) -> io::Result<()> {
    rustix::fs::sync();
    folder.sync_all()
}
