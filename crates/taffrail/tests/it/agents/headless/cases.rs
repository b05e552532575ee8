//! The agents, as data. `{url}` is the address of the model, `{home}` and `{project}` are folders,
//! `{prompt}` is the prompt, and `{resume}` the words with which Taffrail resumes a session: none in
//! the first turn.

mod npm;
mod python;

use std::process::Command;
use taffrail_testkit::agents::{Machine, Module, Package};

/// A published agent, and how it runs one prompt.
pub(super) struct Case {
    /// Its id.
    pub agent: &'static str,
    program: Program,
    /// Files below its home, with their content.
    files: &'static [(&'static str, &'static str)],
    environment: &'static [(&'static str, &'static str)],
    arguments: &'static [&'static str],
    pub tools: Tools,
    /// The model that a session names.
    pub model: &'static str,
    pub project: Project,
    id: Id,
}

/// How it is installed.
enum Program {
    Npm(Package),
    Python(Module),
}

/// A tool and its input.
type Call = (&'static str, &'static str);

/// The tools that a turn needs.
#[derive(Clone, Copy)]
pub(super) enum Tools {
    /// It has none.
    Nothing,
    /// One that runs a command.
    Shell(Call),
    /// One that runs a command, and one without which a turn does not end.
    ShellAndEnd(Call, Call),
}

/// What its history says of the project.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Project {
    /// Its path.
    Named,
    /// Nothing that is a path.
    Unnamed,
    /// The history is inside the project, which a session of Claude Code names.
    Holds,
}

/// Where an agent itself names the id of a session.
enum Id {
    /// In its output.
    Output,
    /// In the name of a file below its home, as `{id}`.
    File(&'static str),
    /// Nowhere: Taffrail makes one of a time in this file below its home.
    Time(&'static str),
}

/// The agents, by how they are installed.
pub(super) const CASES: [&[Case]; 2] = [npm::CASES, python::CASES];

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
            Id::Time(below) => {
                let text = std::fs::read_to_string(machine.home().path(below)).unwrap();
                text.replace([' ', ':'], "-").contains(id.trim_start_matches("run-"))
            }
        }
    }

    /// The command that runs a prompt.
    pub(super) fn command(&self, machine: &Machine, prompt: &str, resume: &[String]) -> Command {
        let mut command = match &self.program {
            Program::Npm(package) => machine.package(package),
            Program::Python(module) => machine.module(module),
        };
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
