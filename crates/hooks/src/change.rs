//! A change of a settings file: its text before and after, and what of it is ours.

use crate::note::Note;
use std::path::PathBuf;

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
    pub(crate) home: PathBuf,
    pub(crate) below: &'static str,
    pub(crate) note: Option<Note>,
}
