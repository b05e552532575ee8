//! Why a question about sessions could not be answered.

use crate::target::TargetError;

/// Why a question about sessions could not be answered. Crates above add errors of their own.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Memory failed.
    #[error(transparent)]
    Store(#[from] taffrail_store::StoreError),
    /// The archive failed.
    #[error(transparent)]
    Archive(#[from] taffrail_store::archive::ArchiveError),
    /// The outbox could not be read or written.
    #[error(transparent)]
    Storage(#[from] taffrail_model::exchange::StorageFault),
    /// What was asked for is not there, or not one.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// No adapter has this name.
    #[error("no agent is called `{0}`")]
    UnknownAgent(String),
    /// The agent cannot be started on a brief.
    #[error("it is not known how to start `{0}` on a brief")]
    CannotStart(String),
    /// The agent sends no telemetry, or none we read.
    #[error("no telemetry of `{0}` is read")]
    NoTelemetry(String),
    /// A file that would be overwritten.
    #[error("{0} is already there")]
    Exists(String),
    /// No event is of this kind.
    #[error("no event is of the kind `{0}`")]
    UnknownKind(String),
    /// No filter is called so.
    #[error("unknown filter `{0}:`")]
    UnknownFilter(String),
    /// Nothing was asked.
    #[error("nothing to search for")]
    NoQuestion,
    /// No device is called so.
    #[error("no device is called `{0}`")]
    UnknownDevice(String),
    /// No session is put into this category.
    #[error("no category is called `{0}`")]
    UnknownCategory(String),
    /// It may be in history that was not read yet.
    #[error("no session matches `{0}` yet: your history is still being read")]
    Reading(String),
    /// Another daemon has the lock.
    #[error("a daemon is running already")]
    Running,
    /// The daemon is ending.
    #[error("the daemon is ending")]
    Ending,
    /// A time nobody can read.
    #[error("`{0}` is not a time")]
    NoTime(String),
    /// A document we made breaks its contract.
    #[error("this document of ours does not conform: {0}")]
    Bug(String),
    /// A document we were given breaks its contract.
    #[error("it does not conform: {0}")]
    NotConforming(String),
    /// What was forgotten stays forgotten.
    #[error("session {0} was forgotten, and stays so")]
    Forgotten(String),
    /// A file with a plan that is none.
    #[error("{0}")]
    NoPlan(String),
    /// A file of somebody's that cannot be read.
    #[error("{0}")]
    File(String),
    /// A tag that is none.
    #[error("`{0}` is not a tag")]
    NoTag(String),
    /// A repair that would leave bindings unsound.
    #[error("{0}")]
    Repair(String),
    /// A note that is none.
    #[error("a note has 1 to 10,000 characters")]
    NoNote,
    /// A session that is not resumed, and why.
    #[error("{0}")]
    Unresumed(String),
    /// A request that is not to be decided any more, or cannot be from here.
    #[error("{0}")]
    Undecided(String),
    /// Not all of a request is shown here.
    #[error("part of {0} is hidden here: it was too long, or looked like a secret on {1}")]
    Hidden(String, String),
    /// No request is called so.
    #[error("no request for approval is called `{0}`")]
    NoApproval(String),
    /// A message that is not sent, and why.
    #[error("{0}")]
    Unsent(String),
    /// A message that is none.
    #[error("a message has 1 byte to 64 KiB")]
    NoMessage,
    /// No message is called so.
    #[error("no message is called `{0}`")]
    NoReceipt(String),
}

impl Error {
    /// Another program is writing, or reading is not over: it may go better in a moment.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        self.is_busy() || matches!(self, Self::Reading(_))
    }

    /// Another program is writing.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        use taffrail_store::{LockError, StoreError};
        matches!(self, Self::Store(StoreError::Lock(LockError::Taken)))
    }
}
