//! Errors that a caller can act on.

use std::io;
use std::path::{Path, PathBuf};
use taffrail_contracts::ai_session::{ACTIVE_FEATURES, ErrorContext, FOLDER, Operation};

/// Why an operation failed.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    /// There is no directory.
    #[error("there is no .ai-session directory in {0} or above it")]
    NoDirectory(PathBuf),
    /// The feature does not exist.
    #[error("{0}")]
    NoFeature(String),
    /// Several features match.
    #[error("several features could be meant: {}", .0.join(", "))]
    Several(Vec<String>),
    /// A rule of the contract forbids it.
    #[error("{0}")]
    Refused(String),
    /// A file violates the contract.
    #[error("{}: {}", .0.file, .0.details)]
    Unsound(Box<ErrorContext>),
    /// Other processes held the lock until the deadline.
    #[error("others kept {0} locked")]
    Busy(PathBuf),
    /// An I/O error.
    #[error("{path}: {error}")]
    Disk {
        /// The file or folder.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
}

impl WorkError {
    /// The operation, the file and the feature that it is about, as far as it says. The file is
    /// relative to the project, or absolute.
    #[must_use]
    pub fn about(&self) -> (Option<Operation>, Option<String>, Option<String>) {
        match self {
            Self::NoDirectory(_) => (None, Some(FOLDER.to_owned()), None),
            Self::NoFeature(_) | Self::Several(_) => {
                (None, Some(format!("{FOLDER}/{ACTIVE_FEATURES}")), None)
            }
            Self::Refused(_) => (None, None, None),
            Self::Unsound(it) => (Some(it.operation), Some(it.file.clone()), it.feature_id.clone()),
            Self::Busy(path) | Self::Disk { path, .. } => {
                (None, Some(path.display().to_string()), None)
            }
        }
    }

    pub(crate) fn refused(why: impl Into<String>) -> Self {
        Self::Refused(why.into())
    }
}

/// Converts a system error; a symbolic link is refused by rule.
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
