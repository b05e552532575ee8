//! What a hub answers, what it refuses, and how much it takes.

use super::{KeyName, LogName, Prefix};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use taffrail_model::DeviceId;

/// The most bytes of one entry of a log. A NATS server takes 1 MiB with headers unless told otherwise.
pub const ENTRY_LIMIT: usize = 512 * 1024;
/// The most bytes of the value of a key.
pub const VALUE_LIMIT: usize = 256 * 1024;
/// The most bytes of a blob.
pub const BLOB_LIMIT: u64 = 2 * 1024 * 1024 * 1024;
/// The most bytes of entries in one answer of `read_since`; at least one entry is given.
pub const PAGE_BYTES: usize = 8 * 1024 * 1024;
/// The most entries in one answer of `read_since`.
pub const PAGE_LIMIT: usize = 1_000;

/// Why a hub did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HubError {
    /// It cannot be reached now, or did not answer in time. What was asked may have happened or
    /// may happen yet; asking again is safe.
    #[error("The hub cannot be reached: {0}")]
    Unreachable(String),
    /// It has no room. What waits is given once there is some.
    #[error("The hub is full: {0}")]
    Full(String),
    /// The bytes are more than the limit.
    #[error("{size} bytes are too many, {limit} are allowed")]
    TooLarge {
        /// How many there are.
        size: u64,
        /// How many are allowed.
        limit: u64,
    },
    /// It will not do this however often it is asked.
    #[error("The hub refused: {0}")]
    Refused(String),
    /// What it holds is not what was written.
    #[error("The hub is damaged: {0}")]
    Corrupt(String),
    /// A log ends before what was read from it: entries are gone, and their writer has to give
    /// them again. A server that has just taken over may say so for a moment; look twice.
    #[error("The hub has lost entries: a log ends at {last}")]
    Lost {
        /// The last entry it has.
        last: u64,
    },
}

impl HubError {
    /// Whether asking again can help.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Unreachable(_) | Self::Full(_) => true,
            Self::TooLarge { .. } | Self::Refused(_) | Self::Corrupt(_) | Self::Lost { .. } => {
                false
            }
        }
    }
}

/// What became of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// It is new.
    New,
    /// The same bytes are there under this number already.
    Already,
    /// Other bytes are there, or the number is not the next one.
    Conflict {
        /// The last number of the log; 0 where it is empty.
        last: u64,
    },
}

/// One entry of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its number; the first is 1 and none is missing.
    pub seq: u64,
    /// What was appended.
    pub bytes: Bytes,
}

/// Which state of a key this is. It only grows while the hub lives, so it serves as a fencing
/// token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Revision(pub(crate) u64);

impl Revision {
    /// As a number.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }
}

/// The value of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// Which state it is.
    pub revision: Revision,
    /// What was written.
    pub bytes: Bytes,
}

/// What became of a compare-and-set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Swapped {
    /// It is written.
    Done(Revision),
    /// The key is not at the expected revision. After an answer that never came this may be one's
    /// own earlier try: read the key to know.
    Conflict,
}

/// What became of a blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// It is new.
    New,
    /// The same bytes are there under this name already.
    Already,
    /// Other bytes are there under this name, and stay.
    Conflict,
}

/// What a watcher wants hints of. A hub may send the bytes of everything that is watched, so a device
/// watches what it reads and no more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watched {
    /// Logs below these.
    pub logs: Vec<Prefix>,
    /// Keys below this.
    pub keys: Prefix,
    /// Beats of these devices.
    pub beats: Vec<DeviceId>,
}

impl Watched {
    /// Logs and keys below a prefix.
    #[must_use]
    pub fn below(prefix: Prefix) -> Self {
        Self { logs: vec![prefix.clone()], keys: prefix, beats: Vec::new() }
    }
}

/// Something may have moved. Hints can be lost, late, double or wrong; readers look for
/// themselves now and then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// This log.
    Log(LogName),
    /// This key.
    Key(KeyName),
    /// This device said that it lives, in these words. Nobody keeps them.
    Beat(DeviceId, Bytes),
    /// Hints were missed: look at everything.
    Anything,
}

impl Hint {
    pub(crate) fn is_among(&self, watched: &Watched) -> bool {
        match self {
            Self::Log(name) => watched.logs.iter().any(|it| it.holds(name)),
            Self::Key(name) => watched.keys.holds(name),
            Self::Beat(device, _) => watched.beats.contains(device),
            Self::Anything => true,
        }
    }
}

/// Refuses what is too large.
pub(crate) fn fits(size: usize, limit: usize) -> Result<(), HubError> {
    fits_long(size as u64, limit as u64)
}

/// The same for blobs.
pub(crate) fn fits_long(size: u64, limit: u64) -> Result<(), HubError> {
    if size > limit { Err(HubError::TooLarge { size, limit }) } else { Ok(()) }
}
