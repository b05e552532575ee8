//! What can fail with other devices.

mod hub;
mod share;
mod teleport;

pub use hub::HubFault;
pub use share::ShareError;
pub use teleport::TeleportError;

use taffrail_context::{Error, TargetError};
use taffrail_store::StoreError;
use taffrail_store::archive::ArchiveError;
use taffrail_team::DeviceError;

/// What can fail with other devices.
#[derive(Debug, thiserror::Error)]
pub enum DevicesError {
    /// A question about sessions could not be answered.
    #[error(transparent)]
    Question(#[from] Error),
    /// There is no hub, or it does not do what is asked.
    #[error(transparent)]
    Hub(#[from] HubFault),
    /// This device or its team refused a change.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A session is not carried, and why.
    #[error(transparent)]
    Teleport(#[from] TeleportError),
    /// A session is not shared, and why.
    #[error(transparent)]
    Share(#[from] ShareError),
}

impl From<StoreError> for DevicesError {
    fn from(error: StoreError) -> Self {
        Self::Question(error.into())
    }
}

impl From<ArchiveError> for DevicesError {
    fn from(error: ArchiveError) -> Self {
        Self::Question(error.into())
    }
}

impl From<TargetError> for DevicesError {
    fn from(error: TargetError) -> Self {
        Self::Question(error.into())
    }
}
