//! A change of a settings file: its text before and after, and which part of it is ours.

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
    /// The current text; `None` if the file does not exist.
    pub before: Option<String>,
    /// The new text; `None` if the file would be removed.
    pub after: Option<String>,
    /// Advice for the user once it is done.
    pub advice: Vec<String>,
    pub(crate) base: PathBuf,
    pub(crate) below: &'static str,
    /// How many folders above the file we created.
    pub(crate) folders: usize,
    pub(crate) note: Option<Note>,
}
