//! How Codex is configured to call our hook.

use serde_json::Value;
use taffrail_kit::{
    HookBan, HookBase, HookCall, HookEvent, HookFile, HookPlan, HookPlugin, HookTrust, McpPlan,
    McpSyntax, RecallPlan, Syntax, TimeoutUnit,
};

/// Recording takes milliseconds; a longer wait would be noticeable.
const CAPTURE: u32 = 2;
/// The dialog waits for the hook, so the hook gives up early unless the user is away.
pub(super) const APPROVAL: u32 = 3_600;

const CONFIG: &str = "config.toml";
const REQUIREMENTS: &str = "/etc/codex/requirements.toml";

/// Where the agent keeps its MCP servers, as its own command writes them.
pub(super) static MCP: McpPlan = McpPlan {
    base: HookBase::AgentHome,
    files: &[CONFIG],
    syntax: McpSyntax::Toml,
    list: "mcp_servers",
    entry: r#"{"command": "{program}", "args": ["mcp"]}"#,
};

/// When its hook may give it text.
pub(super) static RECALL: RecallPlan =
    RecallPlan { start: "SessionStart", sources: &["startup", "clear"], failure: None };

pub(super) static PLAN: HookPlan = HookPlan {
    base: HookBase::AgentHome,
    files: &[
        HookFile { path: "hooks.json", syntax: Syntax::Json },
        HookFile { path: CONFIG, syntax: Syntax::Toml },
    ],
    events: &[
        capture("SessionStart"),
        capture("SessionEnd"),
        capture("UserPromptSubmit"),
        capture("PreToolUse"),
        HookEvent { name: "PermissionRequest", seconds: APPROVAL },
        capture("PostToolUse"),
        capture("Stop"),
        capture("SubagentStart"),
        capture("SubagentStop"),
        capture("PreCompact"),
        capture("PostCompact"),
    ],
    unit: TimeoutUnit::Seconds,
    call: HookCall::ShellLine,
    trust: Some(&TRUST),
    bans: &[
        HookBan {
            file: REQUIREMENTS,
            syntax: Syntax::Toml,
            keys: &["allow_managed_hooks_only"],
            forbids: true,
            text: "the organisation allows only its own hooks (`allow_managed_hooks_only`)",
        },
        switched_off(REQUIREMENTS),
        switched_off(CONFIG),
    ],
    plugin: Some(&PLUGIN),
};

static PLUGIN: HookPlugin = HookPlugin {
    files: &[
        (".agents/plugins/marketplace.json", include_str!("plugin/marketplace.json")),
        ("taffrail/.codex-plugin/plugin.json", include_str!("plugin/plugin.json")),
        ("taffrail/.mcp.json", include_str!("plugin/mcp.json")),
    ],
    hooks: "taffrail/hooks/codex.json",
    skills: "taffrail/skills",
    advice: "codex plugin marketplace add {folder} && codex plugin add taffrail@taffrail; then \
             start `codex` and trust the hooks under `/hooks`",
};

static TRUST: HookTrust = HookTrust {
    text: "hooks do not run until you trust them: start `codex`, review them under `/hooks`, and do \
           so again whenever they change",
    file: CONFIG,
    notes: &["hooks", "state"],
    identity,
};

/// A hook in the form that Codex hashes: normalized JSON with sorted keys.
fn identity(event: &str, command: &str, seconds: u64) -> String {
    let (event, command) = (Value::from(label(event)), Value::from(command));
    format!(
        "{{\"event_name\":{event},\"hooks\":[{{\"async\":false,\"command\":{command},\
         \"timeout\":{seconds},\"type\":\"command\"}}]}}"
    )
}

/// An event's name in Codex's own notes: `PreToolUse` is `pre_tool_use`.
fn label(event: &str) -> String {
    let mut out = String::new();
    for (at, letter) in event.char_indices() {
        if letter.is_ascii_uppercase() && at > 0 {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

const fn capture(name: &'static str) -> HookEvent {
    HookEvent { name, seconds: CAPTURE }
}

const fn switched_off(file: &'static str) -> HookBan {
    HookBan {
        file,
        syntax: Syntax::Toml,
        keys: &["features", "hooks"],
        forbids: false,
        text: "hooks are switched off (`features.hooks`)",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_is_hashed_as_codex_does() {
        let identity = identity("UserPromptSubmit", "say \"hi\"", 2);
        let expected = r#"{"event_name":"user_prompt_submit","hooks":[{"async":false,"command":"say \"hi\"","timeout":2,"type":"command"}]}"#;
        assert_eq!(identity, expected);
    }
}
