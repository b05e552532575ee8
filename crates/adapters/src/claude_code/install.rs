//! How Claude Code is configured to call our hook.

use taffrail_kit::{
    HookBan, HookBase, HookCall, HookEvent, HookFile, HookPlan, HookPlugin, Syntax, TimeoutUnit,
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
    plugin: Some(&HookPlugin {
        manifest: ".claude-plugin/plugin.json",
        hooks: "hooks/hooks.json",
        advice: "start the agent with `claude --plugin-dir` and this folder, or offer it in a \
                 marketplace of your own",
    }),
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
