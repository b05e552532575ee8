//! tmux servers outside tmux's default place, and concurrent starts in them.

use super::evidence::Agent;
use super::{binding, daemon, history};
use crate::bindings::history::SESSION;
use serde_json::{Value, json};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use taffrail_testkit::claude::{path, talk};
use taffrail_testkit::{Home, until};

/// A tmux server with a socket of its own, ended with the test.
struct Server {
    socket: PathBuf,
}

impl Server {
    fn tmux(&self, words: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command.env_remove("TMUX").arg("-S").arg(&self.socket).args(["-f", "/dev/null"]);
        let output = command.args(words).output().unwrap();
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        Command::new("tmux").arg("-S").arg(&self.socket).arg("kill-server").output().ok();
    }
}

#[test]
fn an_agent_in_a_tmux_of_another_folder_is_found_there() {
    let home = history::home();
    home.index();
    let script = Agent::script(&home, SESSION);
    let server = Server { socket: home.path("own.sock") };
    let folder = home.root().to_string_lossy().into_owned();
    let data = format!("XDG_DATA_HOME={folder}/.local/share");
    server.tmux(&["new-session", "-d", "-c", &folder, "-e", &data, &script]);
    let name = json!(format!("tmux:{}:%0", server.socket.display()));
    let is_there = || (binding(&home, SESSION)["current_executor_peer_id"] == name).then_some(());
    until("its pane, without a daemon", is_there);
    let _daemon = daemon(&home);
    until("its pane, by the daemon", || (home.session(SESSION)["executor"] == name).then_some(()));
}

/// A resumable session, with an agent that only reports that it was started.
struct Resumable {
    home: Home,
}

impl Resumable {
    fn new() -> Self {
        Self::in_folder("project")
    }

    fn in_folder(name: &str) -> Self {
        let home = Home::new(history::PROGRAM);
        let project = home.path(name);
        std::fs::create_dir_all(&project).unwrap();
        let talk = talk(SESSION, 0, 4).replace("/w/app", &project.to_string_lossy());
        home.write(&path(SESSION), talk);
        let starts = home.path("starts");
        let script = format!("#!/bin/sh\necho $$ >> '{}'\nexec sleep 600\n", starts.display());
        home.write("bin/claude", script);
        let executable = Permissions::from_mode(0o755);
        std::fs::set_permissions(home.path("bin/claude"), executable).unwrap();
        std::fs::create_dir(home.path("sockets")).unwrap();
        home.index();
        Self { home }
    }

    fn resume(&self, words: &[&str]) -> Command {
        let mut command = self.home.command(&[&["resume", SESSION], words].concat());
        let usual = command.get_envs().find(|(name, _)| *name == "PATH");
        let usual = usual.and_then(|(_, value)| value).map(|it| it.to_string_lossy().into_owned());
        let usual = usual.unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".to_owned());
        let path = format!("{}:{usual}", self.home.path("bin").display());
        command.env("PATH", path).env("TMUX_TMPDIR", self.home.path("sockets")).env_remove("TMUX");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// The processes of started agents.
    fn agents(&self) -> Vec<u32> {
        let said = std::fs::read_to_string(self.home.path("starts")).unwrap_or_default();
        said.lines().map(|it| it.parse().unwrap()).collect()
    }
}

fn end(agent: u32) {
    assert!(Command::new("kill").arg(agent.to_string()).status().unwrap().success());
    let stat = PathBuf::from(format!("/proc/{agent}/stat"));
    let is_over = |it: &Path| std::fs::read_to_string(it).is_ok_and(|it| it.contains(") Z "));
    until("its end", || (!stat.exists() || is_over(&stat)).then_some(()));
}

impl Drop for Resumable {
    fn drop(&mut self) {
        let mut tmux = Command::new("tmux");
        tmux.env("TMUX_TMPDIR", self.home.path("sockets")).env_remove("TMUX");
        tmux.arg("kill-server").output().ok();
    }
}

#[test]
fn a_session_resumed_in_tmux_is_named_with_the_server_it_is_in() {
    let it = Resumable::new();
    let output = it.resume(&["--tmux", "--json"]).stdout(Stdio::piped()).output().unwrap();
    let reply: Value = serde_json::from_slice(&output.stdout).unwrap();
    let executor = reply["executor"].as_str().unwrap();
    let folder = format!("tmux:{}/tmux-", it.home.path("sockets").display());
    assert!(executor.starts_with(&folder) && executor.ends_with("/default:%0"), "{executor}");
}

/// tmux runs `#(…)` in the folder argument as a command.
#[test]
fn a_folders_name_runs_nothing() {
    let it = Resumable::in_folder("p#(touch pwned)");
    let said = it.home.path("here");
    let script = format!("#!/bin/sh\npwd > '{}'\nexec sleep 600\n", said.display());
    it.home.write("bin/claude", script);
    assert!(it.resume(&["--tmux"]).status().unwrap().success());
    let here =
        until("the agent", || std::fs::read_to_string(&said).ok().filter(|it| !it.is_empty()));
    assert_eq!(here.trim(), it.home.path("p#(touch pwned)").to_string_lossy());
    let mut folders = vec![it.home.root().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            assert!(!path.ends_with("pwned"), "{}", path.display());
            folders.extend(path.is_dir().then_some(path));
        }
    }
}

