//! The agents, as data. `{url}` is the address of the model, `{home}` and `{project}` are folders,
//! `{prompt}` is the prompt, and `{resume}` the words with which Taffrail resumes a session: none in
//! the first turn.

use std::process::Command;
use taffrail_testkit::agents::{Machine, Package, packages};

/// A published agent, and how it runs one prompt.
pub(super) struct Case {
    /// Its id.
    pub agent: &'static str,
    package: Package,
    /// Files below its home, with their content.
    files: &'static [(&'static str, &'static str)],
    environment: &'static [(&'static str, &'static str)],
    arguments: &'static [&'static str],
    /// Its tool that runs a command, and the input.
    pub tool: (&'static str, &'static str),
    /// The model that a session names.
    pub model: &'static str,
    id: Id,
}

/// Where an agent itself names the id of a session.
enum Id {
    /// In its output.
    Output,
    /// In the name of a file below its home, as `{id}`.
    File(&'static str),
}

const RESUME: &str = "{resume}";

impl Case {
    /// Writes its files.
    pub(super) fn prepare(&self, machine: &Machine) {
        for (below, content) in self.files {
            machine.home().write(below, filled(content, machine));
        }
    }

    /// Whether a session of it is resumed by an id.
    pub(super) fn resumes(&self) -> bool {
        self.arguments.contains(&RESUME)
    }

    /// Whether the agent itself calls its session so; `output` is what it printed.
    pub(super) fn names(&self, machine: &Machine, id: &str, output: &str) -> bool {
        match self.id {
            Id::Output => output.contains(&format!("\"{id}\"")),
            Id::File(below) => machine.home().path(&below.replace("{id}", id)).is_file(),
        }
    }

    /// The command that runs a prompt.
    pub(super) fn command(&self, machine: &Machine, prompt: &str, resume: &[String]) -> Command {
        let mut command = machine.package(&self.package);
        for word in self.arguments {
            match *word {
                RESUME => command.args(resume),
                word => command.arg(filled(word, machine).replace("{prompt}", prompt)),
            };
        }
        command.envs(self.environment.iter().map(|(name, it)| (name, filled(it, machine))));
        command
    }
}

fn filled(text: &str, machine: &Machine) -> String {
    let url = format!("http://127.0.0.1:{}", machine.model().port());
    text.replace("{url}", &url)
        .replace("{home}", machine.home().root().to_str().unwrap())
        .replace("{project}", machine.project().to_str().unwrap())
}

/// The agents.
pub(super) const CASES: &[Case] = &[
    Case {
        agent: "copilot-cli",
        package: packages::COPILOT,
        files: &[],
        environment: &[
            ("COPILOT_OFFLINE", "true"),
            ("COPILOT_AUTO_UPDATE", "false"),
            ("COPILOT_PROVIDER_BASE_URL", "{url}/v1"),
            ("COPILOT_PROVIDER_API_KEY", "sk-test-0000"),
            ("COPILOT_MODEL", "fake-model"),
        ],
        arguments: &[RESUME, "--output-format", "json", "--allow-all-tools", "-p", "{prompt}"],
        tool: ("bash", r#"{"command": "echo it-ran", "description": "A scripted command"}"#),
        model: "fake-model",
        id: Id::Output,
    },
    Case {
        agent: "opencode",
        package: packages::OPENCODE,
        files: &[(".config/opencode/opencode.json", OPENCODE)],
        environment: &[
            ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
            ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
            ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
            ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
        ],
        arguments: &["run", RESUME, "--auto", "--format", "json", "{prompt}"],
        tool: ("bash", r#"{"command": "echo it-ran", "description": "A scripted command"}"#),
        model: "fake-model",
        id: Id::Output,
    },
    Case {
        agent: "kilo",
        package: packages::KILO,
        files: &[(".config/kilo/kilo.json", OPENCODE)],
        environment: &[
            ("KILO_DISABLE_AUTOUPDATE", "1"),
            ("KILO_DISABLE_MODELS_FETCH", "1"),
            ("KILO_DISABLE_LSP_DOWNLOAD", "1"),
            ("KILO_DISABLE_DEFAULT_PLUGINS", "1"),
        ],
        arguments: &["run", RESUME, "--auto", "--format", "json", "{prompt}"],
        tool: ("bash", r#"{"command": "echo it-ran", "description": "A scripted command"}"#),
        model: "fake-model",
        id: Id::Output,
    },
    Case {
        agent: "qwen-code",
        package: packages::QWEN,
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
        tool: (
            "run_shell_command",
            r#"{"command": "echo it-ran", "description": "A command", "is_background": false}"#,
        ),
        model: "fake-model",
        id: Id::Output,
    },
    Case {
        agent: "pi",
        package: packages::PI,
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
        tool: ("bash", r#"{"command": "echo it-ran"}"#),
        model: "fake-model",
        id: Id::Output,
    },
    Case {
        agent: "grok-build",
        package: packages::GROK,
        files: &[(".grok/config.toml", GROK)],
        environment: &[],
        arguments: &[RESUME, "--always-approve", "--output-format", "json", "-p", "{prompt}"],
        tool: (
            "run_terminal_command",
            r#"{"command": "echo it-ran", "description": "A scripted command"}"#,
        ),
        model: "fake-model",
        id: Id::Output,
    },
    Case {
        agent: "kimi-code",
        package: packages::KIMI,
        files: &[(".kimi-code/config.toml", KIMI)],
        environment: &[],
        arguments: &["--output-format", "stream-json", "-p", "{prompt}"],
        tool: ("Bash", r#"{"command": "echo it-ran", "description": "A scripted command"}"#),
        model: "fake-model",
        id: Id::Output,
    },
    Case {
        agent: "cline",
        package: packages::CLINE,
        files: &[(".cline/data/settings/providers.json", CLINE)],
        environment: &[],
        arguments: &["--json", "{prompt}"],
        tool: ("run_commands", r#"{"commands": ["echo it-ran"]}"#),
        model: "fake-model",
        id: Id::File(".cline/data/sessions/{id}/{id}.json"),
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
