//! Why a bundle is refused, or cannot be made.

use crate::roster;
use std::io;
use taffrail_model::DeviceId;

/// The problem with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadPath {
    /// It, or a part of it, is empty.
    #[error("a part of it is empty")]
    Empty,
    /// It, or a part of it, is too long, or there are too many parts.
    #[error("it is too long")]
    TooLong,
    /// It leads outside.
    #[error("it leads out of its folder")]
    LeadsOut,
    /// It contains something else than letters, digits and `. _ - @ + = ,`, or a part starts or
    /// ends in a way that some system reads differently.
    #[error("it is not a plain name")]
    Odd,
    /// Another entry has the same path, or would on some systems.
    #[error("another entry has it")]
    Twice,
}

/// Why a bundle is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It does not start like a bundle.
    #[error("this is not a bundle")]
    NotABundle,
    /// A later version wrote it.
    #[error("it is of version {version}, which this program does not know")]
    Newer {
        /// That version.
        version: u8,
    },
    /// It is truncated.
    #[error("it is cut short: {got} of {expected} bytes are there")]
    Truncated {
        /// The length it states.
        expected: u64,
        /// The actual length.
        got: u64,
    },
    /// It was changed.
    #[error("it is damaged")]
    Damaged,
    /// It is not sealed to this device.
    #[error("it is not sealed to this device")]
    NotForUs,
    /// Its roster does not follow from the one known here.
    #[error("the roster it carries is refused: {0}")]
    Roster(#[from] roster::Fault),
    /// Its author is not in the team, or no longer.
    #[error("{device}, which made it, is not in the team")]
    Stranger {
        /// The author.
        device: DeviceId,
    },
    /// The signature is invalid.
    #[error("the signature does not hold")]
    Forged,
    /// Its manifest cannot be read, or belongs to something else.
    #[error("its manifest is not understood")]
    NotUnderstood,
    /// An entry has a forbidden path.
    #[error("the entry {path:?} is refused: {why}")]
    Path {
        /// The path as written.
        path: String,
        /// The problem.
        why: BadPath,
    },
    /// It has more entries than allowed.
    #[error("it has more than 10,000 entries")]
    TooMany,
    /// It contains more bytes than allowed.
    #[error("it holds more than 2 GiB")]
    TooLarge,
    /// A few bytes would expand to very many.
    #[error("it unpacks to more than 100 times its size")]
    Bomb,
    /// An entry differs from the manifest.
    #[error("the entry {path:?} is not what the manifest says")]
    NotAsListed {
        /// The entry.
        path: String,
    },
    /// It contains more than the manifest lists.
    #[error("it holds more than the manifest says")]
    Unlisted,
    /// It could not be read.
    #[error("it could not be read: {message}")]
    Reading {
        /// The kind of failure.
        kind: io::ErrorKind,
        /// The message.
        message: String,
    },
    /// An entry could not be stored.
    #[error("the entry {path:?} could not be taken: {message}")]
    Taking {
        /// The entry.
        path: String,
        /// The kind of failure.
        kind: io::ErrorKind,
        /// The message.
        message: String,
    },
}

/// Why a bundle cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum WriteFault {
    /// Our device, or a recipient, is not in the team.
    #[error("{device} is not in the team")]
    NotAMember {
        /// The device.
        device: DeviceId,
    },
    /// There are no recipients.
    #[error("there is nobody to seal to")]
    Nobody,
    /// A path that every reader would refuse.
    #[error("the entry {path:?} cannot be carried: {why}")]
    Path {
        /// The path.
        path: String,
        /// The problem.
        why: BadPath,
    },
    /// More than a bundle may contain.
    #[error("it is more than a bundle may hold: 10,000 entries, 2 GiB, 2,500 recipients")]
    TooLarge,
    /// The piece changed while it was packed; a retry may succeed.
    #[error("{path:?} changed while it was packed")]
    Changed {
        /// The entry.
        path: String,
    },
    /// A piece could not be read.
    #[error("{path:?} could not be read")]
    Reading {
        /// The entry.
        path: String,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// The bundle could not be written.
    #[error("the bundle could not be written")]
    Writing(#[from] io::Error),
}
