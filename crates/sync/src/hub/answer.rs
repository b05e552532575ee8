//! The results, errors and limits of a hub.

use super::{KeyName, LogName, Prefix};
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use taffrail_model::DeviceId;

/// The most bytes of one entry of a log. By default a NATS server accepts 1 MiB with headers.
pub const ENTRY_LIMIT: usize = 512 * 1024;
/// The most bytes of the value of a key. The head of the roster is one.
pub const VALUE_LIMIT: usize = 512 * 1024;
/// The most bytes of a blob.
pub const BLOB_LIMIT: u64 = 2 * 1024 * 1024 * 1024;
/// The most bytes of entries in one answer of `read_since`; it has at least one entry.
pub const PAGE_BYTES: usize = 8 * 1024 * 1024;
/// The most entries in one answer of `read_since`.
pub const PAGE_LIMIT: usize = 1_000;

/// Why a hub failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HubError {
    /// It cannot be reached now, or did not answer in time. The operation may have happened or may
    /// still happen; a retry is safe.
    #[error("The hub cannot be reached: {0}")]
    Unreachable(String),
    /// It is full. Waiting data is sent once there is room.
    #[error("The hub is full: {0}")]
    Full(String),
    /// The data exceeds the limit.
    #[error("{size} bytes are too many, {limit} are allowed")]
    TooLarge {
        /// The size.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// It refuses, and a retry will not help.
    #[error("The hub refused: {0}")]
    Refused(String),
    /// Its data differs from what was written.
    #[error("The hub is damaged: {0}")]
    Corrupt(String),
    /// The entries after our read position were removed, and later ones are there.
    #[error("The hub no longer has the entries before {first}")]
    Gone {
        /// The first entry that it has.
        first: u64,
    },
    /// A log ends before our read position: entries are gone, and their writer must append them
    /// again. A new leader may report this for a moment; check twice.
    #[error("The hub has lost entries: a log ends at {last}")]
    Lost {
        /// The last entry it has.
        last: u64,
    },
}

impl HubError {
    /// Whether a retry can help.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Unreachable(_) | Self::Full(_) => true,
            Self::TooLarge { .. }
            | Self::Refused(_)
            | Self::Corrupt(_)
            | Self::Gone { .. }
            | Self::Lost { .. } => false,
        }
    }
}

/// The result of an append.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// The entry is new.
    New,
    /// The same bytes are already there under this number.
    Already,
    /// Other bytes are there, or the number is not the next one.
    Conflict {
        /// The last number of the log; 0 if it is empty.
        last: u64,
    },
}

/// One entry of a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its number; the first is 1 and none is missing.
    pub seq: u64,
    /// The appended bytes.
    pub bytes: Bytes,
}

/// A revision of a key. It only grows while the hub exists, so it serves as a fencing token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Revision(pub(crate) u64);

impl Revision {
    /// The number.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }
}

/// The value of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Value {
    /// The revision.
    pub revision: Revision,
    /// The bytes.
    pub bytes: Bytes,
}

/// The result of a compare-and-set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Swapped {
    /// The value was written.
    Done(Revision),
    /// The key is not at the expected revision. After a lost answer this may be our own earlier
    /// try: read the key to find out.
    Conflict,
}

/// The result of putting a blob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Put {
    /// The blob is new.
    New,
    /// The same bytes are already there under this name.
    Already,
    /// Other bytes are there under this name, and stay.
    Conflict,
}

/// The names to watch. A hub may send the bytes of everything that is watched, so a device watches
/// only what it reads.
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

/// Something may have changed. Hints can be lost, late, duplicated or wrong, so readers also scan
/// at intervals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hint {
    /// This log.
    Log(LogName),
    /// This key.
    Key(KeyName),
    /// This device sent a heartbeat with these bytes. The hub does not store it.
    Beat(DeviceId, Bytes),
    /// Hints were missed: scan everything.
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

/// Refuses data that exceeds the limit.
pub(crate) fn fits(size: usize, limit: usize) -> Result<(), HubError> {
    fits_long(size as u64, limit as u64)
}

/// The same for blobs.
pub(crate) fn fits_long(size: u64, limit: u64) -> Result<(), HubError> {
    if size > limit { Err(HubError::TooLarge { size, limit }) } else { Ok(()) }
}
