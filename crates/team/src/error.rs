//! Why an operation on devices failed.

use std::io;
use std::path::{Path, PathBuf};
use taffrail_context::Error;
use taffrail_store::StoreError;
use taffrail_sync::keys::{KeyFault, PassphraseFault};
use taffrail_sync::roster::{Fault, JoinFault};

/// Why an operation on devices failed.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// The ledger could not be read.
    #[error(transparent)]
    Question(#[from] Error),
    /// This device has no keys and no name.
    #[error("this device has no keys yet")]
    NotMade,
    /// This device already has keys and a name.
    #[error("this device is `{0}` already")]
    Made(String),
    /// This device asked to join, and the known roster does not include it.
    #[error("this device is not in the team yet: nothing has come from the team since it asked")]
    Waiting,
    /// This device was removed from the team.
    #[error("this device was removed from the team, and its keys never come back into it")]
    Removed,
    /// Only an admin may change the team.
    #[error("this device is not an admin of its team")]
    NotAdmin,
    /// No device of the team has this name, and no user does.
    #[error("no device of the team is called `{0}`")]
    NoDevice(String),
    /// The user has no other device.
    #[error("you have no other device in the team")]
    Alone,
    /// This device is in a team with others.
    #[error("this device is in a team with others, and can be in one team only")]
    OthersThere,
    /// This device is already in that team.
    #[error("this device is in that team already")]
    InThere,
    /// The request answers no invite of this device.
    #[error("no open invite of this device is answered by this request")]
    NoInvite,
    /// An invite or a request is refused.
    #[error("{0}")]
    Join(#[from] JoinFault),
    /// The roster refuses the entry.
    #[error("the team's roster refuses it: {0}")]
    Roster(#[from] Fault),
    /// The keys cannot be read.
    #[error("{path}: {fault}")]
    Keys {
        /// The file.
        path: PathBuf,
        /// The problem.
        fault: KeyFault,
    },
    /// A file or folder of ours that other users could read or write, or that is of the wrong type.
    #[error("{path} {why}")]
    Unsafe {
        /// The file or folder.
        path: PathBuf,
        /// The problem.
        why: &'static str,
    },
    /// A file of ours with unexpected content.
    #[error("{0} cannot be understood")]
    Damaged(PathBuf),
    /// The text is not a recovery key, or is truncated.
    #[error("this is not a recovery key")]
    NoRecoveryKey,
    /// A recovery key could not be encrypted or decrypted with a passphrase.
    #[error("{0}")]
    Passphrase(#[from] PassphraseFault),
    /// An I/O error.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The error.
        error: io::Error,
    },
}

impl From<StoreError> for DeviceError {
    fn from(error: StoreError) -> Self {
        Self::Question(error.into())
    }
}

impl DeviceError {
    /// Wraps an I/O error on this file.
    pub(crate) fn at(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        move |error| Self::Io { path: path.to_owned(), error }
    }
}
