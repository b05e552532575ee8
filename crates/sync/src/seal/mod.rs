//! The sealed data on a hub: keys wrapped to devices, and batches that are sealed, signed and
//! chained.

mod batch;
mod chain;
mod checkpoint;
mod key;

pub use crate::compression::MOST_BYTES;
pub use batch::{Content, Opened, Place, Sealed, Stream, WriterStatus, check, open, seal};
pub use chain::Chain;
pub use checkpoint::{CheckpointPlace, SealedCheckpoint, open_checkpoint, seal_checkpoint};
pub use key::{DataKey, KeyPlace, Scope, WrappedKey, unwrap, wrap};

use crate::compression::CompressionFault;
use crate::envelope::EnvelopeFault;
use taffrail_model::DeviceId;

/// Why a key or a batch is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// It is something else, or truncated.
    #[error("it is cut off or of another form")]
    NotUnderstood,
    /// It belongs to another team, stream or device, or its key to another place.
    #[error("it belongs somewhere else")]
    OtherPlace,
    /// Its epoch is newer than the roster known here; fetch the roster first.
    #[error("it is of epoch {epoch}, the roster known here ends with {known}")]
    RosterBehind {
        /// Its epoch.
        epoch: u64,
        /// The last epoch known here.
        known: u64,
    },
    /// The signer was not in the team at that time.
    #[error("{device} was not in the team in epoch {epoch}")]
    NotAMember {
        /// The signer.
        device: DeviceId,
        /// The epoch.
        epoch: u64,
    },
    /// The signature is invalid.
    #[error("the signature does not hold")]
    Forged,
    /// It is not sealed to this identity.
    #[error("it is not sealed to this device")]
    NotForUs,
    /// It was changed, or the key is a different one.
    #[error("it does not open: it was changed, or the key is another one")]
    Damaged,
    /// Batches before it are missing, or it is a repetition.
    #[error("it holds {got}, {expected} was to come")]
    OutOfSequence {
        /// The expected first number.
        expected: u64,
        /// Its first number.
        got: u64,
    },
    /// It does not follow the batch before.
    #[error("it does not follow the batch before it")]
    Unchained,
    /// Its epoch is older than that of the batch before.
    #[error("it goes back behind epoch {known}")]
    OlderEpoch {
        /// The epoch of the batch before.
        known: u64,
    },
    /// It contains more than a batch may.
    #[error("it holds more than a batch may")]
    TooLarge,
    /// There are no recipients.
    #[error("there is nobody to seal to")]
    Nobody,
}

impl From<CompressionFault> for Refused {
    fn from(fault: CompressionFault) -> Self {
        match fault {
            CompressionFault::TooLarge => Self::TooLarge,
            CompressionFault::NotUnderstood => Self::NotUnderstood,
        }
    }
}

impl From<EnvelopeFault> for Refused {
    fn from(fault: EnvelopeFault) -> Self {
        match fault {
            EnvelopeFault::Nobody => Self::Nobody,
            EnvelopeFault::NotForUs => Self::NotForUs,
            EnvelopeFault::Damaged => Self::Damaged,
            EnvelopeFault::TooLarge => Self::TooLarge,
        }
    }
}

#[cfg(test)]
mod tests;
