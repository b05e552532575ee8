//! Why a session cannot be moved.

use std::io;
use std::path::{Path, PathBuf};
use taffrail_model::Timestamp;
use taffrail_sync::bundle::{Refused, WriteFault};

/// Why a session cannot be moved.
#[derive(Debug, thiserror::Error)]
pub enum TeleportError {
    /// The bundle is invalid, or not for this device.
    #[error("the bundle is refused: {0}")]
    Refused(#[from] Refused),
    /// The bundle could not be written.
    #[error("{0}")]
    Unwritten(#[from] WriteFault),
    /// The session is a sub-agent of another session.
    #[error("it is a worker of session {0}")]
    Worker(String),
    /// The agent could not resume its history from where we would put it.
    #[error("no way is known to carry sessions of {0} so that it resumes them")]
    NoWay(String),
    /// Only another device has the history.
    #[error("its history is on {0}")]
    Remote(String),
    /// The agent has not written any history of the session.
    #[error("{0} has written nothing of this session yet, so there is nothing to carry")]
    NotWritten(String),
    /// Neither the history nor a copy of it exists.
    #[error("{0}: neither it nor a whole copy of it is there")]
    Gone(String),
    /// A file that would be overwritten.
    #[error("{0} is there already")]
    Exists(PathBuf),
    /// A file exists with different content.
    #[error("{0} is there and differs from what came")]
    Differs(PathBuf),
    /// The session is here, in another folder.
    #[error("the session is here already, at {path}")]
    Elsewhere {
        /// The file of the session.
        path: PathBuf,
    },
    /// The session runs here.
    #[error("the session runs here, at {0}")]
    Running(String),
    /// A file or folder that is a link or belongs to another user.
    #[error("{path} {why}")]
    NotOurs {
        /// The file or folder.
        path: PathBuf,
        /// The problem.
        why: String,
    },
    /// The contents of the bundle are inconsistent.
    #[error("the bundle contradicts itself: {0}")]
    Contradicts(String),
    /// The folder to resume in does not exist.
    #[error("{0} is not a folder")]
    NoFolder(PathBuf),
    /// The patch does not apply.
    #[error("the patch does not apply: {0}")]
    Patch(String),
    /// Git could not be queried.
    #[error("what was not committed cannot be told: {0}")]
    Git(String),
    /// A plan exists already.
    #[error("{0} is there already")]
    PlanThere(PathBuf),
    /// The bundle does not contain this part.
    #[error("the bundle carries no {0}")]
    Absent(&'static str),
    /// Another device holds the lease.
    #[error("{holder} has it until {until}")]
    Held {
        /// The device that holds it.
        holder: String,
        /// When the lease ends, by that device's clock.
        until: Timestamp,
    },
    /// A file operation failed.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
}

impl TeleportError {
    /// Wraps an I/O error with the path of its file.
    pub fn at(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        move |error| Self::Io { path: path.to_owned(), error }
    }
}
