//! Why the exchange fails.

use super::team::RosterFault;
use crate::hub::{HubError, NameError};
use crate::seal::Refused;
use taffrail_model::StreamName;
use taffrail_model::exchange::StorageFault;

/// Why a round of the exchange stopped. What it did before is kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExchangeError {
    /// The hub failed.
    #[error(transparent)]
    Hub(#[from] HubError),
    /// The store failed.
    #[error("What is to be carried cannot be kept: {0}")]
    Storage(#[from] StorageFault),
    /// An item cannot be sealed.
    #[error("A batch of {stream} cannot be sealed: {why}")]
    Sealing {
        /// The stream.
        stream: StreamName,
        /// The reason.
        why: Refused,
    },
    /// The roster on the hub is invalid.
    #[error(transparent)]
    Roster(#[from] RosterFault),
    /// An id cannot be a name on a hub.
    #[error(transparent)]
    Name(#[from] NameError),
    /// An item is longer than allowed.
    #[error("an item has {size} bytes, {limit} are allowed")]
    ItemTooLarge {
        /// Its size.
        size: usize,
        /// The limit.
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
