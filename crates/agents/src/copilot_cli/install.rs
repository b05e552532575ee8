//! How Copilot CLI is configured to call our hook: by a file of its own among the user's hooks.

use taffrail_kit::{
    HookBan, HookBase, HookCall, HookEvent, HookFile, HookPlan, McpPlan, McpSyntax, Syntax,
    TimeoutUnit,
};

/// Recording takes milliseconds; a longer wait would be noticeable.
const CAPTURE: u32 = 2;
/// The dialog waits for the hook, so the hook gives up early unless the user is away.
pub(super) const APPROVAL: u32 = 3_600;

const FILE: &str = "hooks/taffrail.json";

/// Where the agent keeps its MCP servers, as its own command writes them.
pub(super) static MCP: McpPlan = McpPlan {
    base: HookBase::AgentHome,
    files: &["mcp-config.json"],
    syntax: McpSyntax::Json,
    list: "mcpServers",
    entry: r#"{"type": "local", "command": "{program}", "args": ["mcp"], "tools": ["*"]}"#,
};

pub(super) static PLAN: HookPlan = HookPlan {
    base: HookBase::AgentHome,
    files: &[HookFile { path: FILE, syntax: Syntax::Json }],
    // Names in this style get payloads that name their hook; those in the program's own style do not.
    events: &[
        capture("SessionStart"),
        capture("SessionEnd"),
        capture("UserPromptSubmit"),
        capture("PreToolUse"),
        HookEvent { name: "PermissionRequest", seconds: APPROVAL },
        capture("PostToolUse"),
        capture("PostToolUseFailure"),
        capture("Notification"),
        capture("Stop"),
        capture("PreCompact"),
    ],
    unit: TimeoutUnit::Seconds,
    call: HookCall::ShellLine,
    trust: None,
    // In another file, this setting switches off the hooks of that file alone.
    bans: &[HookBan {
        file: FILE,
        syntax: Syntax::Json,
        keys: &["disableAllHooks"],
        forbids: true,
        text: "hooks are switched off (`disableAllHooks`)",
    }],
    plugin: None,
};

const fn capture(name: &'static str) -> HookEvent {
    HookEvent { name, seconds: CAPTURE }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Under a name in the program's own style, a payload does not say which hook it is for.
    #[test]
    fn every_event_has_a_name_that_its_payload_repeats() {
        for event in PLAN.events {
            assert!(event.name.starts_with(char::is_uppercase), "{}", event.name);
        }
    }
}
