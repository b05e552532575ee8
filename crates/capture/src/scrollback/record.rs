//! What runs on a terminal: kept beside its output.

use super::{FOLDER, RECORD};
use serde::{Deserialize, Serialize};
use std::fs::DirBuilder;
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use taffrail_model::{AgentId, Process, RuntimeIdentity, Timestamp};

/// The prefix of every name.
const PREFIX: &str = "run-";

/// The name of a run, which is also the runtime id of its temporary session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunName(String);

/// What runs on a terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The agent.
    pub agent: AgentId,
    /// The runtime session, once it is known.
    pub session: Option<String>,
    /// Its scope; empty where ids are unique everywhere.
    #[serde(default)]
    pub scope: String,
    /// The process of `taffrail run`.
    pub process: Process,
    /// The folder it was started in.
    pub folder: String,
    /// The command line; empty if it is not text.
    pub command: Vec<String>,
    /// When it was started.
    pub started_at: Timestamp,
}

impl RunName {
    /// The name of a new run.
    #[must_use]
    pub fn new(nonce: &str) -> Self {
        Self(format!("{PREFIX}{nonce}"))
    }

    /// A name on disk; `None` for another file.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        text.starts_with(PREFIX).then(|| Self(text.to_owned()))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The folder of the run.
    #[must_use]
    pub fn folder(&self, data: &Path) -> PathBuf {
        data.join(FOLDER).join(&self.0)
    }
}

impl RunRecord {
    /// The sessions of the run: the agent's own, and the temporary one before it.
    pub fn sessions(&self, name: &RunName) -> impl Iterator<Item = RuntimeIdentity> {
        let of = |scope: &str, id: &str| RuntimeIdentity::new(self.agent.clone(), scope, id);
        let own = of("", name.as_str());
        self.session.as_deref().map(|it| of(&self.scope, it)).into_iter().chain([own])
    }

    /// Creates the folder of a new run, with its record.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn create(&self, data: &Path, name: &RunName) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(name.folder(data))?;
        self.replace(data, name)
    }

    /// Writes the record of a run whose folder exists.
    ///
    /// # Errors
    /// `NotFound` when the run was removed; otherwise when the folder cannot be written.
    pub fn replace(&self, data: &Path, name: &RunName) -> io::Result<()> {
        let folder = name.folder(data);
        let mut file = tempfile::NamedTempFile::new_in(&folder)?;
        file.write_all(&serde_json::to_vec(self)?)?;
        file.persist(folder.join(RECORD))?;
        Ok(())
    }
}
