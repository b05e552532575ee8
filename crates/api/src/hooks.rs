//! The state of our hooks in the agents' settings, and changes to them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Whether an agent calls our hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HookState {
    /// At every point we ask for.
    Installed,
    /// At some points, or not as we ask now.
    Partly,
    /// It calls another copy of our program.
    OtherProgram,
    /// It does not.
    Absent,
    /// Unknown; the notes say why.
    Unknown,
    /// The agent is not on this machine.
    NoHome,
    /// We have no hooks for this agent.
    Unsupported,
}

/// The hooks of one agent's home.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HookRow {
    /// The agent's id.
    pub agent: String,
    /// Its name for people.
    pub label: String,
    /// Whether it calls us.
    pub state: HookState,
    /// The home.
    pub home: Option<String>,
    /// The file hooks are in, or would go into.
    pub file: Option<String>,
    /// The program that is called.
    pub program: Option<String>,
    /// The events at which we are not called.
    pub missing: Vec<String>,
    /// What keeps hooks from running, or must be done before they do.
    pub notes: Vec<String>,
}

/// The hooks of all agents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HookList {
    /// Of this document.
    pub schema_version: u32,
    /// One row for each home of each agent.
    pub agents: Vec<HookRow>,
}

/// A file that is or would be changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct HookEdit {
    /// The agent's id.
    pub agent: String,
    /// The file.
    pub file: String,
    /// The change, as a unified diff.
    pub diff: String,
    /// What the user should know.
    pub notes: Vec<String>,
}

/// What `hooks install` or `hooks uninstall` did or would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct HookReport {
    /// Of this document.
    pub schema_version: u32,
    /// The change was made; otherwise it was only planned.
    pub done: bool,
    /// The files.
    pub files: Vec<HookEdit>,
}

/// A change of hooks that is wanted.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HookBody {
    /// `install` or `uninstall`.
    pub wish: HookWord,
    /// Of this agent only, by its id.
    #[serde(default)]
    pub agent: Option<String>,
    /// Only show what would change; the default.
    #[serde(default = "yes")]
    pub dry_run: bool,
}

/// What is wanted of hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum HookWord {
    /// The agent calls us.
    Install,
    /// It does not.
    Uninstall,
}

fn yes() -> bool {
    true
}
