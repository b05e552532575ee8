//! Why a configuration cannot be read or changed.

use std::io;
use std::path::PathBuf;

/// Why a configuration cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{}: {error}", path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// Its text, or the change to it, is not valid.
    #[error("{message}")]
    Invalid {
        /// What is wrong.
        message: String,
        /// What to do.
        hint: String,
    },
}

impl ConfigError {
    pub(crate) fn invalid(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Invalid { message: message.into(), hint: hint.into() }
    }
}
