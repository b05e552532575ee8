//! How OpenCode is configured to start our MCP server.

use taffrail_kit::{HomeRule, HookBase, McpPlan, McpSyntax};

/// Where the agent keeps its MCP servers, as its own command writes them.
pub(super) static MCP: McpPlan = McpPlan {
    base: HookBase::Folder(&[
        HomeRule::env("OPENCODE_CONFIG_DIR", ""),
        HomeRule::env("XDG_CONFIG_HOME", "opencode"),
        HomeRule::user(".config/opencode"),
    ]),
    files: &["opencode.json", "opencode.jsonc"],
    syntax: McpSyntax::Json,
    list: "mcp",
    entry: r#"{"type": "local", "command": ["{program}", "mcp"], "enabled": true}"#,
};
