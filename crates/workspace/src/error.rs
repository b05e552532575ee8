//! What can go wrong, as far as a caller can act on it.

use std::io;
use std::path::{Path, PathBuf};
use taffrail_contracts::ai_session::ErrorContext;

/// Why something was not done.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    /// There is no directory.
    #[error("there is no .ai-session directory in {0} or above it")]
    NoDirectory(PathBuf),
    /// There is no such feature.
    #[error("{0}")]
    NoFeature(String),
    /// More than one feature could be meant.
    #[error("several features could be meant: {}", .0.join(", "))]
    Several(Vec<String>),
    /// A rule of the contract forbids it.
    #[error("{0}")]
    Refused(String),
    /// A file is not as the contract wants it.
    #[error("{}: {}", .0.file, .0.details)]
    Unsound(Box<ErrorContext>),
    /// Others held the lock all the time.
    #[error("others kept {0} locked")]
    Busy(PathBuf),
    /// The disk said no.
    #[error("{path}: {error}")]
    Disk {
        /// What it is about.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
}

impl WorkError {
    pub(crate) fn refused(why: impl Into<String>) -> Self {
        Self::Refused(why.into())
    }
}

/// Turns an answer of the disk into ours; a symbolic link is refused by rule.
pub(crate) fn disk(path: &Path) -> impl Fn(io::Error) -> WorkError {
    move |error| {
        let is_link = error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error());
        let is_linked_folder = error.kind() == io::ErrorKind::NotADirectory
            && path.symlink_metadata().is_ok_and(|it| it.is_symlink());
        if is_link || is_linked_folder {
            return WorkError::refused(format!("{} is a symbolic link", path.display()));
        }
        WorkError::Disk { path: path.to_owned(), error }
    }
}
