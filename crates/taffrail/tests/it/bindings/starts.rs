//! `new` starts an agent in tmux, and `stop` ends it; any other process is left alone.

use super::daemon;
use super::evidence::Agent;
use super::history::{self, SESSION};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;
use taffrail_testkit::{Home, until};

/// A home with an agent that reports itself, and a tmux server that ends with the test.
struct Started(Home);

impl Started {
    fn run(&self, words: &[&str]) -> (i32, String, String) {
        let mut command = self.0.command(words);
        let usual = command.get_envs().find(|(name, _)| *name == "PATH");
        let usual = usual.and_then(|it| it.1).unwrap().to_str().unwrap().to_owned();
        command.env("PATH", format!("{}:{usual}", self.0.path("bin").display()));
        let output = self.tmux_of(&mut command).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    fn tmux_of<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.env("TMUX_TMPDIR", self.0.path("sockets")).env_remove("TMUX")
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        self.tmux_of(Command::new("tmux").arg("kill-server")).output().ok();
    }
}

#[test]
fn an_agent_is_started_in_tmux_and_stopped() {
    let it = Started(history::home());
    it.0.index();
    let script = Agent::script(&it.0, SESSION);
    let text = std::fs::read_to_string(&script).unwrap();
    let text = text.replace("#!/bin/sh", "#!/bin/bash");
    std::fs::write(&script, text.replace("read x", "exec -a claude sleep 600")).unwrap();
    std::fs::create_dir(it.0.path("sockets")).unwrap();
    let _daemon = daemon(&it.0);
    let new = ["new", "claude", "fix it", "--tmux"];
    let (code, commands, _) = it.run(&[&new[..], &["--dry-run"]].concat());
    assert!(code == 0 && commands.contains("-- claude 'fix it'"), "{commands}");
    assert_eq!(std::fs::read_dir(it.0.path("sockets")).unwrap().count(), 0, "it started a server");
    let (code, said, why) = it.run(&[&new[..], &["--json"]].concat());
    assert_eq!(code, 0, "{why}");
    let said: Value = serde_json::from_str(&said).unwrap();
    let executor = &said["tmux"]["executor"];
    assert!(executor.as_str().unwrap().starts_with("tmux:"), "{executor}");
    let pid = until("its process", || it.0.session(SESSION)["pid"].as_u64());

    let (code, shown, _) = it.run(&["stop", SESSION, "--dry-run"]);
    assert!(code == 0 && shown.contains(&format!("process {pid}")), "{shown}");
    let process = PathBuf::from(format!("/proc/{pid}"));
    assert!(process.exists(), "a dry run ended it");
    let (code, said, why) = it.run(&["stop", SESSION, "--yes", "--json"]);
    assert_eq!(code, 0, "{why}");
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&said["stopped"], &said["pid"]), (&true.into(), &pid.into()));
    until("its end", || (!process.exists()).then_some(()));
    let (code, _, why) = it.run(&["stop", SESSION, "--yes"]);
    assert_eq!(code, 6, "{why}");
}

#[test]
fn a_process_in_a_terminal_of_its_own_is_not_stopped() {
    let it = Started(history::home());
    it.0.index();
    let agent = Agent::start(&it.0, SESSION);
    until("its process", || it.0.session(SESSION)["pid"].is_u64().then_some(()));
    let (code, _, why) = it.run(&["stop", SESSION, "--yes"]);
    assert_eq!(code, 6, "{why}");
    assert!(why.contains("neither in tmux nor under `taffrail run`"), "{why}");
    assert!(agent.is_running());
    agent.end();
}
