//! Agents from npm.

use super::{Case, Id, Program, Project, RESUME, Tools};
use taffrail_testkit::agents::packages;

/// The agents.
pub(super) const CASES: &[Case] = &[
    Case {
        agent: "copilot-cli",
        program: Program::Npm(packages::COPILOT),
        files: &[],
        environment: &[
            ("COPILOT_OFFLINE", "true"),
            ("COPILOT_AUTO_UPDATE", "false"),
            ("COPILOT_PROVIDER_BASE_URL", "{url}/v1"),
            ("COPILOT_PROVIDER_API_KEY", "sk-test-0000"),
            ("COPILOT_MODEL", "fake-model"),
        ],
        arguments: &[RESUME, "--output-format", "json", "--allow-all-tools", "-p", "{prompt}"],
        tools: Tools::Shell((
            "bash",
            r#"{"command": "echo it-ran", "description": "A scripted command"}"#,
        )),
        model: "fake-model",
        project: Project::Named,
        id: Id::Output,
    },
    Case {
        agent: "opencode",
        program: Program::Npm(packages::OPENCODE),
        files: &[(".config/opencode/opencode.json", OPENCODE)],
        environment: &[
            ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
            ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
            ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
            ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
        ],
        arguments: &["run", RESUME, "--auto", "--format", "json", "{prompt}"],
        tools: Tools::Shell((
            "bash",
            r#"{"command": "echo it-ran", "description": "A scripted command"}"#,
        )),
        model: "fake-model",
        project: Project::Named,
        id: Id::Output,
    },
    Case {
        agent: "kilo",
        program: Program::Npm(packages::KILO),
        files: &[(".config/kilo/kilo.json", OPENCODE)],
        environment: &[
            ("KILO_DISABLE_AUTOUPDATE", "1"),
            ("KILO_DISABLE_MODELS_FETCH", "1"),
            ("KILO_DISABLE_LSP_DOWNLOAD", "1"),
            ("KILO_DISABLE_DEFAULT_PLUGINS", "1"),
        ],
        arguments: &["run", RESUME, "--auto", "--format", "json", "{prompt}"],
        tools: Tools::Shell((
            "bash",
            r#"{"command": "echo it-ran", "description": "A scripted command"}"#,
        )),
        model: "fake-model",
        project: Project::Named,
        id: Id::Output,
    },
    Case {
        agent: "qwen-code",
        program: Program::Npm(packages::QWEN),
        files: &[(".qwen/settings.json", QWEN)],
        environment: &[
            ("OPENAI_API_KEY", "sk-test-0000"),
            ("OPENAI_BASE_URL", "{url}/v1"),
            ("OPENAI_MODEL", "fake-model"),
        ],
        arguments: &[
            RESUME,
            "--auth-type",
            "openai",
            "--approval-mode",
            "yolo",
            "-o",
            "stream-json",
            "-p",
            "{prompt}",
        ],
        tools: Tools::Shell((
            "run_shell_command",
            r#"{"command": "echo it-ran", "description": "A command", "is_background": false}"#,
        )),
        model: "fake-model",
        project: Project::Named,
        id: Id::Output,
    },
    Case {
        agent: "pi",
        program: Program::Npm(packages::PI),
        files: &[(".pi/agent/models.json", PI)],
        environment: &[("PI_OFFLINE", "1"), ("PI_SKIP_VERSION_CHECK", "1")],
        arguments: &[
            RESUME,
            "--offline",
            "--mode",
            "json",
            "--provider",
            "fake",
            "--model",
            "fake-model",
            "-p",
            "{prompt}",
        ],
        tools: Tools::Shell(("bash", r#"{"command": "echo it-ran"}"#)),
        model: "fake-model",
        project: Project::Named,
        id: Id::Output,
    },
    Case {
        agent: "grok-build",
        program: Program::Npm(packages::GROK),
        files: &[(".grok/config.toml", GROK)],
        environment: &[],
        arguments: &[RESUME, "--always-approve", "--output-format", "json", "-p", "{prompt}"],
        tools: Tools::Shell((
            "run_terminal_command",
            r#"{"command": "echo it-ran", "description": "A scripted command"}"#,
        )),
        model: "fake-model",
        project: Project::Named,
        id: Id::Output,
    },
    Case {
        agent: "kimi-code",
        program: Program::Npm(packages::KIMI),
        files: &[(".kimi-code/config.toml", KIMI)],
        environment: &[],
        arguments: &["--output-format", "stream-json", "-p", "{prompt}"],
        tools: Tools::Shell((
            "Bash",
            r#"{"command": "echo it-ran", "description": "A scripted command"}"#,
        )),
        model: "fake-model",
        project: Project::Named,
        id: Id::Output,
    },
    Case {
        agent: "cline",
        program: Program::Npm(packages::CLINE),
        files: &[(".cline/data/settings/providers.json", CLINE)],
        environment: &[],
        arguments: &["--json", "{prompt}"],
        tools: Tools::Shell(("run_commands", r#"{"commands": ["echo it-ran"]}"#)),
        model: "fake-model",
        project: Project::Named,
        id: Id::File(".cline/data/sessions/{id}/{id}.json"),
    },
    Case {
        agent: "continue",
        program: Program::Npm(packages::CONTINUE),
        files: &[(".continue/config.yaml", CONTINUE)],
        environment: &[],
        arguments: &["--auto", "--config", "{home}/.continue/config.yaml", "-p", "{prompt}"],
        tools: Tools::Shell(("Bash", r#"{"command": "echo it-ran"}"#)),
        model: "fake-model",
        project: Project::Named,
        id: Id::File(".continue/sessions/{id}.json"),
    },
];

const OPENCODE: &str = r#"{
  "autoupdate": false,
  "share": "disabled",
  "model": "fake/fake-model",
  "small_model": "fake/fake-model",
  "enabled_providers": ["fake"],
  "provider": {"fake": {
    "npm": "@ai-sdk/openai-compatible",
    "name": "Fake",
    "options": {"baseURL": "{url}/v1", "apiKey": "sk-test-0000"},
    "models": {"fake-model": {
      "name": "Fake Model", "tool_call": true, "limit": {"context": 131072, "output": 8192}
    }}
  }}
}
"#;

const QWEN: &str = r#"{
  "$version": 4,
  "general": {"disableAutoUpdate": true, "enableAutoUpdate": false},
  "privacy": {"usageStatisticsEnabled": false},
  "telemetry": {"enabled": false},
  "security": {"auth": {"selectedType": "openai"}, "folderTrust": {"enabled": false}},
  "model": {"name": "fake-model"}
}
"#;

const PI: &str = r#"{"providers": {"fake": {
  "baseUrl": "{url}/v1",
  "api": "openai-completions",
  "apiKey": "sk-test-0000",
  "models": [{
    "id": "fake-model", "name": "Fake", "reasoning": false, "input": ["text"],
    "contextWindow": 131072, "maxTokens": 8192,
    "cost": {"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 0}
  }]
}}}
"#;

const GROK: &str = r#"[cli]
auto_update = false
[models]
default = "fake"
web_search = "fake"
[features]
telemetry = false
remote_fetch = false
[model.fake]
model = "fake-model"
base_url = "{url}/v1"
name = "Fake"
api_key = "sk-test-0000"
api_backend = "chat_completions"
context_window = 128000
"#;

const KIMI: &str = r#"default_model = "fake"
telemetry = false
[providers.fake]
type = "openai"
base_url = "{url}/v1"
api_key = "sk-test-0000"
[models.fake]
provider = "fake"
model = "fake-model"
max_context_size = 131072
"#;

const CLINE: &str = r#"{
  "version": 1,
  "lastUsedProvider": "openai-compatible",
  "modes": {},
  "providers": {"openai-compatible": {
    "settings": {
      "provider": "openai-compatible", "apiKey": "sk-test-0000", "model": "fake-model",
      "baseUrl": "{url}/v1"
    },
    "updatedAt": "2026-11-18T00:00:00.000Z",
    "tokenSource": "manual"
  }}
}
"#;

const CONTINUE: &str = "\
name: fake
version: 1.0.0
schema: v1
models:
  - name: Fake
    provider: openai
    model: fake-model
    apiBase: {url}/v1
    apiKey: sk-test-0000
    roles: [chat, edit, apply]
    capabilities: [tool_use]
";
