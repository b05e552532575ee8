//! Real agents in an editor, behind our pipe: a request is answered from the desk while the editor's
//! dialog is open, and it is at the session that the agent itself names.

mod bytes;

use crate::agents::PROGRAM;
use crate::agents::stage::{GUARDED, PAUSE, runs};
use serde_json::{Value, json};
use std::path::PathBuf;
use taffrail_testkit::agents::{Agent, Machine, Package, packages, program_of};
use taffrail_testkit::model::{Say, text};
use taffrail_testkit::{Editor, until_every};

/// An agent that speaks the protocol.
struct Speaker {
    id: &'static str,
    program: Program,
    arguments: &'static [&'static str],
    environment: &'static [(&'static str, &'static str)],
    /// Its configuration, with `@PORT@`.
    config: Option<(&'static str, &'static str)>,
    /// How an editor signs in, if it has to.
    signs_in: Option<&'static str>,
    call: fn() -> Say,
}

enum Program {
    Prepared(Agent),
    Package(Package),
}

fn bash() -> Say {
    Say::Tool("bash".to_owned(), json!({ "command": GUARDED, "description": "A scripted command" }))
}

const OPENCODE_CONFIG: &str = r#"{"autoupdate":false,"share":"disabled","model":"fake/fake-model",
"small_model":"fake/fake-model","enabled_providers":["fake"],"permission":{"bash":"ask"},
"provider":{"fake":{"npm":"@ai-sdk/openai-compatible","name":"Fake",
"options":{"baseURL":"http://127.0.0.1:@PORT@/v1","apiKey":"fake"},
"models":{"fake-model":{"name":"Fake Model","tool_call":true,
"limit":{"context":131072,"output":8192}}}}}}"#;

const GEMINI: Speaker = Speaker {
    id: "gemini-cli",
    program: Program::Prepared(Agent::Gemini),
    arguments: &["-m", "gemini-2.5-pro", "--acp"],
    environment: &[],
    config: None,
    signs_in: Some("gemini-api-key"),
    call: || Say::Guarded(GUARDED.to_owned()),
};

const GOOSE: Speaker = Speaker {
    id: "goose",
    program: Program::Prepared(Agent::Goose),
    arguments: &["acp", "--with-builtin", "developer"],
    environment: &[("GOOSE_MODE", "approve")],
    config: None,
    signs_in: None,
    call: || Say::Guarded(GUARDED.to_owned()),
};

const OPENCODE: Speaker = Speaker {
    id: "opencode",
    program: Program::Package(packages::OPENCODE),
    arguments: &["acp"],
    environment: &[
        ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
        ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
        ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
    ],
    config: Some((".config/opencode/opencode.json", OPENCODE_CONFIG)),
    signs_in: None,
    call: bash,
};

const COPILOT: Speaker = Speaker {
    id: "copilot-cli",
    program: Program::Package(packages::COPILOT),
    arguments: &["--acp"],
    environment: &[
        ("COPILOT_OFFLINE", "true"),
        ("COPILOT_AUTO_UPDATE", "false"),
        ("COPILOT_PROVIDER_BASE_URL", "http://127.0.0.1:@PORT@/v1"),
        ("COPILOT_PROVIDER_API_KEY", "sk-test-0000"),
        ("COPILOT_MODEL", "fake-model"),
    ],
    config: None,
    signs_in: None,
    call: bash,
};

impl Speaker {
    /// The editor, with the agent behind our pipe, started by these words.
    fn editor(&self, machine: &Machine, words: &[&str]) -> Editor {
        let port = machine.model().port().to_string();
        let filled = |text: &str| text.replace("@PORT@", &port);
        if let Some((file, text)) = self.config {
            machine.home().write(file, filled(text));
        }
        let mut command = machine.command(PROGRAM);
        command.args(["acp", "--agent", self.id, "--"]).args(words).arg(self.program(machine));
        command.args(self.arguments);
        if let Program::Prepared(agent) = self.program {
            command.envs(machine.environment(agent));
        }
        command.envs(self.environment.iter().map(|(name, it)| (name, filled(it))));
        Editor::start(command)
    }

