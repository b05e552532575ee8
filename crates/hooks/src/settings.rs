//! The inputs for editing hooks.

use std::path::Path;
use taffrail_context::Settings;

/// The inputs for editing hooks.
#[derive(Debug, Clone, Copy)]
pub struct HookSettings<'a> {
    /// The general settings.
    pub settings: &'a Settings,
    /// The folder for notes and backups.
    pub state: &'a Path,
    /// The absolute path of our own program.
    pub program: &'a Path,
    /// The root of the file system, below which an organization keeps its policies.
    pub system: &'a Path,
}

/// The wanted state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookWish {
    /// The agent calls us.
    Install,
    /// The agent does not call us.
    Uninstall,
}
