//! What the editing of hooks needs to know.

use std::path::Path;
use taffrail_context::Settings;

/// What the editing of hooks needs to know.
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
