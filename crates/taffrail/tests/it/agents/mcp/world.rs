//! The agents that ask, as data, and the session that they ask about.

use crate::agents::stage::{PAUSE, runs};
use serde_json::{Value, json};
use std::fs;
use std::process::Command;
use taffrail_testkit::agents::{Agent, Machine, packages};
use taffrail_testkit::claude::{Line, path};
use taffrail_testkit::{Run, until_every};

/// The session that is asked about, by its agent's id.
pub(super) const SESSION: &str = "8f3a0000-0000-4000-8000-000000000001";
/// A file that it changed, and an error that it met.
pub(super) const FILE: &str = "/w/app/lamp.py";
pub(super) const ERROR: &str = "NameError: wick is not trimmed";

/// Where Taffrail listens in the tests over HTTP.
const ADDRESS: &str = "127.0.0.1:4417";
const TOKEN: &str = "TAFFRAIL_TOKEN";

/// How an agent reaches Taffrail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// It starts the server, and no daemon runs.
    Alone,
    /// It starts the server, which asks the daemon.
    Daemon,
    /// It asks the daemon over HTTP.
    Http,
}

impl Way {
    /// Starts what is needed.
    pub(super) fn begin(self, machine: &Machine) -> Option<Run> {
        let words: &[&str] = match self {
            Self::Alone => return None,
            Self::Daemon => &["daemon", "run"],
            Self::Http => &["daemon", "run", "--http", ADDRESS],
        };
        let daemon = machine.home().spawn(words);
        until_every(PAUSE, "the daemon", || runs(machine).then_some(()));
        Some(daemon)
    }
}

/// An agent that asks.
pub(super) struct Asker {
    pub(super) id: &'static str,
    program: Program,
    /// The file that `mcp install` changes.
    pub(super) settings: &'static str,
    /// The arguments before a prompt.
    arguments: &'static [&'static str],
    /// Its own command that registers a server over HTTP: `{url}` and `{token}` are filled in.
    registers: Option<&'static [&'static str]>,
    /// The call with which it looks for tools that it does not show at once.
    pub(super) looks_for_tools: Option<(&'static str, &'static str)>,
}

enum Program {
    Prepared(Agent),
    OpenCode,
}

