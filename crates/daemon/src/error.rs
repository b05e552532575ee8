//! Everything that can fail in the daemon or in a command that works without one.

use std::net::SocketAddr;
use std::path::Path;
use taffrail_approvals::rules::RulesError;
use taffrail_context::{Error, TargetError};
use taffrail_devices::{DevicesError, HubFault, ShareError, TeleportError};
use taffrail_hooks::HooksError;
use taffrail_store::StoreError;
use taffrail_store::archive::ArchiveError;
use taffrail_team::DeviceError;

/// Everything that can fail in the daemon or in a command that works without one.
#[derive(Debug, thiserror::Error)]
pub enum DaemonError {
    /// A question about sessions could not be answered.
    #[error(transparent)]
    Question(#[from] Error),
    /// Hooks could not be changed.
    #[error(transparent)]
    Hooks(#[from] HooksError),
    /// Rules could not be changed.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// There is no hub, or it does not do what is asked.
    #[error(transparent)]
    Hub(#[from] HubFault),
    /// Something with this device, or with its team, is not done.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A session is not carried, and why.
    #[error(transparent)]
    Teleport(#[from] TeleportError),
    /// A session is not shared, and why.
    #[error(transparent)]
    Share(#[from] ShareError),
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
            DevicesError::Teleport(error) => Self::Teleport(error),
            DevicesError::Share(error) => Self::Share(error),
        }
    }
}

/// Why nobody can be answered.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Others could reach it.
    #[error("{0} can be reached by others: only 127.0.0.1 and ::1 are listened on")]
    NotLoopback(SocketAddr),
    /// Another daemon answers there.
    #[error("another daemon answers on {0}")]
    Taken(String),
    /// A file or folder others could have made.
    #[error("{0}: {1}")]
    Unsafe(String, &'static str),
    /// The system refused.
    #[error("{0}: {1}")]
    Io(String, #[source] std::io::Error),
}

impl ServeError {
    /// The system refused a file or folder.
    pub fn at(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.display().to_string();
        move |error| Self::Io(path, error)
    }
}

impl DaemonError {
    /// Another program is writing, or reading is not over: it may go better in a moment.
    #[must_use]
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Question(error) if error.is_passing())
    }

    /// Another program is writing.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        matches!(self, Self::Question(error) if error.is_busy())
    }
}
