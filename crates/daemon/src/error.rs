//! Errors of the daemon, and of commands that work without one.

use crate::refusals::{NotStopped, StartError};
use std::net::SocketAddr;
use std::path::Path;
use taffrail_approvals::rules::RulesError;
use taffrail_context::{Error, TargetError};
use taffrail_devices::{DevicesError, HubFault, PairingError, ShareError, TeleportError};
use taffrail_hooks::HooksError;
use taffrail_store::StoreError;
use taffrail_store::archive::ArchiveError;
use taffrail_team::DeviceError;

/// An error of the daemon, or of a command that works without one.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// A query about sessions failed.
    #[error(transparent)]
    Question(#[from] Error),
    /// Hooks could not be changed.
    #[error(transparent)]
    Hooks(#[from] HooksError),
    /// Rules could not be changed.
    #[error(transparent)]
    Rules(#[from] RulesError),
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
    /// Why an agent is not ended.
    #[error(transparent)]
    NotStopped(#[from] NotStopped),
    /// Why an agent is not started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The server could not be started.
    #[error(transparent)]
    Serve(#[from] ServeError),
}

impl From<StoreError> for DaemonError {
    fn from(error: StoreError) -> Self {
        Self::Question(error.into())
    }
}

impl From<ArchiveError> for DaemonError {
    fn from(error: ArchiveError) -> Self {
        Self::Question(error.into())
    }
}

impl From<TargetError> for DaemonError {
    fn from(error: TargetError) -> Self {
        Self::Question(error.into())
    }
}

impl From<DevicesError> for DaemonError {
    fn from(error: DevicesError) -> Self {
        match error {
            DevicesError::Question(error) => Self::Question(error),
            DevicesError::Hub(error) => Self::Hub(error),
            DevicesError::Device(error) => Self::Device(error),
            DevicesError::Pairing(error) => Self::Pairing(error),
            DevicesError::Teleport(error) => Self::Teleport(error),
            DevicesError::Share(error) => Self::Share(error),
        }
    }
}

/// Why the server cannot listen.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Other machines could reach the address.
    #[error("{0} can be reached by others: only 127.0.0.1 and ::1 are listened on")]
    NotLoopback(SocketAddr),
    /// Another daemon listens there.
    #[error("another daemon answers on {0}")]
    Taken(String),
    /// A file or folder that others could have created.
    #[error("{0}: {1}")]
    Unsafe(String, &'static str),
    /// The system returned an error.
    #[error("{0}: {1}")]
    Io(String, #[source] std::io::Error),
}

impl ServeError {
    /// Wraps an I/O error with the path of its file or folder.
    pub fn at(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.display().to_string();
        move |error| Self::Io(path, error)
    }
}

impl DaemonError {
    /// True if another program is writing, or history is still being read: a retry may succeed.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Question(error) if error.is_passing())
    }

    /// True if another program is writing.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        matches!(self, Self::Question(error) if error.is_busy())
    }
}
