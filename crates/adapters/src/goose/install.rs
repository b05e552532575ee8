//! How Goose is configured to call our hook, by a plugin in a folder of its own, and to start our MCP server.

use taffrail_kit::{
    HomeRule, HookBase, HookCall, HookEvent, HookFile, HookPlan, McpPlan, McpSyntax, Syntax,
    TimeoutUnit,
};

/// Recording takes milliseconds; a longer wait would be noticeable.
const CAPTURE: u32 = 2;

/// Where the agent keeps its MCP servers, as its own command writes them.
pub(super) static MCP: McpPlan = McpPlan {
    base: HookBase::Folder(&[
        HomeRule::env("GOOSE_PATH_ROOT", "config"),
        HomeRule::env("XDG_CONFIG_HOME", "goose"),
        HomeRule::user(".config/goose"),
    ]),
    files: &["config.yaml"],
    syntax: McpSyntax::Yaml,
    list: "extensions",
    entry: r#"{"enabled": true, "type": "stdio", "name": "taffrail", "description": "What agents did before", "cmd": "{program}", "args": ["mcp"], "envs": {}, "env_keys": [], "timeout": 300}"#,
};

pub(super) static PLAN: HookPlan = HookPlan {
    base: HookBase::Folder(&[HomeRule::env("GOOSE_PATH_ROOT", ""), HomeRule::user("")]),
    files: &[HookFile { path: ".agents/plugins/taffrail/hooks/hooks.json", syntax: Syntax::Json }],
    events: &[
        capture("SessionStart"),
        capture("SessionEnd"),
        capture("UserPromptSubmit"),
        capture("PreToolUse"),
        capture("PostToolUse"),
        capture("PostToolUseFailure"),
        capture("Stop"),
    ],
    unit: TimeoutUnit::Seconds,
    call: HookCall::ShellLine,
    trust: None,
    bans: &[],
    plugin: None,
};

const fn capture(name: &'static str) -> HookEvent {
    HookEvent { name, seconds: CAPTURE }
}
