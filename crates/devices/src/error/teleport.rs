//! Why a session is not carried.

use std::io;
use std::path::{Path, PathBuf};
use taffrail_model::Timestamp;
use taffrail_sync::bundle::{Refused, WriteFault};

/// Why a session is not carried.
#[derive(Debug, thiserror::Error)]
pub enum TeleportError {
    /// The bundle is not what it should be, or not for this device.
    #[error("the bundle is refused: {0}")]
    Refused(#[from] Refused),
    /// The bundle could not be made.
    #[error("{0}")]
    Unwritten(#[from] WriteFault),
    /// It works for another session.
    #[error("it is a worker of session {0}")]
    Worker(String),
    /// The agent's history cannot be put where the agent would resume it.
    #[error("no way is known to carry sessions of {0} so that it resumes them")]
    NoWay(String),
    /// Only another device has it.
    #[error("its history is on {0}")]
    Remote(String),
    /// Its agent has written no history of it.
    #[error("{0} has written nothing of this session yet, so there is nothing to carry")]
    NotWritten(String),
    /// Neither the history nor a copy of it is there.
    #[error("{0}: neither it nor a whole copy of it is there")]
    Gone(String),
    /// A file that would be overwritten.
    #[error("{0} is there already")]
    Exists(PathBuf),
    /// A file that is there and says something else.
    #[error("{0} is there and differs from what came")]
    Differs(PathBuf),
    /// The session is here, in another folder.
    #[error("the session is here already, at {path}")]
    Elsewhere {
        /// Its file.
        path: PathBuf,
    },
    /// The session runs here.
    #[error("the session runs here, at {0}")]
    Running(String),
    /// A file or folder that leads elsewhere or belongs to somebody else.
    #[error("{path} {why}")]
    NotOurs {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// What the bundle holds does not go together.
    #[error("the bundle contradicts itself: {0}")]
    Contradicts(String),
    /// The folder it would go on in is not there.
    #[error("{0} is not a folder")]
    NoFolder(PathBuf),
    /// The patch does not apply.
    #[error("the patch does not apply: {0}")]
    Patch(String),
    /// The repository could not be asked.
    #[error("what was not committed cannot be told: {0}")]
    Git(String),
    /// A plan is there already.
    #[error("{0} is there already")]
    PlanThere(PathBuf),
    /// The bundle has no such thing.
    #[error("the bundle carries no {0}")]
    Absent(&'static str),
    /// Another device goes on with it.
    #[error("{holder} has it until {until}")]
    Held {
        /// Which device.
        holder: String,
        /// Until when, by its clock.
        until: Timestamp,
    },
    /// The file system said no.
    #[error("{path}: {error}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
}

impl TeleportError {
    /// The file system said no to this file.
    pub fn at(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        move |error| Self::Io { path: path.to_owned(), error }
    }
}