/// The exit status of a process, once it has ended.
fn ended(child: &mut Child) -> Option<ExitStatus> {
    child.try_wait().unwrap()
}

#[test]
fn two_who_resume_a_session_at_once_start_one_agent() {
    let it = Resumable::new();
    for round in 1..=3 {
        let mut here = it.resume(&[]).spawn().unwrap();
        let in_tmux = it.resume(&["--tmux"]).status().unwrap();
        let settled = || match in_tmux.success() {
            true => ended(&mut here).map(|how| how.code()),
            false => (it.agents().len() == round).then_some(None),
        };
        let refused = until("one of them is refused", settled);
        assert_eq!(refused.unwrap_or(6), 6, "round {round}");
        let agents = until("the agent", || {
            let all = it.agents();
            (all.len() == round).then_some(all)
        });
        // Later attempts are refused as well, while the agent runs.
        assert_eq!(it.resume(&[]).status().unwrap().code(), Some(6), "round {round}");
        assert_eq!(it.resume(&["--tmux"]).status().unwrap().code(), Some(6), "round {round}");
        assert_eq!(it.agents().len(), round);
        end(*agents.last().unwrap());
        here.wait().unwrap();
    }
}

#[test]
fn a_terminal_resume_that_succeeded_was_running_for_ever() {
    let it = Resumable::new();
    let mut here = it.resume(&[]).spawn().unwrap();
    let agents = until("the agent", || Some(it.agents()).filter(|all| !all.is_empty()));
    let read = || it.home.json(&["link", SESSION, "--operations", "--json"])["operations"].clone();
    let told = &read()[0];
    let how = ["kind", "strategy", "via", "state"].map(|name| told[name].as_str().unwrap());
    assert_eq!(how, ["session.acquire_executor", "native_resume", "terminal", "done"]);
    assert_eq!(told["pid"], agents[0]);
    assert!(told["result"].is_string() && told["result"] == told["peer_id"], "{told}");
    end(agents[0]);
    here.wait().unwrap();
    // It may be resumed again at once, and the first attempt stays done.
    let mut again = it.resume(&[]).spawn().unwrap();
    until("the agent again", || (it.agents().len() == 2).then_some(()));
    let states: Vec<_> = read().as_array().unwrap().iter().map(|it| it["state"].clone()).collect();
    assert_eq!(states, ["done", "done"]);
    end(it.agents()[1]);
    again.wait().unwrap();
    let text = it.home.ok(&["link", SESSION, "--operations"]);
    assert!(text.contains("native_resume in terminal  done"), "{text}");
}

#[test]
fn a_resume_that_cannot_start_its_agent_is_a_failed_operation() {
    let it = Resumable::new();
    std::fs::remove_file(it.home.path("bin/claude")).unwrap();
    let mut command = it.resume(&[]);
    command.env("PATH", it.home.path("bin"));
    assert!(!command.status().unwrap().success());
    let told = it.home.json(&["link", SESSION, "--operations", "--json"])["operations"][0].clone();
    let failed = (&told["state"], &told["failure"]["kind"], &told["result"]);
    assert_eq!(failed, (&"failed".into(), &"start_failed".into(), &Value::Null), "{told}");
}