    fn program(&self, machine: &Machine) -> PathBuf {
        match &self.program {
            Program::Prepared(agent) => {
                machine.prepare(*agent);
                program_of(&agent.package())
            }
            Program::Package(package) => program_of(package),
        }
    }
}

fn requests(machine: &Machine) -> Vec<Value> {
    let mut all = machine.home().json(&["approvals", "--all", "--json"]);
    serde_json::from_value(all["approvals"].take()).unwrap()
}

/// Opens a session, and returns its id.
fn begin(machine: &Machine, speaker: &Speaker, editor: &mut Editor) -> Value {
    let files = json!({"readTextFile": false, "writeTextFile": false});
    let hello = json!({"protocolVersion": 1, "clientInfo": {"name": "editor", "version": "1"},
        "clientCapabilities": {"fs": files, "terminal": false}});
    editor.call("initialize", hello);
    if let Some(method) = speaker.signs_in {
        editor.call("authenticate", json!({ "methodId": method }));
    }
    let place = json!({"cwd": machine.project(), "mcpServers": []});
    editor.call("session/new", place)["sessionId"].clone()
}

/// Opens a session and prompts it, up to a request; answers the request, and returns the reason for
/// which the turn ended.
fn turn(machine: &Machine, speaker: &Speaker, word: &str) -> Value {
    let mut editor = speaker.editor(machine, &[]);
    let session = begin(machine, speaker, &mut editor);
    let prompt = json!([{"type": "text", "text": "Make it [[scenario:guarded]]"}]);
    let asked = editor.ask("session/prompt", json!({"sessionId": session, "prompt": prompt}));
    let dialog = editor.wait_for("session/request_permission");
    assert_eq!(dialog["params"]["sessionId"], session);
    let request = until_every(PAUSE, "the request", || requests(machine).pop());
    check(machine, (speaker, &session), &request);
    machine.home().ok(&[word, request["id"].as_str().unwrap()]);
    let cancelled = editor.wait_for("$/cancel_request");
    assert_eq!(cancelled["params"]["requestId"], dialog["id"]);
    let reason = editor.answer(asked)["stopReason"].clone();
    // The editor answers late, which the agent does not see.
    let outcome = json!({"outcome": {"outcome": "cancelled"}});
    editor.say(&json!({"jsonrpc": "2.0", "id": dialog["id"], "result": outcome}));
    reason
}

/// The request names what the agent would do, and is at the agent's own session.
fn check(machine: &Machine, (speaker, session): (&Speaker, &Value), request: &Value) {
    assert_eq!((&request["state"], &request["agent"]), (&json!("pending"), &json!(speaker.id)));
    assert_eq!(request["sources"], json!(["acp"]));
    assert_eq!(request["project_path"], json!(machine.project()));
    let command = request["command"].as_str().unwrap();
    assert!(command.starts_with(GUARDED), "{command}");
    let found = until_every(PAUSE, "the session to wait", || {
        let mut all = machine.home().sessions().into_iter();
        all.find(|it| it["runtime_session_id"] == *session && it["status"] == "waiting_approval")
    });
    assert_eq!(found["id"], request["session_id"], "{found}");
}

fn play(speaker: &Speaker) {
    for (word, is_made) in [("approve", true), ("deny", false)] {
        let machine = Machine::new(PROGRAM);
        let asks = vec![(speaker.call)()];
        machine.model().script("guarded", vec![asks, text("That is all.")]);
        let _daemon = machine.home().spawn(&["daemon", "run"]);
        until_every(PAUSE, "the daemon", || runs(&machine).then_some(()));
        let reason = turn(&machine, speaker, word);
        assert_eq!(machine.project().join("made.txt").exists(), is_made, "{word}: {reason}");
        if is_made {
            assert_eq!(reason, "end_turn");
        }
    }
}

#[test]
fn gemini_is_answered_behind_an_editor() {
    play(&GEMINI);
}

#[test]
fn goose_is_answered_behind_an_editor() {
    play(&GOOSE);
}

#[test]
fn opencode_is_answered_behind_an_editor() {
    play(&OPENCODE);
}

#[test]
fn copilot_is_answered_behind_an_editor() {
    play(&COPILOT);
}
