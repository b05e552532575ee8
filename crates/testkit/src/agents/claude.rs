//! Claude Code on its own machine.

use super::{Machine, Package};
use serde_json::json;

/// The version the suite is written for.
pub(super) const PACKAGE: Package = Package {
    name: "@anthropic-ai/claude-code",
    version: "2.1.325",
    programs: &[
        ("x86_64", "node_modules/@anthropic-ai/claude-code-linux-x64/claude"),
        ("aarch64", "node_modules/@anthropic-ai/claude-code-linux-arm64/claude"),
    ],
};

const KEY: &str = "sk-ant-fake-000000000000000000000000";
const TOKEN: &str = "sk-ant-oat01-fake-000000000000000000000000";

/// Prepares a home in which the first start asks nothing.
pub(super) fn seed(machine: &Machine) {
    let (_, known) = KEY.split_at(KEY.len() - 20);
    let project = json!({"hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true});
    let state = json!({
        "hasCompletedOnboarding": true,
        "theme": "dark",
        "customApiKeyResponses": {"approved": [known], "rejected": []},
        "projects": {machine.project().to_str().unwrap(): project},
    });
    machine.home().write(".claude.json", state.to_string());
    // The agent has its folder from the first start on.
    machine.home().write(".claude/settings.json", "{}\n");
}

/// Who pays for the answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Account {
    /// A key of the API, by token.
    #[default]
    Key,
    /// A subscription, which has limits.
    Subscription,
}

/// Its environment, besides the home's.
pub(super) fn environment(port: u16, account: Account) -> Vec<(&'static str, String)> {
    let on = |name| (name, "1".to_owned());
    vec![
        ("ANTHROPIC_BASE_URL", format!("http://127.0.0.1:{port}")),
        match account {
            Account::Key => ("ANTHROPIC_API_KEY", KEY.to_owned()),
            Account::Subscription => ("CLAUDE_CODE_OAUTH_TOKEN", TOKEN.to_owned()),
        },
        on("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"),
        on("CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL"),
        on("CLAUDE_CODE_MAX_RETRIES"),
        on("DISABLE_TELEMETRY"),
        on("DISABLE_ERROR_REPORTING"),
        on("DISABLE_AUTOUPDATER"),
    ]
}
