//! Why no hub is in use, or why the hub fails.

use taffrail_model::exchange::StorageFault;
use taffrail_sync::exchange::{ExchangeError, RelocationFault, RosterFault};
use taffrail_sync::hub::{HubError, NameError, UrlError};

/// Why no hub is in use, or why it fails.
#[derive(Debug, thiserror::Error)]
pub enum HubFault {
    /// No hub is configured.
    #[error("no hub is in use")]
    None,
    /// The system provides no random bytes, and sealing needs them.
    #[error("no random bytes can be had, so nothing is sealed")]
    NoChance,
    /// The key opens the team's roster, but is no longer a recovery key of any member.
    #[error("this recovery key is nobody's any more: another took its place")]
    NobodysKey,
    /// The address is invalid.
    #[error(transparent)]
    Address(#[from] UrlError),
    /// The team's name is invalid.
    #[error(transparent)]
    Team(#[from] NameError),
    /// The file of credentials cannot be used.
    #[error("{0}: {1}")]
    Credentials(String, String),
    /// The hub did not answer, or refused.
    #[error(transparent)]
    Hub(#[from] HubError),
    /// The exchange over the hub failed.
    #[error(transparent)]
    Exchange(#[from] ExchangeError),
    /// The roster on the hub could not be fetched or changed.
    #[error(transparent)]
    Roster(#[from] RosterFault),
    /// The team is not moved to another hub.
    #[error(transparent)]
    Relocation(#[from] RelocationFault),
    /// Items that wait for the hub could not be stored.
    #[error(transparent)]
    Storage(#[from] StorageFault),
}

impl HubFault {
    /// True if the hub could not be reached and may be reachable later.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Hub(error)
            | Self::Roster(RosterFault::Hub(error))
            | Self::Relocation(
                RelocationFault::Hub(error) | RelocationFault::Roster(RosterFault::Hub(error)),
            ) => error.is_retryable(),
            Self::Exchange(error) => error.is_unreachable(),
            Self::None
            | Self::NoChance
            | Self::NobodysKey
            | Self::Address(_)
            | Self::Team(_)
            | Self::Credentials(..)
            | Self::Roster(_)
            | Self::Relocation(_)
            | Self::Storage(_) => false,
        }
    }
}
