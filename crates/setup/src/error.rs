//! Errors that a caller can act on.

use std::io;
use std::path::{Path, PathBuf};

/// Why a file was left alone.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// A link leads to a file of somebody else's.
    #[error("{} is a symbolic link", .0.display())]
    Link(PathBuf),
    /// Somebody else wrote the file.
    #[error("{} was not written by taffrail", .0.display())]
    Foreign(PathBuf),
    /// An I/O error.
    #[error("cannot {verb} {}: {error}", path.display())]
    Disk {
        /// What was tried.
        verb: &'static str,
        /// With which file or folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

impl SetupError {
    /// An I/O error at a path.
    pub(crate) fn at(verb: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |error| Self::Disk { verb, path, error }
    }
}
