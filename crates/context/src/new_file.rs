//! A file that the user names for an export: whole or absent, and an existing one only by leave.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// What becomes of an existing file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and nothing is written.
    Kept,
    /// The new file replaces it.
    Replaced,
}

/// Why a file cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum NewFileError {
    /// The path is a folder, a link or a device.
    #[error("{0} exists and is not a file")]
    NotAFile(String),
    /// The file exists, and stays.
    #[error("{0} already exists")]
    Exists(String),
    /// The file system refused.
    #[error("{0}: {1}")]
    Io(String, io::Error),
}

/// A file beside its future path.
#[derive(Debug)]
pub struct NewFile {
    beside: NamedTempFile,
    path: PathBuf,
    existing: Existing,
}

impl NewFile {
    /// Makes an empty file beside the path.
    ///
    /// # Errors
    /// When the path is taken, or its folder cannot be written.
    pub fn beside(path: &Path, existing: Existing) -> Result<Self, NewFileError> {
        check_free(path, existing)?;
        let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        let beside = tempfile::Builder::new().prefix(".taffrail-").tempfile_in(folder);
        let beside = beside.map_err(|error| io_error(path, error))?;
        Ok(Self { beside, path: path.to_owned(), existing })
    }

    /// The file, to be written.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(&self) -> Result<File, NewFileError> {
        self.beside.reopen().map_err(|error| io_error(&self.path, error))
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// When another file took the name meanwhile, or the disk fails.
    pub fn keep(self) -> Result<(), NewFileError> {
        let Self { beside, path, existing } = self;
        let written = beside.as_file().sync_all();
        let kept = written.and_then(|()| match existing {
            Existing::Replaced => beside.persist(&path).map(|_| ()).map_err(|it| it.error),
            Existing::Kept => beside.persist_noclobber(&path).map(|_| ()).map_err(|it| it.error),
        });
        kept.map_err(|error| io_error(&path, error))
    }
}

fn check_free(path: &Path, existing: Existing) -> Result<(), NewFileError> {
    let Ok(there) = path.symlink_metadata() else { return Ok(()) };
    let shown = path.display().to_string();
    match existing {
        _ if !there.is_file() => Err(NewFileError::NotAFile(shown)),
        Existing::Kept => Err(NewFileError::Exists(shown)),
        Existing::Replaced => Ok(()),
    }
}

fn io_error(path: &Path, error: io::Error) -> NewFileError {
    NewFileError::Io(path.display().to_string(), error)
}
