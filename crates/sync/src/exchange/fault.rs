//! Why devices do not keep up.

use super::team::RosterFault;
use crate::hub::{HubError, NameError};
use crate::seal::Refused;
use taffrail_model::StreamName;
use taffrail_model::exchange::StorageFault;

/// Why a round of carrying was broken off. Whatever was done stays done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExchangeError {
    /// The hub did not do it.
    #[error(transparent)]
    Hub(#[from] HubError),
    /// Our own memory did not do it.
    #[error("What is to be carried cannot be kept: {0}")]
    Storage(#[from] StorageFault),
    /// Something of ours cannot be sealed.
    #[error("A batch of {stream} cannot be sealed: {why}")]
    Sealing {
        /// The stream.
        stream: StreamName,
        /// What does not hold.
        why: Refused,
    },
    /// The roster on the hub is not one to go by.
    #[error(transparent)]
    Roster(#[from] RosterFault),
    /// An id cannot be a name on a hub.
    #[error(transparent)]
    Name(#[from] NameError),
    /// An item is longer than one may be.
    #[error("an item has {size} bytes, {limit} are allowed")]
    ItemTooLarge {
        /// How many it has.
        size: usize,
        /// How many are allowed.
        limit: usize,
    },
}

impl ExchangeError {
    /// Whether the hub could not be reached: then nothing is wrong here.
    #[must_use]
    pub fn is_unreachable(&self) -> bool {
        let (Self::Hub(error) | Self::Roster(RosterFault::Hub(error))) = self else { return false };
        matches!(error, HubError::Unreachable(_))
    }
}
