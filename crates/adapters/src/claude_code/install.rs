//! How Claude Code is configured to call our hook.

use taffrail_kit::{
    HomeRule, HookBan, HookBase, HookCall, HookEvent, HookFile, HookPlan, HookPlugin, McpPlan,
    McpSyntax, RecallPlan, Syntax, TimeoutUnit,
};

/// Recording takes milliseconds; a longer wait would be noticeable.
const CAPTURE: u32 = 2;
/// An approval request may stay open as long as its dialog, which the agent shows meanwhile.
pub(super) const APPROVAL: u32 = 86_400;

const SETTINGS: &str = "settings.json";
const MANAGED: [&str; 2] = [
    "/etc/claude-code/managed-settings.json",
    "/Library/Application Support/ClaudeCode/managed-settings.json",
];

/// Where the agent keeps its MCP servers, as its own command writes them.
pub(super) static MCP: McpPlan = McpPlan {
    base: HookBase::Folder(&[HomeRule::env("CLAUDE_CONFIG_DIR", ""), HomeRule::user("")]),
    files: &[".claude.json"],
    syntax: McpSyntax::Json,
    list: "mcpServers",
    entry: r#"{"type": "stdio", "command": "{program}", "args": ["mcp"], "env": {}}"#,
};

/// When its hook may give it text.
pub(super) static RECALL: RecallPlan = RecallPlan {
    start: "SessionStart",
    sources: &["startup", "clear"],
    failure: Some("PostToolUseFailure"),
};

pub(super) static PLAN: HookPlan = HookPlan {
    base: HookBase::AgentHome,
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
    unit: TimeoutUnit::Seconds,
    call: HookCall::Arguments,
    trust: None,
    bans: &[
        only_managed(MANAGED[0]),
        none_at_all(MANAGED[0]),
        only_managed(MANAGED[1]),
        none_at_all(MANAGED[1]),
        none_at_all(SETTINGS),
    ],
    plugin: Some(&PLUGIN),
};

static PLUGIN: HookPlugin = HookPlugin {
    files: &[
        (".claude-plugin/marketplace.json", include_str!("plugin/marketplace.json")),
        ("taffrail/.claude-plugin/plugin.json", include_str!("plugin/plugin.json")),
        ("taffrail/.mcp.json", include_str!("plugin/mcp.json")),
    ],
    // The agent loads this file whatever its manifest says.
    hooks: "taffrail/hooks/hooks.json",
    skills: "taffrail/skills",
    advice: "claude plugin marketplace add {folder} && claude plugin install taffrail@taffrail",
};

const fn capture(name: &'static str) -> HookEvent {
    HookEvent { name, seconds: CAPTURE }
}

const fn only_managed(file: &'static str) -> HookBan {
    HookBan {
        file,
        syntax: Syntax::Json,
        keys: &["allowManagedHooksOnly"],
        forbids: true,
        text: "the organisation allows only its own hooks (`allowManagedHooksOnly`)",
    }
}

const fn none_at_all(file: &'static str) -> HookBan {
    HookBan {
        file,
        syntax: Syntax::Json,
        keys: &["disableAllHooks"],
        forbids: true,
        text: "hooks are switched off (`disableAllHooks`)",
    }
}
