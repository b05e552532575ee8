//! Reads and writes settings files that belong to other programs, with care.

use crate::HooksError;
use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use taffrail_capture::open_below;

/// The largest settings file that is read.
const FILE_LIMIT: u64 = 8 * 1024 * 1024;
/// The mode of a new file.
const PRIVATE: u32 = 0o600;

/// The text and mode of a file below an agent's home; `None` if it does not exist.
pub(crate) fn read(home: &Path, below: &str) -> Result<Option<(String, u32)>, HooksError> {
    let path = home.join(below);
    let file = match open_below(home, below) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            return Err(HooksError::refused(&path, &error));
        }
        Err(error) => return Err(HooksError::io(&path, error)),
    };
    let read = || -> io::Result<_> {
        let (mode, mut bytes) = (file.metadata()?.mode() & 0o7777, Vec::new());
        (&file).take(FILE_LIMIT + 1).read_to_end(&mut bytes)?;
        Ok((mode, bytes))
    };
    let (mode, bytes) = read().map_err(|error| HooksError::io(&path, error))?;
    if bytes.len() as u64 > FILE_LIMIT {
        return Err(HooksError::refused(&path, &"is too long for settings"));
    }
    let text = String::from_utf8(bytes).map_err(|_| HooksError::refused(&path, &"is not UTF-8"))?;
    Ok(Some((text, mode)))
}

/// Replaces a file below a home atomically, if its text is unchanged.
pub(crate) fn write(
    home: &Path,
    below: &str,
    before: Option<&str>,
    after: Option<&str>,
) -> Result<(), HooksError> {
    let path = home.join(below);
    let now = read(home, below)?;
    if now.as_ref().map(|(text, _)| text.as_str()) != before {
        return Err(HooksError::Changed(path));
    }
    let mode = now.map_or(PRIVATE, |(_, mode)| mode);
    let done = match after {
        Some(text) => {
            create_folders(home, below).and_then(|()| replace(&path, text.as_bytes(), mode))
        }
        None => fs::remove_file(&path),
    };
    let done = done.and_then(|()| File::open(home)?.sync_all());
    done.map_err(|error| HooksError::io(&path, error))
}

/// How many of the folders between a home and a file do not exist.
pub(crate) fn missing_folders(home: &Path, below: &str) -> usize {
    folders(home, below).iter().filter(|it| it.symlink_metadata().is_err()).count()
}

/// Removes this many folders above a file, as far as they are empty.
pub(crate) fn remove_folders(file: &Path, count: usize) {
    for folder in file.ancestors().skip(1).take(count) {
        // A folder with other files stays, and so do those above it.
        if fs::remove_dir(folder).is_err() {
            return;
        }
    }
}

fn create_folders(home: &Path, below: &str) -> io::Result<()> {
    for folder in folders(home, below) {
        match fs::DirBuilder::new().mode(0o700).create(&folder) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            _ if !folder.symlink_metadata()?.is_dir() => {
                return Err(ErrorKind::NotADirectory.into());
            }
            _ => {}
        }
    }
    Ok(())
}

/// The folders between a home and a file, the outermost first.
fn folders(home: &Path, below: &str) -> Vec<PathBuf> {
    let parts: Vec<_> = below.split('/').collect();
    (1..parts.len()).filter_map(|end| Some(home.join(parts.get(..end)?.join("/")))).collect()
}

/// Writes a file of our own, and creates the folders above it.
pub(crate) fn write_own(path: &Path, bytes: &[u8]) -> Result<(), HooksError> {
    let write = || {
        if let Some(folder) = path.parent() {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        replace(path, bytes, PRIVATE)
    };
    write().map_err(|error| HooksError::io(path, error))
}

fn replace(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("/"));
    let mut file = tempfile::Builder::new().prefix(".taffrail-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().set_permissions(Permissions::from_mode(mode))?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}
