//! The world of a page: clean homes on a machine of their own, and what its reader already has.
//!
//! The network has only loopback, and all processes end with the machine, so that a page may start
//! daemons and servers at fixed ports.

use super::page::{LAPTOP, Step};
use super::started::Started;
use super::{PROGRAM, sessions};
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use taffrail_testkit::agents::Namespace;
use taffrail_testkit::{Home, hubs, until_every};

/// The interval between two polls of the program.
const LOOK: Duration = Duration::from_millis(50);
/// A commit that is the same on every device.
const COMMIT: &str = "git init -q -b main && echo one > a && git add a && \
    GIT_COMMITTER_DATE='2026-10-01T00:00:00Z' git -c user.name=ann -c user.email=ann@example.org \
    commit -q -m one --date '2026-10-01T00:00:00Z'";

/// The machine, its homes, and what happened so far.
#[derive(Debug)]
pub(crate) struct World {
    // These end before the homes are removed.
    /// Processes that run for as long as the page lasts.
    pub(crate) running: Vec<Started>,
    namespace: Namespace,
    devices: Vec<(&'static str, Home)>,
    /// The folder of the next command.
    pub(crate) folder: PathBuf,
    /// Everything that commands printed.
    pub(crate) printed: String,
    /// The values of placeholders.
    pub(crate) values: Vec<(&'static str, String)>,
    requests: u32,
}

impl World {
    /// A laptop with an empty home, on which these steps were done.
    pub(crate) fn new(steps: &[Step]) -> Self {
        let mut world = Self {
            running: Vec::new(),
            namespace: Namespace::new(),
            devices: Vec::new(),
            folder: PathBuf::new(),
            printed: String::new(),
            values: Vec::new(),
            requests: 0,
        };
        world.add(LAPTOP);
        world.folder = world.device(LAPTOP).root().to_owned();
        steps.iter().for_each(|step| world.step(step));
        world
    }

    /// The home on a device.
    pub(crate) fn device(&self, name: &str) -> &Home {
        let mut devices = self.devices.iter();
        devices.find(|it| it.0 == name).map(|it| &it.1).unwrap()
    }

    /// A program in the folder of the page, with the environment of a person.
    pub(crate) fn command(&self, device: &str, program: &str) -> Command {
        let home = self.device(device);
        let mut command = home.any_command(Path::new(program), &self.folder);
        let ours = Path::new(PROGRAM).parent().unwrap();
        let rest = std::env::var("PATH").unwrap();
        let path = format!("{}:{}:{rest}", home.path("bin").display(), ours.display());
        command.env("PATH", path).env("SHELL", "/bin/bash").env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8").env("PAGER", "cat");
        command
    }

    /// Does one step.
    pub(crate) fn step(&mut self, step: &Step) {
        match *step {
            Step::Sessions => sessions::recorded(self.device(LAPTOP)),
            Step::Recent => sessions::recent(self.device(LAPTOP)),
            Step::Repository(device) => self.repository(device),
            Step::Upstream => self.shell("upstream/taffrail", COMMIT),
            Step::Committed(file) => self.committed(file),
            Step::Program(name) => self.program(name, "#!/bin/sh\nexit 0\n"),
            Step::NatsServer => {
                let server = hubs::nats_server();
                self.program(
                    "nats-server",
                    &format!("#!/bin/sh\nexec {} \"$@\"\n", server.display()),
                );
            }
            Step::Folder(below) => fs::create_dir(self.folder.join(below)).unwrap(),
            Step::File(below, text) => write_program(&self.folder.join(below), text),
            Step::Run(device, arguments) => drop(self.device(device).ok(arguments)),
            Step::Daemon(device) => {
                self.device(device).ok(&["daemon", "start"]);
                until_every(LOOK, "the history to be read", || has_read(self.device(device)));
            }
            Step::Device(name) => self.add(name),
            Step::Member(name, user) => self.member(name, user),
            Step::Hub => self.hub(),
            Step::Request => self.request(),
            Step::Until(device, arguments, pointer) => {
                let home = self.device(device);
                until_every(LOOK, pointer, || field(home, arguments, pointer));
            }
            Step::Forget => self.values.clear(),
        }
    }

    fn add(&mut self, name: &'static str) {
        let mut home = Home::new(PROGRAM);
        home.lead_through(self.namespace.way_in());
        self.devices.push((name, home));
    }

    fn member(&mut self, name: &'static str, user: &str) {
        self.add(name);
        let (admin, new) = (self.device(LAPTOP), self.device(name));
        let invite = match user {
            "" => admin.json(&["device", "invite", "--json"]),
            _ => admin.json(&["device", "invite", "--for", user, "--json"]),
        };
        let invite = invite["invite"].as_str().unwrap();
        let asked = new.json(&["device", "join", invite, "--name", name, "--json"]);
        admin.ok(&["device", "approve", asked["request"].as_str().unwrap(), "--yes"]);
    }

    fn hub(&self) {
        let folder = self.device(LAPTOP).path("hub");
        fs::create_dir_all(&folder).unwrap();
        for (_, home) in &self.devices {
            home.ok(&["hub", "use", &format!("file://{}", folder.display())]);
        }
    }

    fn repository(&self, device: &str) {
        let folder = self.device(device).path("src/app");
        fs::create_dir_all(&folder).unwrap();
        self.shell(folder.to_str().unwrap(), COMMIT);
        if device == LAPTOP {
            fs::write(folder.join("a"), "two\n").unwrap();
        }
    }

    fn committed(&self, file: &str) {
        let lines: String = (1..=200).map(|it| format!("line {it}\n")).collect();
        write_program(&self.folder.join(file), &lines);
        self.shell(
            "",
            &COMMIT.replace("echo one > a", "true").replace("add a", &format!("add {file}")),
        );
        // Whoever commits by hand has a name.
        self.shell("", "git config user.name Ann && git config user.email ann@example.org");
    }

    fn shell(&self, below: &str, script: &str) {
        let folder = self.device(LAPTOP).path(below);
        fs::create_dir_all(&folder).unwrap();
        let mut command = self.device(LAPTOP).any_command(Path::new("sh"), &folder);
        let output = command.args(["-c", script]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{script}: {said}");
    }

    /// Puts a program on the path of every device.
    fn program(&self, name: &str, text: &str) {
        for (_, home) in &self.devices {
            write_program(&home.path("bin").join(name), text);
        }
    }

    /// An agent's hook asks and waits for its answer.
    fn request(&mut self) {
        self.values.clear();
        let home = self.device(LAPTOP);
        if field(home, &["approvals", "--json"], "/approvals/0/id").is_some() {
            return;
        }
        let command = format!("npm test -- --part {}", self.requests);
        let payload = json!({"session_id": sessions::RECENT, "tool_name": "Bash",
            "hook_event_name": "PermissionRequest", "tool_input": {"command": command},
            "cwd": home.path("src/api"), "permission_mode": "default"});
        let mut hook = home.command(&["hook", "claude-code"]);
        hook.env("CLAUDE_CODE_ENTRYPOINT", "cli").stdin(Stdio::piped());
        let mut hook = Started::new(hook, home.path(".asked"));
        hook.stdin().write_all(payload.to_string().as_bytes()).unwrap();
        until_every(LOOK, "a request", || field(home, &["approvals", "--json"], "/approvals/0/id"));
        self.running.push(hook);
        self.requests += 1;
    }
}

/// A field in the reply of a command, if both are there.
pub(crate) fn field(home: &Home, arguments: &[&str], pointer: &str) -> Option<String> {
    let reply: Value = serde_json::from_str(&home.run(arguments).stdout).ok()?;
    reply.pointer(pointer)?.as_str().map(str::to_owned)
}

/// Whether a daemon answers and has read the history.
pub(crate) fn has_read(home: &Home) -> Option<()> {
    let reply: Value =
        serde_json::from_str(&home.run(&["daemon", "status", "--json"]).stdout).ok()?;
    (reply["running"] == true && reply["reading"].is_null()).then_some(())
}

fn write_program(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}
