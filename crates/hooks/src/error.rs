//! Why hooks could not be changed.

use std::path::{Path, PathBuf};
use taffrail_context::Error;

/// Why a text cannot be edited.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unfit {
    #[error("cannot be read: {0}")]
    Unreadable(String),
    #[error("{what} is not {expected}")]
    Shape { what: String, expected: &'static str },
    #[error("our hooks stand in it in a way they cannot be taken out of safely")]
    Entangled,
}

impl Unfit {
    pub(crate) fn shape(what: &str, expected: &'static str) -> Self {
        Self::Shape { what: what.to_owned(), expected }
    }
}

/// Why hooks could not be changed. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum HooksError {
    /// The agent is unknown.
    #[error(transparent)]
    Question(#[from] Error),
    /// The file must not be changed.
    #[error("{path} {why}", path = .path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// The reason.
        why: String,
    },
    /// The file changed since it was read.
    #[error("{} changed meanwhile", .0.display())]
    Changed(PathBuf),
    /// An I/O error.
    #[error("{path}: {error}", path = .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error.
        error: std::io::Error,
    },
    /// We have no hooks for this agent.
    #[error("Taffrail has no hooks for {0}")]
    NoHooks(&'static str),
    /// We do not know where this agent keeps its MCP servers.
    #[error("Taffrail does not know where {0} keeps its MCP servers")]
    NoServers(&'static str),
    /// The agent has no home on this machine.
    #[error("no home of {0} was found")]
    NoHome(&'static str),
    /// Our own path cannot be written into settings.
    #[error("this program's path cannot be written into settings: {}", .0.display())]
    Program(PathBuf),
    /// The folder for a plugin is not empty.
    #[error("{} is not empty", .0.display())]
    NotEmpty(PathBuf),
}

impl HooksError {
    pub(crate) fn io(path: &Path, error: std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), error }
    }

    pub(crate) fn refused(path: &Path, why: &dyn std::fmt::Display) -> Self {
        Self::Refused { path: path.to_owned(), why: why.to_string() }
    }
}
