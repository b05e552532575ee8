//! Which session a person means.

use std::path::Path;

/// What a person typed for a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// `@last`: the one with the latest event.
    Last,
    /// `@waiting`: the one that began last to need a person.
    Waiting,
    /// `.`: the latest in this folder or a folder above it.
    Here(String),
    /// The beginning of its id, or its agent's own id.
    Id(String),
}

/// Why no one session is meant.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum TargetError {
    /// There is none.
    #[error("no session matches `{0}`")]
    NotFound(String),
    /// There are several.
    #[error("`{0}` matches several sessions: {1}")]
    Ambiguous(String, String),
    /// No executor has this name.
    #[error("no peer is called `{0}`")]
    NoPeer(String),
    /// It runs, or ran, several sessions.
    #[error("the peer `{0}` stands for several sessions: {list}", list = .1.join(", "))]
    ManyPeers(String, Vec<String>),
    /// There is no copy of it.
    #[error("the archive holds no copy of session {0}")]
    NotArchived(String),
    /// There is no such file.
    #[error("there is no file {0}")]
    NoFile(String),
    /// `@waiting`, and no session needs a person.
    #[error("no session needs you now")]
    NothingWaits,
}

impl Target {
    /// Reads what was typed; `here` is the current folder.
    #[must_use]
    pub fn parse(text: &str, here: &Path) -> Self {
        match text {
            "@last" => Self::Last,
            "@waiting" => Self::Waiting,
            "." => Self::Here(here.to_string_lossy().into_owned()),
            id => Self::Id(id.to_owned()),
        }
    }

    /// As it was typed.
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
