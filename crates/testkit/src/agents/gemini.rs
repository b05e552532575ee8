//! Gemini CLI on its own machine.

use super::{Machine, Package};
use serde_json::json;

const PROGRAM: &str = "node_modules/@google/gemini-cli/bundle/gemini.js";

/// The version the suite is written for. It is a script for Node on any processor.
pub(super) const PACKAGE: Package = Package {
    name: "@google/gemini-cli",
    version: "0.61.0",
    programs: &[("x86_64", PROGRAM), ("aarch64", PROGRAM)],
};

/// Prepares a home in which the first start asks nothing.
pub(super) fn seed(machine: &Machine) {
    let settings = json!({
        "general": {"enableAutoUpdate": false, "sessionRetention": {"enabled": false}},
        "privacy": {"usageStatisticsEnabled": false},
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
        "ui": {"hideTips": true, "hideBanner": true},
    });
    machine.home().write(".gemini/settings.json", format!("{settings:#}\n"));
}

/// Its environment, besides the home's.
pub(super) fn environment(port: u16) -> Vec<(&'static str, String)> {
    vec![
        ("GOOGLE_GEMINI_BASE_URL", format!("http://127.0.0.1:{port}")),
        ("GEMINI_API_KEY", "fake-000000".to_owned()),
        // One process, so that ending it ends the agent.
        ("GEMINI_CLI_NO_RELAUNCH", "true".to_owned()),
    ]
}
