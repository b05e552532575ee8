//! Writes a file atomically, and removes one.

use std::io::{self, Write};
use std::path::Path;
use tempfile::{Builder, NamedTempFile};

/// Writes a file atomically, readable by this user only.
///
/// # Errors
/// When the folder or the file cannot be written.
pub fn atomic_write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = written(path, bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

fn written(path: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let folder = path.parent().unwrap_or(path);
    // No adapter takes a file with this prefix for a source.
    let mut file = Builder::new().prefix("new-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    Ok(file)
}

/// Removes a file; a missing file is fine.
///
/// # Errors
/// When the file cannot be removed.
pub fn remove_file(path: &Path) -> io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}
