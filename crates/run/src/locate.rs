//! Locates processes. The probe, bindings, prompts, notices and resuming all use it.

use crate::executor::executor_of;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use taffrail_capture::{Pane, PaneName, distinct_sockets, panes, tmux_server_of, tmux_servers};
use taffrail_context::Settings;

/// The location of a process, as far as it is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// Such as `tmux:%3`, `pty:416` or `process:417`; `None` when the process does not exist.
    pub executor: Option<String>,
    /// A tmux server did not answer in time, and the process may be in one of its panes.
    pub is_doubtful: bool,
}

impl Located {
    /// Whether no terminal for the process is known.
    pub fn is_bare(&self) -> bool {
        self.executor.as_ref().is_some_and(|it| it.starts_with("process:"))
    }
}

/// Whether text can be typed into an executor: a pane, or a terminal of ours. Into another process
/// nothing can be typed from here.
#[must_use]
pub fn accepts_text(executor: &str) -> bool {
    PaneName::of(executor).is_some() || run_of(executor).is_some()
}

/// The process of the run that an executor names.
#[must_use]
pub fn run_of(executor: &str) -> Option<u32> {
    executor.strip_prefix("pty:")?.parse().ok()
}

/// Locates these processes.
pub fn locate(settings: &Settings, pids: &[u32], within: Duration) -> HashMap<u32, Located> {
    located((&settings.runtime, &settings.variables), pids, within)
}

/// A server that only one process names is trusted for that process alone.
fn located(
    (runtime, variables): (&Path, &HashMap<String, String>),
    pids: &[u32],
    within: Duration,
) -> HashMap<u32, Located> {
    let usual = tmux_servers(variables);
    let named: HashMap<u32, PathBuf> =
        pids.iter().filter_map(|pid| Some((*pid, tmux_server_of(*pid)?))).collect();
    let all = usual.iter().chain(named.values()).cloned().collect();
    let said = panes(&distinct_sockets(all), within);
    let one = |pid: u32| {
        let counts = |it: &&Pane| usual.contains(&it.socket) || named.get(&pid) == Some(&it.socket);
        let panes: Vec<Pane> = said.all.iter().filter(counts).cloned().collect();
        let found = Located { executor: executor_of(runtime, pid, &panes), is_doubtful: false };
        Located { is_doubtful: said.is_late && found.is_bare(), ..found }
    };
    pids.iter().map(|pid| (*pid, one(*pid))).collect()
}

/// Locates one process.
pub fn locate_one(settings: &Settings, pid: u32, within: Duration) -> Located {
    let mut found = locate(settings, &[pid], within);
    found.remove(&pid).unwrap_or(Located { executor: None, is_doubtful: false })
}

/// The default tmux servers, and those of the executors.
pub fn servers_with(
    settings: &Settings,
    executors: impl IntoIterator<Item = String>,
) -> Vec<PathBuf> {
    let panes = executors.into_iter().filter_map(|it| PaneName::of(&it));
    let known = panes.map(|it| it.server().to_owned());
    distinct_sockets(tmux_servers(&settings.variables).into_iter().chain(known).collect())
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;
    use std::process::Command;
    use tempfile::TempDir;

    /// Before its shell runs, a process of a pane is a copy of the server and names no server.
    const IS_UP: &str = "tmux wait-for -S up; sleep 600; :";

    /// A tmux server with its own socket, and one process in a pane of it.
    struct Server {
        folder: TempDir,
        pid: u32,
    }

    impl Server {
        fn start() -> Self {
            let mut it = Self { folder: TempDir::new().unwrap(), pid: 0 };
            it.tmux(&["-f", "/dev/null", "new-session", "-d", IS_UP]);
            it.tmux(&["wait-for", "up"]);
            it.pid = it.tmux(&["display-message", "-p", "#{pane_pid}"]).parse().unwrap();
            it
        }

        fn socket(&self) -> PathBuf {
            self.folder.path().join("own")
        }

        fn tmux(&self, words: &[&str]) -> String {
            let mut tmux = Command::new("tmux");
            let output = tmux.env_remove("TMUX").arg("-S").arg(self.socket()).args(words).output();
            String::from_utf8(output.unwrap().stdout).unwrap().trim().to_owned()
        }

        fn located(&self, pids: &[u32], within: Duration) -> HashMap<u32, Located> {
            located((self.folder.path(), &HashMap::new()), pids, within)
        }

        fn in_pane(&self) -> Located {
            let executor = Some(format!("tmux:{}:%0", self.socket().display()));
            Located { executor, is_doubtful: false }
        }
    }

    impl Drop for Server {
        fn drop(&mut self) {
            self.tmux(&["kill-server"]);
        }
    }

    const PATIENT: Duration = Duration::from_secs(30);

    #[test]
    fn a_server_that_answers_late_leaves_doubt_and_is_found_when_asked_again() {
        let server = Server::start();
        let (socket, aside) = (server.socket(), server.folder.path().join("aside"));
        let find = |within| server.located(&[server.pid], within).remove(&server.pid).unwrap();
        assert_eq!(find(PATIENT), server.in_pane());
        std::fs::rename(&socket, &aside).unwrap();
        let mute = UnixListener::bind(&socket).unwrap();
        let bare = Some(format!("process:{}", server.pid));
        let late = Located { executor: bare, is_doubtful: true };
        assert_eq!(find(Duration::from_millis(100)), late);
        drop(mute);
        std::fs::rename(&aside, &socket).unwrap();
        assert_eq!(find(PATIENT), server.in_pane());
    }
}
