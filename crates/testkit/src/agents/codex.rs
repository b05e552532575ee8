//! Codex on its own machine.

use super::{Machine, Package};

/// The version the suite is written for.
pub(super) const PACKAGE: Package = Package {
    name: "@openai/codex",
    version: "0.166.0",
    programs: &[
        (
            "x86_64",
            "node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex",
        ),
        (
            "aarch64",
            "node_modules/@openai/codex-linux-arm64/vendor/aarch64-unknown-linux-musl/bin/codex",
        ),
    ],
};

/// Prepares a home in which the first start asks nothing and starts nothing else.
pub(super) fn seed(machine: &Machine) {
    let config = CONFIG
        .replace("@PORT@", &machine.model().port().to_string())
        .replace("@PROJECT@", machine.project().to_str().unwrap());
    machine.home().write(".codex/config.toml", config);
}

/// Its environment, besides the home's.
pub(super) fn environment() -> Vec<(&'static str, String)> {
    vec![("FAKE_KEY", "fake".to_owned())]
}

const CONFIG: &str = r#"model = "gpt-5.5"
model_provider = "fake"
check_for_update_on_startup = false

[model_providers.fake]
name = "fake"
base_url = "http://127.0.0.1:@PORT@/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
request_max_retries = 1
stream_max_retries = 1
supports_websockets = false

[features]
plugins = false
apps = false
daemon_auto_start = false

[analytics]
enabled = false

[feedback]
enabled = false

[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"

[projects."@PROJECT@"]
trust_level = "trusted"
"#;
