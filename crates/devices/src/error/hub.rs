//! Why there is no hub, or why it does not do what is asked.

use taffrail_model::exchange::StorageFault;
use taffrail_sync::exchange::{ExchangeError, RosterFault};
use taffrail_sync::hub::{HubError, NameError, UrlError};

/// Why there is no hub.
#[derive(Debug, thiserror::Error)]
pub enum HubFault {
    /// None was named.
    #[error("no hub is in use")]
    None,
    /// Nothing can be drawn, and what is sealed needs chance.
    #[error("no random bytes can be had, so nothing is sealed")]
    NoChance,
    /// The key opens the team's roster, and is not the recovery key of anybody in it any more.
    #[error("this recovery key is nobody's any more: another took its place")]
    NobodysKey,
    /// The address is none.
    #[error(transparent)]
    Address(#[from] UrlError),
    /// The team has an odd name.
    #[error(transparent)]
    Team(#[from] NameError),
    /// The file of credentials cannot be used.
    #[error("{0}: {1}")]
    Credentials(String, String),
    /// It did not answer, or refused.
    #[error(transparent)]
    Hub(#[from] HubError),
    /// What goes through it was not carried.
    #[error(transparent)]
    Exchange(#[from] ExchangeError),
    /// The roster on it was not fetched or changed.
    #[error(transparent)]
    Roster(#[from] RosterFault),
    /// What waits for it could not be kept.
    #[error(transparent)]
    Storage(#[from] StorageFault),
}

impl HubFault {
    /// Whether the hub was not reached, and may be later.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Hub(error) | Self::Roster(RosterFault::Hub(error)) => error.is_retryable(),
            Self::Exchange(error) => error.is_unreachable(),
            Self::None
            | Self::NoChance
            | Self::NobodysKey
            | Self::Address(_)
            | Self::Team(_)
            | Self::Credentials(..)
            | Self::Roster(_)
            | Self::Storage(_) => false,
        }
    }
}
