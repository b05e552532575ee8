//! How Codex is told to call our hook.

use crate::{HookBan, HookCall, HookEvent, HookFile, HookPlan, Syntax};

/// What only writes down is done in milliseconds; more than this would be noticed.
const CAPTURE: u32 = 2;
/// The dialog waits for the hook, which therefore gives up early by itself unless the user is away.
pub(super) const APPROVAL: u32 = 3_600;

const CONFIG: &str = "config.toml";
const REQUIREMENTS: &str = "/etc/codex/requirements.toml";

pub(super) static PLAN: HookPlan = HookPlan {
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
    call: HookCall::ShellLine,
    trust: Some(
        "hooks do not run until you trust them: start `codex`, review them under `/hooks`, and do \
         so again whenever they change",
    ),
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
    plugin: None,
};

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
