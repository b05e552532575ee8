//! Why something with devices is not done.

use std::io;
use std::path::{Path, PathBuf};
use taffrail_context::Error;
use taffrail_store::StoreError;
use taffrail_sync::keys::{KeyFault, PassphraseFault};
use taffrail_sync::roster::{Fault, JoinFault};

/// Why something with devices is not done.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// The ledger could not be read.
    #[error(transparent)]
    Question(#[from] Error),
    /// It has no keys and no name.
    #[error("this device has no keys yet")]
    NotMade,
    /// It has both already.
    #[error("this device is `{0}` already")]
    Made(String),
    /// It asked to come in, and nobody has let it in as far as is known here.
    #[error("this device is not in the team yet: nothing has come from the team since it asked")]
    Waiting,
    /// It was taken out.
    #[error("this device was removed from the team, and its keys never come back into it")]
    Removed,
    /// Only an admin changes the team.
    #[error("this device is not an admin of its team")]
    NotAdmin,
    /// No device of the team has this name, and none is of this user.
    #[error("no device of the team is called `{0}`")]
    NoDevice(String),
    /// Its user has no other.
    #[error("you have no other device in the team")]
    Alone,
    /// It is in a team with others.
    #[error("this device is in a team with others, and can be in one team only")]
    OthersThere,
    /// It is in that team.
    #[error("this device is in that team already")]
    InThere,
    /// No invite that was made here is answered by it.
    #[error("no open invite of this device is answered by this request")]
    NoInvite,
    /// An invite or a request is refused.
    #[error("{0}")]
    Join(#[from] JoinFault),
    /// The roster refuses it.
    #[error("the team's roster refuses it: {0}")]
    Roster(#[from] Fault),
    /// The keys cannot be read.
    #[error("{path}: {fault}")]
    Keys {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: KeyFault,
    },
    /// A file or folder of ours that others could read or write, or that is something else.
    #[error("{path} {why}")]
    Unsafe {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A file of ours that holds something else.
    #[error("{0} cannot be understood")]
    Damaged(PathBuf),
    /// It is something else, or cut off.
    #[error("this is not a recovery key")]
    NoRecoveryKey,
    /// A recovery key could not be put behind a passphrase, or not be had from there.
    #[error("{0}")]
    Passphrase(#[from] PassphraseFault),
    /// The file system said no.
    #[error("{path}: {error}")]
    Io {
        /// Which file.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
}

impl From<StoreError> for DeviceError {
    fn from(error: StoreError) -> Self {
        Self::Question(error.into())
    }
}

impl DeviceError {
    /// The file system said no to this file.
    pub(crate) fn at(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        move |error| Self::Io { path: path.to_owned(), error }
    }
}
