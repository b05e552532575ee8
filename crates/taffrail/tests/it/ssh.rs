//! `taffrail link ssh://HOST`: a real `sshd` on loopback, two homes, and no hub.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

mod boards;
mod errors;
mod lists;

use serde_json::Value;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use taffrail_testkit::claude::talk;
use taffrail_testkit::{Home, Output, Run, SshServer, until_every};

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
const LOOK: Duration = Duration::from_millis(50);
/// The session on the tower.
const SESSION: &str = "11111111-1111-4111-8111-111111111111";

/// A laptop, and a tower that it reaches by SSH. Only a person at a terminal decides on the tower.
struct World {
    laptop: Home,
    tower: Home,
    server: SshServer,
}

impl World {
    fn new() -> Self {
        let (laptop, tower) = (Home::new(PROGRAM), Home::strict(PROGRAM));
        let project = tower.path("open");
        std::fs::create_dir(&project).unwrap();
        write(&tower, &talk(SESSION, 0, 4).replace("/w/app", project.to_str().unwrap()));
        let server = SshServer::start(&tower, Path::new(PROGRAM));
        Self { laptop, tower, server }
    }

    /// `taffrail link` with the tower's address on the laptop.
    fn command(&self, words: &[&str]) -> Command {
        let address = self.server.address();
        let mut command = self.laptop.command(&[&["link", &address], words].concat());
        command.env("PATH", self.path());
        command
    }

    fn path(&self) -> String {
        format!("{}:/usr/bin:/bin", self.server.client().display())
    }

    fn link(&self, words: &[&str]) -> Output {
        output(self.command(words))
    }

    /// The tower's daemon, ended with the test.
    fn daemon(&self) -> Run {
        let run = self.tower.spawn(&["daemon", "run"]);
        until_every(LOOK, "the daemon", || {
            let status: Value = self.tower.json(&["daemon", "status", "--json"]);
            status["running"].as_bool().filter(|it| *it)
        });
        run
    }
}

impl Drop for World {
    fn drop(&mut self) {
        // A daemon that the far end started would outlive the test.
        drop(self.tower.run(&["daemon", "stop"]));
    }
}

/// Writes the tower's session.
fn write(tower: &Home, text: &str) {
    tower.write(&format!(".claude/projects/-open/{SESSION}.jsonl"), text);
}

fn output(mut command: Command) -> Output {
    let output = command.output().unwrap();
    Output {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}
