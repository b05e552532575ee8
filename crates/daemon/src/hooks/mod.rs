//! Our hook in the agents' settings: planned as a change of text, shown, and only then written.
//!
//! What is put into a file is noted, so that taking it out again leaves the bytes that were there.
//! If someone changed the file in between, our calls are found by what they are and taken out, and
//! nothing else is.

mod ban;
mod call;
mod edit;
mod files;
mod json;
mod json_strip;
mod note;
mod planning;
mod plugin;
mod status;
mod text;
mod told;
mod toml;

#[cfg(test)]
mod tests;

use crate::Settings;
use std::path::{Path, PathBuf};

pub use planning::{carry_out, plan_hooks};
pub use plugin::write_plugin;
pub use status::hook_status;
pub use told::{hook_report, unified};

/// What the editing of hooks must be told.
#[derive(Debug, Clone, Copy)]
pub struct HookSettings<'a> {
    /// Where things are and what time it is.
    pub settings: &'a Settings,
    /// Where notes and copies of changed files are kept.
    pub state: &'a Path,
    /// The absolute path of our own program.
    pub program: &'a Path,
    /// The root of the system, below which an organisation keeps its rules.
    pub system: &'a Path,
}

/// What is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookWish {
    /// The agent calls us.
    Install,
    /// It does not.
    Uninstall,
}

/// One file that would change.
#[derive(Debug)]
pub struct HookChange {
    /// The agent's id.
    pub agent: &'static str,
    /// Its name for people.
    pub label: &'static str,
    /// The file.
    pub path: PathBuf,
    /// What it says; `None` if it is not there.
    pub before: Option<String>,
    /// What it would say; `None` if it would be gone.
    pub after: Option<String>,
    /// What the user should know once it is done.
    pub advice: Vec<String>,
    home: PathBuf,
    below: &'static str,
    note: Option<note::Note>,
}

/// What of the surroundings of our calls was not there before.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
struct Made {
    /// The file.
    #[serde(default)]
    file: bool,
    /// All that the file says.
    #[serde(default)]
    root: bool,
    /// The place for hooks.
    #[serde(default)]
    hooks: bool,
    /// The places for the hooks of these events.
    #[serde(default)]
    events: Vec<String>,
}

impl Made {
    fn made_event(&self, event: &str) -> bool {
        self.hooks || self.events.iter().any(|it| it == event)
    }
}

/// Why a text is left as it is.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
enum Unfit {
    #[error("cannot be read: {0}")]
    Unreadable(String),
    #[error("{what} is not {expected}")]
    Shape { what: String, expected: &'static str },
    #[error("our hooks stand in it in a way they cannot be taken out of safely")]
    Entangled,
}

impl Unfit {
    fn shape(what: &str, expected: &'static str) -> Self {
        Self::Shape { what: what.to_owned(), expected }
    }
}

/// Why hooks could not be changed. Nothing was written then.
#[derive(Debug, thiserror::Error)]
pub enum HooksError {
    /// A file that is not ours to change.
    #[error("{path} {why}", path = .path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// What is so.
        why: String,
    },
    /// A file that changed while it was looked at.
    #[error("{} changed meanwhile", .0.display())]
    Changed(PathBuf),
    /// The system said no.
    #[error("{path}: {error}", path = .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        error: std::io::Error,
    },
    /// We have no hooks for this agent.
    #[error("Taffrail has no hooks for {0}")]
    NoHooks(&'static str),
    /// The agent is not on this machine.
    #[error("no home of {0} was found")]
    NoHome(&'static str),
    /// Our own path cannot be written into settings.
    #[error("this program's path cannot be written into settings: {}", .0.display())]
    Program(PathBuf),
    /// The folder for a plugin holds something.
    #[error("{} is not empty", .0.display())]
    NotEmpty(PathBuf),
}

impl HooksError {
    fn io(path: &Path, error: std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), error }
    }

    fn refused(path: &Path, why: &dyn std::fmt::Display) -> Self {
        Self::Refused { path: path.to_owned(), why: why.to_string() }
    }
}