/// The agents.
pub(super) const ASKERS: &[Asker] = &[
    Asker {
        id: "claude-code",
        program: Program::Prepared(Agent::Claude),
        settings: ".claude.json",
        arguments: &["--allowedTools", "mcp__taffrail", "-p"],
        registers: Some(&[
            "mcp",
            "add",
            "--transport",
            "http",
            "-s",
            "user",
            "taffrail",
            "{url}",
            "--header",
            "Authorization: Bearer {token}",
        ]),
        looks_for_tools: None,
    },
    Asker {
        id: "codex",
        program: Program::Prepared(Agent::Codex),
        settings: ".codex/config.toml",
        arguments: &["exec", "--skip-git-repo-check"],
        registers: Some(&[
            "mcp",
            "add",
            "taffrail",
            "--url",
            "{url}",
            "--bearer-token-env-var",
            TOKEN,
        ]),
        looks_for_tools: Some(("tool_search", r#"{"query": "search past sessions", "limit": 8}"#)),
    },
    Asker {
        id: "gemini-cli",
        program: Program::Prepared(Agent::Gemini),
        settings: ".gemini/settings.json",
        arguments: &["-m", "gemini-2.5-pro", "--approval-mode", "yolo", "-p"],
        registers: Some(&[
            "mcp",
            "add",
            "--transport",
            "http",
            "-s",
            "user",
            "-H",
            "Authorization: Bearer {token}",
            "taffrail",
            "{url}",
        ]),
        looks_for_tools: None,
    },
    Asker {
        id: "opencode",
        program: Program::OpenCode,
        settings: ".config/opencode/opencode.json",
        arguments: &["run", "--auto"],
        registers: None,
        looks_for_tools: None,
    },
];

impl Asker {
    /// Writes its settings.
    pub(super) fn prepare(&self, machine: &Machine) {
        match self.program {
            Program::Prepared(agent) => machine.prepare(agent),
            Program::OpenCode => {
                let url = format!("http://127.0.0.1:{}/v1", machine.model().port());
                machine.home().write(self.settings, OPENCODE.replace("{url}", &url));
            }
        }
    }

    /// Registers the server.
    pub(super) fn register(&self, machine: &Machine, way: Way) {
        match (way, self.registers) {
            (Way::Alone | Way::Daemon, _) => {
                machine.home().ok(&["mcp", "install", "--agent", self.id, "--yes"]);
            }
            (Way::Http, Some(words)) => {
                let words = words.iter().map(|it| filled(machine, it));
                drop(ran(self.command(machine).args(words)));
            }
            (Way::Http, None) => self.register_by_file(machine),
        }
    }

    /// OpenCode's own command asks questions.
    fn register_by_file(&self, machine: &Machine) {
        let file = machine.home().path(self.settings);
        let mut settings: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        let header = filled(machine, "Bearer {token}");
        settings["mcp"] = json!({"taffrail": {"type": "remote", "url": filled(machine, "{url}"),
            "oauth": false, "headers": {"Authorization": header}}});
        fs::write(file, settings.to_string()).unwrap();
    }

    /// Runs a prompt, and returns what the agent says.
    pub(super) fn asks(&self, machine: &Machine, prompt: &str) -> String {
        ran(self.command(machine).args(self.arguments).arg(prompt))
    }

    fn command(&self, machine: &Machine) -> Command {
        let mut command = match self.program {
            Program::Prepared(agent) => machine.agent(agent, &[]),
            Program::OpenCode => machine.package(&packages::OPENCODE),
        };
        let off = ["AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS"];
        command.envs(off.map(|it| (format!("OPENCODE_DISABLE_{it}"), "1")));
        command.env(TOKEN, token(machine));
        command
    }
}

fn token(machine: &Machine) -> String {
    machine.home().run(&["token", "--show"]).stdout.trim().to_owned()
}

fn filled(machine: &Machine, word: &str) -> String {
    word.replace("{url}", &format!("http://{ADDRESS}/mcp")).replace("{token}", &token(machine))
}

fn ran(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {said}");
    said.into_owned()
}

/// A session of the past: it changes a file, meets an error, and gets past it.
pub(super) fn past(machine: &Machine) {
    let line = |number: u32| {
        let uuid: &'static str = Box::leak(format!("00000000-0000-4000-8000-{number:012}").into());
        Line { session: SESSION, uuid, parent: None, second: number }
    };
    let failed = json!({"type": "user", "message": {"role": "user", "content": [{
        "type": "tool_result", "tool_use_id": "c2", "is_error": true, "content": ERROR}]}});
    let text = [
        line(1).prompt("Light the lantern"),
        line(2).call("c1", "Write", &json!({"file_path": FILE, "content": "lamp(wick)\n"})),
        line(3).result("c1", "written"),
        line(4).call("c2", "Bash", &json!({"command": "python lamp.py"})),
        line(5).with(&failed),
        line(6).answer("I trim the lantern's wick"),
        line(7).call("c3", "Bash", &json!({"command": "python lamp.py --trim"})),
        line(8).result("c3", "lit"),
        line(9).answer("The lantern is lit."),
    ];
    machine.home().write(&path(SESSION), text.concat());
}

const OPENCODE: &str = r#"{
  "autoupdate": false,
  "share": "disabled",
  "model": "fake/fake-model",
  "small_model": "fake/fake-model",
  "enabled_providers": ["fake"],
  "provider": {"fake": {
    "npm": "@ai-sdk/openai-compatible",
    "name": "Fake",
    "options": {"baseURL": "{url}", "apiKey": "sk-test-0000"},
    "models": {"fake-model": {
      "name": "Fake Model", "tool_call": true, "limit": {"context": 131072, "output": 8192}
    }}
  }}
}
"#;
