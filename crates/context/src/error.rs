//! Why a query about sessions failed.

use crate::new_file::NewFileError;
use crate::target::TargetError;

/// Why a query about sessions failed. Crates above add their own errors.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] taffrail_store::StoreError),
    /// The archive failed.
    #[error(transparent)]
    Archive(#[from] taffrail_store::archive::ArchiveError),
    /// The outbox could not be read or written.
    #[error(transparent)]
    Storage(#[from] taffrail_model::exchange::StorageFault),
    /// The target does not exist, or is ambiguous.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// No adapter has this name.
    #[error("no agent is called `{0}`")]
    UnknownAgent(String),
    /// The agent cannot start from a brief.
    #[error("it is not known how to start `{0}` on a brief")]
    CannotStart(String),
    /// The agent sends no telemetry that we read.
    #[error("no telemetry of `{0}` is read")]
    NoTelemetry(String),
    /// The file exists and would be overwritten.
    #[error("{0} is already there")]
    Exists(String),
    /// The user's file does not exist.
    #[error("no file is called `{0}`")]
    NoFile(String),
    /// The file has fewer lines.
    #[error("{0} has {1} lines")]
    NoLine(String, usize),
    /// The folder is not in a git repository.
    #[error("{0} is not in a git repository")]
    NoRepository(String),
    /// Git failed.
    #[error("{0}")]
    Git(String),
    /// The file that the user names cannot be written.
    #[error(transparent)]
    NewFile(#[from] NewFileError),
    /// No event has this kind.
    #[error("no event is of the kind `{0}`")]
    UnknownKind(String),
    /// No filter has this name.
    #[error("unknown filter `{0}:`")]
    UnknownFilter(String),
    /// The query is empty.
    #[error("nothing to search for")]
    NoQuestion,
    /// No device has this name.
    #[error("no device is called `{0}`")]
    UnknownDevice(String),
    /// No category has this name.
    #[error("no category is called `{0}`")]
    UnknownCategory(String),
    /// The target may be in history that was not read yet.
    #[error("no session matches `{0}` yet: your history is still being read")]
    Reading(String),
    /// Another daemon holds the lock.
    #[error("a daemon is running already")]
    Running,
    /// The daemon is ending.
    #[error("the daemon is ending")]
    Ending,
    /// The text is not a valid time.
    #[error("`{0}` is not a time")]
    NoTime(String),
    /// A document that we made violates its contract.
    #[error("this document of ours does not conform: {0}")]
    Bug(String),
    /// A document that we received violates its contract.
    #[error("it does not conform: {0}")]
    NotConforming(String),
    /// A forgotten session stays forgotten.
    #[error("session {0} was forgotten, and stays so")]
    Forgotten(String),
    /// The file does not hold a plan.
    #[error("{0}")]
    NoPlan(String),
    /// A user's file cannot be read.
    #[error("{0}")]
    File(String),
    /// The text is not a valid tag.
    #[error("`{0}` is not a tag")]
    NoTag(String),
    /// The text is not a valid title.
    #[error("a title has at most 200 characters, on one line")]
    NoTitle,
    /// No list has this order.
    #[error("no list is sorted by `{0}`")]
    UnknownOrder(String),
    /// The cursor belongs to another list.
    #[error("`after` is not from a list in this order")]
    ForeignCursor,
    /// A comparison without a period.
    #[error("a comparison needs the beginning of the period")]
    NoPeriod,
    /// A repair that would leave bindings unsound.
    #[error("{0}")]
    Repair(String),
    /// The text is not a valid note.
    #[error("a note has 1 to 10,000 characters")]
    NoNote,
    /// The session cannot be resumed, and why.
    #[error("{0}")]
    Unresumed(String),
    /// The request cannot be decided any more, or not from here.
    #[error("{0}")]
    Undecided(String),
    /// Part of the request is not shown here.
    #[error("part of {0} is hidden here: it was too long, or looked like a secret on {1}")]
    Hidden(String, String),
    /// No request has this id.
    #[error("no request for approval is called `{0}`")]
    NoApproval(String),
    /// The message cannot be sent, and why.
    #[error("{0}")]
    Unsent(String),
    /// A message with a time waits for the session already: its id, and the session.
    #[error("{0} waits for its time in this session: `taffrail queue rm {1} {0}` takes it back")]
    Scheduled(String, String),
    /// No reset is known of a limit that concerns the session.
    #[error("the reset of the limit of {0} is not known")]
    NoReset(String),
    /// The time is over.
    #[error("{0} is over")]
    PastTime(String),
    /// The text is not a valid message.
    #[error("a message has 1 byte to 64 KiB")]
    NoMessage,
    /// No message has this id.
    #[error("no message is called `{0}`")]
    NoReceipt(String),
}

impl Error {
    /// Whether a retry may succeed: another program is writing, or history is still being read.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        self.is_busy() || matches!(self, Self::Reading(_))
    }

    /// Whether another program is writing.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        use taffrail_store::{LockError, StoreError};
        matches!(self, Self::Store(StoreError::Lock(LockError::Taken)))
    }
}
