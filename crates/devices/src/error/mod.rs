//! Errors in the work with other devices.

mod hub;
mod pairing;
mod share;
mod teleport;

pub use hub::HubFault;
pub use pairing::PairingError;
pub use share::ShareError;
pub use teleport::TeleportError;

use taffrail_context::{Error, TargetError};
use taffrail_store::StoreError;
use taffrail_store::archive::ArchiveError;
use taffrail_team::DeviceError;

/// An error in the work with other devices.
#[derive(Debug, thiserror::Error)]
pub enum DevicesError {
    /// A query about sessions failed.
    #[error(transparent)]
    Question(#[from] Error),
    /// No hub is in use, or the hub failed.
    #[error(transparent)]
    Hub(#[from] HubFault),
    /// This device or its team refused a change.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// Two devices did not meet.
    #[error(transparent)]
    Pairing(#[from] PairingError),
    /// Why a session cannot be moved.
    #[error(transparent)]
    Teleport(#[from] TeleportError),
    /// Why a session cannot be shared.
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
