//! Errors that a caller can act on.

use std::io;
use std::path::{Path, PathBuf};
use taffrail_workspace::WorkError;

/// Why a check could not be made.
#[derive(Debug, thiserror::Error)]
pub enum KitError {
    /// The command line of the program under test cannot be used.
    #[error("--cmd {fault}")]
    Command {
        /// What is wrong with it.
        fault: &'static str,
        /// One that works.
        example: &'static str,
    },
    /// The program under test cannot be started.
    #[error("{program} cannot be started: {error}")]
    Start {
        /// Its first word.
        program: String,
        /// What the system says.
        error: io::Error,
    },
    /// Nothing to check is at the path.
    #[error("{0}")]
    NotFound(String),
    /// A document of the kit is missing in the program.
    #[error("the program does not carry {0}")]
    NotCarried(String),
    /// A thread ended before its work was done.
    #[error("a worker thread ended early")]
    Thread,
    /// A directory cannot be read.
    #[error(transparent)]
    Work(#[from] WorkError),
    /// An I/O error.
    #[error("{}: {error}", path.display())]
    Disk {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
}

impl KitError {
    /// An I/O error at a path.
    pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        |error| match error.kind() {
            io::ErrorKind::NotFound => Self::NotFound(format!("{}: {error}", path.display())),
            _ => Self::Disk { path, error },
        }
    }
}
