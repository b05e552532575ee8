//! How Qwen Code is configured to call our hook.

use taffrail_kit::{
    HomeRule, HookBan, HookBase, HookCall, HookEvent, HookFile, HookPlan, McpPlan, McpSyntax,
    Syntax, TimeoutUnit,
};

/// Recording takes milliseconds; a longer wait would be noticeable.
const CAPTURE: u32 = 2;
/// The dialog waits for the hook, so the hook gives up early unless the user is away.
pub(super) const APPROVAL: u32 = 3_600;

const SETTINGS: &str = "settings.json";

/// Where the agent keeps its MCP servers, as its own command writes them.
pub(super) static MCP: McpPlan = McpPlan {
    base: HookBase::Folder(&[HomeRule::env("QWEN_HOME", ""), HomeRule::user(".qwen")]),
    files: &[SETTINGS],
    syntax: McpSyntax::Json,
    list: "mcpServers",
    entry: r#"{"command": "{program}", "args": ["mcp"]}"#,
};

pub(super) static PLAN: HookPlan = HookPlan {
    // `QWEN_RUNTIME_DIR` moves the history only.
    base: HookBase::Folder(&[HomeRule::env("QWEN_HOME", ""), HomeRule::user(".qwen")]),
    files: &[HookFile { path: SETTINGS, syntax: Syntax::Json }],
    events: &[
        capture("SessionStart"),
        capture("SessionEnd"),
        capture("UserPromptSubmit"),
        capture("PreToolUse"),
        HookEvent { name: "PermissionRequest", seconds: APPROVAL },
        capture("PermissionDenied"),
        capture("PostToolUse"),
        capture("PostToolUseFailure"),
        capture("Notification"),
        capture("Stop"),
        capture("StopFailure"),
        capture("SubagentStart"),
        capture("SubagentStop"),
        capture("PreCompact"),
        capture("PostCompact"),
    ],
    // Newer versions count in seconds, but read 1000 and more as milliseconds, as older versions read everything.
    unit: TimeoutUnit::Milliseconds,
    call: HookCall::ShellLine,
    trust: None,
    bans: &[
        switched_off(SETTINGS),
        switched_off("/etc/qwen-code/settings.json"),
        switched_off("/Library/Application Support/QwenCode/settings.json"),
    ],
    plugin: None,
};

const fn capture(name: &'static str) -> HookEvent {
    HookEvent { name, seconds: CAPTURE }
}

const fn switched_off(file: &'static str) -> HookBan {
    HookBan {
        file,
        syntax: Syntax::Json,
        keys: &["disableAllHooks"],
        forbids: true,
        text: "hooks are switched off (`disableAllHooks`)",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_timeout_means_milliseconds_to_every_version() {
        for event in PLAN.events {
            assert!(PLAN.unit.count(event.seconds) >= 1000, "{}", event.name);
        }
    }
}
