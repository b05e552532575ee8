//! An isolated machine for agents, Taffrail and a scripted model.

use super::claude::Account;
use super::{
    Module, Namespace, Package, claude, codex, gemini, goose, packages, program_of, python_of,
};
use crate::model::Model;
use crate::{Home, Output, Tmux};
use std::cell::Cell;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The project folder of agents, below the home.
pub const PROJECT: &str = "app";
/// The longest run without a screen, in seconds.
const LIMIT: &str = "300";

/// An agent that runs for real.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agent {
    /// Claude Code.
    Claude,
    /// Codex.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// Goose.
    Goose,
}

/// An isolated machine. Dropping it removes everything on it.
#[derive(Debug)]
pub struct Machine {
    // Dropped in this order: first all processes, then their home.
    namespace: Namespace,
    model: Model,
    home: Home,
    account: Cell<Account>,
}

impl Machine {
    /// Creates a machine for the program at this path, with a home for every agent.
    #[must_use]
    pub fn new(program: &str) -> Self {
        let namespace = Namespace::new();
        let model = Model::start(namespace.listen());
        let mut home = Home::new(program);
        home.lead_through(namespace.way_in());
        let machine = Self { namespace, model, home, account: Cell::default() };
        std::fs::create_dir_all(machine.project()).unwrap();
        std::fs::create_dir_all(machine.home.path("tmp")).unwrap();
        claude::seed(&machine);
        codex::seed(&machine);
        machine
    }

    /// Prepares the home for an agent that not every machine has.
    pub fn prepare(&self, agent: Agent) {
        match agent {
            Agent::Claude | Agent::Codex => {}
            Agent::Gemini => gemini::seed(self),
            Agent::Goose => goose::seed(self),
        }
    }

    /// Makes the person a subscriber: agents that start from now on have limits.
    pub fn subscribe(&self) {
        self.account.set(Account::Subscription);
    }

    /// The home and Taffrail on it; its commands run inside.
    #[must_use]
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// The model of every agent.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// The project folder of agents.
    #[must_use]
    pub fn project(&self) -> PathBuf {
        self.home.path(PROJECT)
    }

    /// A command that runs any program inside.
    #[must_use]
    pub fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = self.home.any_command(program.as_ref(), &self.project());
        command.env("TERM", "xterm-256color").env("LANG", "C.UTF-8").env("SHELL", "/bin/bash");
        command.env("PATH", "/usr/local/bin:/usr/bin:/bin").env("TMPDIR", self.home.path("tmp"));
        command.env_remove("NO_COLOR");
        command
    }

    /// A command that starts an agent with these arguments.
    #[must_use]
    pub fn agent(&self, agent: Agent, arguments: &[&str]) -> Command {
        let mut command = self.command(program_of(&agent.package()));
        command.args(arguments).envs(self.environment(agent));
        command
    }

    /// A command that runs the program of a package, and ends it if it does not end in time.
    #[must_use]
    pub fn package(&self, package: &Package) -> Command {
        let mut command = self.command("timeout");
        command.arg(LIMIT);
        let program = program_of(package);
        if matches!(program.extension().and_then(OsStr::to_str), Some("js" | "mjs")) {
            let node = program_of(&packages::NODE);
            let folder = node.parent().unwrap().display();
            command.env("PATH", format!("{folder}:/usr/local/bin:/usr/bin:/bin")).arg(node);
        }
        command.arg(program);
        command
    }

    /// A command that runs a module of Python, and ends it if it does not end in time.
    #[must_use]
    pub fn module(&self, module: &Module) -> Command {
        let mut command = self.command("timeout");
        command.arg(LIMIT).arg(python_of(module)).args(["-m", module.name]);
        command
    }

    /// Runs an agent to its end.
    #[must_use]
    pub fn run(&self, agent: Agent, arguments: &[&str]) -> Output {
        let output = self.agent(agent, arguments).output().unwrap();
        Output {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Starts an agent on its own screen, as a person uses it.
    #[must_use]
    pub fn on_screen(&self, agent: Agent, arguments: &[&str]) -> Tmux<'_> {
        Tmux::start(self, &program_of(&agent.package()), arguments, &self.environment(agent))
    }

    /// Starts another program on its own screen, with an agent installed as for a user.
    #[must_use]
    pub fn beside(&self, agent: Agent, program: &Path, arguments: &[&str]) -> Tmux<'_> {
        let folder = program_of(&agent.package()).parent().map(Path::to_owned).unwrap_or_default();
        let path = format!("{}:/usr/local/bin:/usr/bin:/bin", folder.display());
        let mut environment = self.environment(agent);
        environment.push(("PATH", path));
        Tmux::start(self, program, arguments, &environment)
    }

    /// Sends a signal to a process inside, by its pid there.
    pub fn signal(&self, signal: &str, pid: u32) {
        let status = self.command("/bin/kill").args([signal, &pid.to_string()]).status().unwrap();
        assert!(status.success(), "no signal {signal} for {pid}");
    }

    /// The environment of an agent, besides the home's.
    #[must_use]
    pub fn environment(&self, agent: Agent) -> Vec<(&'static str, String)> {
        let port = self.model.port();
        match agent {
            Agent::Claude => claude::environment(port, self.account.get()),
            Agent::Codex => codex::environment(),
            Agent::Gemini => gemini::environment(port),
            Agent::Goose => goose::environment(),
        }
    }

    /// The namespace of all processes.
    #[must_use]
    pub fn namespace(&self) -> &Namespace {
        &self.namespace
    }
}

impl Agent {
    /// The package it is installed from.
    #[must_use]
    pub fn package(self) -> super::Package {
        match self {
            Self::Claude => claude::PACKAGE,
            Self::Codex => codex::PACKAGE,
            Self::Gemini => gemini::PACKAGE,
            Self::Goose => goose::PACKAGE,
        }
    }
}
