//! How Goose is configured to call our hook: by a plugin in a folder of its own.

use taffrail_kit::{
    HomeRule, HookBase, HookCall, HookEvent, HookFile, HookPlan, Syntax, TimeoutUnit,
};

/// Recording takes milliseconds; a longer wait would be noticeable.
const CAPTURE: u32 = 2;

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
