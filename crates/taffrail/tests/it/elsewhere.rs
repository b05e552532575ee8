//! A request on one device, answered on another: real hooks and daemons, and a directory as hub.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

mod answers;
mod prompts;

use serde_json::{Value, json};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;
use taffrail_testkit::claude::talk;
use taffrail_testkit::{Home, Run, until_every};

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
const LOOK: Duration = Duration::from_millis(50);
/// The session on the laptop, in a project whose requests other devices may answer.
pub(crate) const SESSION: &str = "11111111-1111-4111-8111-111111111111";
/// Another session there, in a project whose requests stay local.
pub(crate) const PRIVATE: &str = "22222222-2222-4222-8222-222222222222";

/// A laptop with two sessions, the other devices of its team, and their daemons.
pub(crate) struct World {
    pub(crate) laptop: Home,
    pub(crate) others: Vec<Home>,
    _hub: tempfile::TempDir,
    _daemons: Vec<Run>,
}

impl World {
    /// With other devices, each with its name and user.
    pub(crate) fn new(others: &[(&str, &str)]) -> Self {
        let hub = tempfile::tempdir().unwrap();
        let laptop = device("laptop", "ann@x.org");
        let others = others.iter().map(|(name, user)| {
            let home = device(name, user);
            take_in(&laptop, &home, user);
            home
        });
        let others: Vec<Home> = others.collect();
        for (session, folder) in [(SESSION, "open"), (PRIVATE, "closed")] {
            let project = laptop.path(folder);
            std::fs::create_dir(&project).unwrap();
            let text = talk(session, 0, 4).replace("/w/app", project.to_str().unwrap());
            laptop.write(&format!("{}/{session}.jsonl", folder_of(&project)), text);
        }
        let open = json!([laptop.path("open")]).to_string();
        laptop.ok(&["config", "set", "sync.remote", &open]);
        let homes = others.iter().chain([&laptop]);
        let daemons = homes.map(|home| daemon(home, hub.path())).collect();
        Self { laptop, others, _hub: hub, _daemons: daemons }
    }
}

/// A device of a user, in a team of its own.
fn device(name: &str, user: &str) -> Home {
    let home = Home::new(PROGRAM);
    home.ok(&["device", "init", "--name", name, "--user", user]);
    home
}

fn take_in(admin: &Home, new: &Home, user: &str) {
    let invite = admin.json(&["device", "invite", "--for", user, "--json"]);
    let asked = new.json(&["device", "join", invite["invite"].as_str().unwrap(), "--json"]);
    admin.ok(&["device", "approve", asked["request"].as_str().unwrap(), "--yes"]);
}

fn daemon(home: &Home, hub: &Path) -> Run {
    home.ok(&["hub", "use", &format!("file://{}", hub.display())]);
    let run = home.spawn(&["daemon", "run"]);
    until_every(LOOK, "the daemon to answer", || {
        let status = home.run(&["daemon", "status", "--json"]);
        let status: Value = serde_json::from_str(&status.stdout).ok()?;
        status["running"].as_bool().filter(|it| *it)
    });
    run
}

/// The agent's history folder of a project, below the home.
fn folder_of(project: &Path) -> String {
    let plain = |it: char| if it.is_ascii_alphanumeric() { it } else { '-' };
    let name: String = project.to_str().unwrap().chars().map(plain).collect();
    format!(".claude/projects/{name}")
}

/// A hook that waits for its answer.
pub(crate) struct Hook(Child);

impl Drop for Hook {
    fn drop(&mut self) {
        // The process may have ended by itself.
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

impl Hook {
    /// The answer to the agent.
    pub(crate) fn answer(mut self) -> String {
        let mut said = String::new();
        self.0.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        let said: Value = serde_json::from_str(&said).unwrap_or_else(|_| panic!("{said:?}"));
        said["hookSpecificOutput"]["decision"]["behavior"].as_str().unwrap().to_owned()
    }
}

/// A session on a device asks for approval of a command; returns its hook and the id of the
/// request.
pub(crate) fn asks(home: &Home, session: &str, command: &str) -> (Hook, String) {
    let folder = if session == PRIVATE { "closed" } else { "open" };
    let payload = json!({"session_id": session, "hook_event_name": "PermissionRequest",
        "tool_name": "Bash", "tool_input": {"command": command}, "cwd": home.path(folder),
        "permission_mode": "default"});
    let mut hook = home.command(&["hook", "claude-code"]);
    hook.env("CLAUDE_CODE_ENTRYPOINT", "cli").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = hook.spawn().unwrap();
    child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
    (Hook(child), wait_for(home, command)["id"].as_str().unwrap().to_owned())
}

/// The requests a device shows.
pub(crate) fn requests(home: &Home) -> Vec<Value> {
    home.json(&["approvals", "--json"])["approvals"].as_array().unwrap().clone()
}

/// Waits until a device shows the request of a command.
pub(crate) fn wait_for(home: &Home, command: &str) -> Value {
    until_every(LOOK, command, || requests(home).into_iter().find(|it| it["command"] == command))
}
