//! How a person refers to a session.

use std::path::Path;

/// A session as typed by a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// `@last`: the session with the latest event.
    Last,
    /// `@waiting`: the session that started to need a person most recently.
    Waiting,
    /// `.`: the latest session in this folder or a folder above it.
    Here(String),
    /// A prefix of its id, or its agent's own id.
    Id(String),
}

/// Why a target does not resolve to one session.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum TargetError {
    /// No session matches.
    #[error("no session matches `{0}`")]
    NotFound(String),
    /// Several sessions match.
    #[error("`{0}` matches several sessions: {1}")]
    Ambiguous(String, String),
    /// No executor has this name.
    #[error("no peer is called `{0}`")]
    NoPeer(String),
    /// The executor runs, or ran, several sessions.
    #[error("the peer `{0}` runs several sessions: {list}", list = .1.join(", "))]
    ManyPeers(String, Vec<String>),
    /// The session has no archived copy.
    #[error("the archive holds no copy of session {0}")]
    NotArchived(String),
    /// The file does not exist.
    #[error("file not found: {0}")]
    NoFile(String),
    /// `@waiting`, and no session needs a person.
    #[error("no session needs you now")]
    NothingWaits,
}

impl Target {
    /// Parses a target; `here` is the current folder.
    #[must_use]
    pub fn parse(text: &str, here: &Path) -> Self {
        match text {
            "@last" => Self::Last,
            "@waiting" => Self::Waiting,
            "." => Self::Here(here.to_string_lossy().into_owned()),
            id => Self::Id(id.to_owned()),
        }
    }

    /// The target as typed.
    #[must_use]
    pub fn shown(&self) -> String {
        match self {
            Self::Last => "@last".to_owned(),
            Self::Waiting => "@waiting".to_owned(),
            Self::Here(folder) => folder.clone(),
            Self::Id(id) => id.clone(),
        }
    }
}
