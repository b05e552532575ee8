//! Why a bundle is refused, or cannot be made.

use crate::roster;
use std::io;
use taffrail_model::DeviceId;

/// What is wrong with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadPath {
    /// It is empty, or a part of it is.
    #[error("a part of it is empty")]
    Empty,
    /// It, or a part of it, is too long, or there are too many parts.
    #[error("it is too long")]
    TooLong,
    /// It would lead elsewhere.
    #[error("it leads out of its folder")]
    LeadsOut,
    /// It holds something else than letters, digits and `. _ - @ + = ,`, or a part of it begins or
    /// ends in a way that some system reads differently.
    #[error("it is not a plain name")]
    Odd,
    /// Another entry has it, or on some systems would.
    #[error("another entry has it")]
    Twice,
}

/// Why a bundle is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It does not begin as a bundle does.
    #[error("this is not a bundle")]
    NotABundle,
    /// A later version wrote it.
    #[error("it is of version {version}, which this program does not know")]
    Newer {
        /// That version.
        version: u8,
    },
    /// Its end is missing.
    #[error("it is cut short: {got} of {expected} bytes are there")]
    Truncated {
        /// How long it says it is.
        expected: u64,
        /// How long it is.
        got: u64,
    },
    /// It was changed.
    #[error("it is damaged")]
    Damaged,
    /// It is not sealed to this device.
    #[error("it is not sealed to this device")]
    NotForUs,
    /// The roster it carries does not follow from the one known here.
    #[error("the roster it carries is refused: {0}")]
    Roster(#[from] roster::Fault),
    /// Who made it is not in the team, or no longer.
    #[error("{device}, which made it, is not in the team")]
    Stranger {
        /// Who made it.
        device: DeviceId,
    },
    /// The signature does not hold.
    #[error("the signature does not hold")]
    Forged,
    /// Its manifest cannot be read, or belongs to something else.
    #[error("its manifest is not understood")]
    NotUnderstood,
    /// An entry would go where it must not.
    #[error("the entry {path:?} is refused: {why}")]
    Path {
        /// The path as it is written.
        path: String,
        /// What is wrong with it.
        why: BadPath,
    },
    /// It has more entries than allowed.
    #[error("it has more than 10,000 entries")]
    TooMany,
    /// It holds more bytes than allowed.
    #[error("it holds more than 2 GiB")]
    TooLarge,
    /// A few bytes would become very many.
    #[error("it unpacks to more than 100 times its size")]
    Bomb,
    /// An entry is not what the manifest says.
    #[error("the entry {path:?} is not what the manifest says")]
    NotAsListed {
        /// The entry.
        path: String,
    },
    /// There is more in it than the manifest says.
    #[error("it holds more than the manifest says")]
    Unlisted,
    /// It could not be read.
    #[error("it could not be read: {message}")]
    Reading {
        /// What kind of failure.
        kind: io::ErrorKind,
        /// In words.
        message: String,
    },
    /// What it holds could not be taken.
    #[error("the entry {path:?} could not be taken: {message}")]
    Taking {
        /// The entry.
        path: String,
        /// What kind of failure.
        kind: io::ErrorKind,
        /// In words.
        message: String,
    },
}

/// Why a bundle cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum WriteFault {
    /// The device to seal to, or ours, is not in the team.
    #[error("{device} is not in the team")]
    NotAMember {
        /// The device.
        device: DeviceId,
    },
    /// There is nobody to seal to.
    #[error("there is nobody to seal to")]
    Nobody,
    /// A path that no reader would take.
    #[error("the entry {path:?} cannot be carried: {why}")]
    Path {
        /// The path.
        path: String,
        /// What is wrong with it.
        why: BadPath,
    },
    /// More than a bundle may hold.
    #[error("it is more than a bundle may hold: 10,000 entries, 2 GiB, 2,500 recipients")]
    TooLarge,
    /// The piece changed while it was packed; once more may do.
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
