//! Goose on its own machine.

use super::{Machine, Package};

/// The version the suite is written for.
pub(super) const PACKAGE: Package = Package {
    name: "@aaif/goose-binary-linux-x64",
    version: "1.52.0",
    programs: &[("x86_64", "node_modules/@aaif/goose-binary-linux-x64/bin/goose")],
};

/// Prepares a home in which it asks before every tool.
pub(super) fn seed(machine: &Machine) {
    let config = CONFIG.replace("@PORT@", &machine.model().port().to_string());
    machine.home().write(".config/goose/config.yaml", config);
    // The agent has its folder from the first start on.
    machine.home().write(".local/share/goose/sessions/.seeded", "");
}

/// Its environment, besides the home's.
pub(super) fn environment() -> Vec<(&'static str, String)> {
    vec![("OPENAI_API_KEY", "fake-000000".to_owned()), ("GOOSE_DISABLE_KEYRING", "1".to_owned())]
}

const CONFIG: &str = "\
GOOSE_PROVIDER: openai
GOOSE_MODEL: fake-model
GOOSE_MODE: approve
GOOSE_TELEMETRY_ENABLED: false
OPENAI_HOST: http://127.0.0.1:@PORT@
OPENAI_BASE_PATH: v1/chat/completions
extensions:
  developer:
    enabled: true
    type: platform
    name: developer
    description: Shell and files
    display_name: Developer
    bundled: true
";
