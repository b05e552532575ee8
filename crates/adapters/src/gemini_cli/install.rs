//! How Gemini CLI is configured to call our hook.

use taffrail_kit::{
    HookBan, HookBase, HookCall, HookEvent, HookFile, HookPlan, HookPlugin, McpPlan, McpSyntax,
    RecallPlan, Syntax, TimeoutUnit,
};

/// Recording takes milliseconds; a longer wait would be noticeable.
const CAPTURE: u32 = 2;

const SETTINGS: &str = "settings.json";

/// Where the agent keeps its MCP servers, as its own command writes them.
pub(super) static MCP: McpPlan = McpPlan {
    base: HookBase::AgentHome,
    files: &["settings.json"],
    syntax: McpSyntax::Json,
    list: "mcpServers",
    entry: r#"{"command": "{program}", "args": ["mcp"]}"#,
};

/// When its hook may give it text.
pub(super) static RECALL: RecallPlan =
    RecallPlan { start: "SessionStart", sources: &["startup", "clear"], failure: None };

/// The hooks around a request to the model are left out: they run for every piece of an answer, and
/// their payloads hold the whole conversation.
pub(super) static PLAN: HookPlan = HookPlan {
    base: HookBase::AgentHome,
    files: &[HookFile { path: SETTINGS, syntax: Syntax::Json }],
    events: &[
        capture("SessionStart"),
        capture("SessionEnd"),
        capture("BeforeAgent"),
        capture("BeforeTool"),
        capture("AfterTool"),
        capture("Notification"),
        capture("AfterAgent"),
    ],
    unit: TimeoutUnit::Milliseconds,
    call: HookCall::ShellLine,
    trust: None,
    bans: &[
        switched_off(SETTINGS),
        switched_off("/etc/gemini-cli/settings.json"),
        switched_off("/Library/Application Support/GeminiCli/settings.json"),
    ],
    plugin: Some(&PLUGIN),
};

static PLUGIN: HookPlugin = HookPlugin {
    files: &[("gemini-extension.json", include_str!("plugin/gemini-extension.json"))],
    // The agent looks for hooks and skills only at the root of an extension.
    hooks: "hooks/hooks.json",
    skills: "skills",
    advice: "gemini extensions install {folder}",
};

const fn capture(name: &'static str) -> HookEvent {
    HookEvent { name, seconds: CAPTURE }
}

const fn switched_off(file: &'static str) -> HookBan {
    HookBan {
        file,
        syntax: Syntax::Json,
        keys: &["hooksConfig", "enabled"],
        forbids: false,
        text: "hooks are switched off (`hooksConfig.enabled`)",
    }
}
