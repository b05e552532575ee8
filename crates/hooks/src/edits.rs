//! The two sets of changes to agents' settings: our hook and our MCP server.

use crate::{HookChange, HookSettings, HookWish, HooksError, plan_hooks, plan_servers};

/// A set of changes to agents' settings.
#[derive(Debug)]
pub struct Edits {
    /// The command that makes them.
    pub command: &'static str,
    /// Plans them.
    pub plan: Plan,
    /// The folder for notes below our state folder: two sets may change the same file.
    pub notes: &'static str,
    /// What to say if there is nothing to install, and nothing to uninstall.
    pub nothing: [&'static str; 2],
}

type Plan = fn(&HookSettings<'_>, HookWish, Option<&str>) -> Result<Vec<HookChange>, HooksError>;

/// Our hook.
pub const HOOKS: Edits = Edits {
    command: "hooks",
    plan: plan_hooks,
    notes: "",
    nothing: ["nothing to change: no agent here lacks the hook", "no agent here calls Taffrail"],
};

/// Our MCP server.
pub const SERVERS: Edits = Edits {
    command: "mcp",
    plan: plan_servers,
    notes: "mcp",
    nothing: [
        "nothing to change: no agent here lacks the server",
        "no agent here starts the MCP server",
    ],
};
