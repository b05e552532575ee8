//! The process table, which shows which session runs in which process.
//!
//! Each system has its own file. Where a system does not give an answer, the answer is unknown.

mod caller;
mod clients;
mod descendants;
mod exit_watch;
mod listeners;
#[cfg(any(target_os = "macos", test))]
mod listing;
mod name;
mod pane;
mod servers;
#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod system;
#[cfg(target_os = "macos")]
#[path = "macos.rs"]
mod system;
#[cfg(not(any(target_os = "linux", target_os = "macos")))]
#[path = "unsupported.rs"]
mod system;
mod tmux;

pub use caller::{look_at, runs_our_program};
pub use clients::{Focus, TmuxClient, clients};
pub use descendants::{at_and_below, program_in, program_of, runs, written_by};
pub use exit_watch::{Deaths, Unwatched, WATCH_LIMIT};
pub(crate) use listeners::listeners_named;
pub use listeners::{Listener, listener_at};
pub use pane::{PaneName, PaneView};
pub use servers::{distinct_sockets, tmux_server_of, tmux_servers};
pub use tmux::{Pane, Panes, TMUX_DEADLINE, executor_at, executor_of, panes, panes_of};

use system::stat;
use taffrail_model::process::{Ancestor, Process};

/// The most ancestors that are followed.
const DEPTH_LIMIT: usize = 64;
/// The most bytes of a command line that are read for a name.
const COMMAND_LIMIT: usize = 4096;
/// The most bytes of a process's environment that are read.
const ENVIRONMENT_LIMIT: u64 = 1 << 20;
/// The most open files of a process that are inspected.
const FILE_LIMIT: usize = 1024;

/// A process, as the system describes it.
struct Stat {
    /// The system's short name of its program.
    name: String,
    /// The process is a zombie or dead.
    is_over: bool,
    /// The process that started it; 0 if there is none.
    parent: u32,
    /// The leader of its session.
    leader: u32,
    /// Its start time, in the system's ticks.
    start: u64,
}

/// The terminal of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Terminal {
    /// Its device; `None` if no terminal controls the process.
    path: Option<String>,
    /// The process group is the foreground group of the terminal.
    is_in_front: bool,
}

/// Whether a process is alive. A zombie is not.
#[must_use]
pub fn lives(process: Process) -> bool {
    stat(process.pid).is_some_and(|it| it.start == process.start && !it.is_over)
}

/// The start time of a process in the system's ticks; `None` if no process has this pid.
#[must_use]
pub fn start_of(pid: u32) -> Option<u64> {
    stat(pid).map(|it| it.start)
}

/// The ancestors of a process, the nearest first.
///
/// The table changes while it is read: a parent that is younger than its child reused the pid of a
/// process that is gone, and ends the list.
#[must_use]
pub fn ancestors(pid: u32, limit: usize) -> Vec<Ancestor> {
    let mut out = Vec::new();
    let Some(mut below) = stat(pid) else { return out };
    while out.len() < limit.min(DEPTH_LIMIT) && below.parent != 0 {
        let pid = below.parent;
        let Some(it) = stat(pid).filter(|it| it.start <= below.start) else { break };
        out.push(Ancestor { pid, start: it.start, name: name_of(pid, &it.name) });
        below = it;
    }
    out
}

/// Whether the process is in the foreground of its terminal. It is not if a shell prompt or another
/// program has the terminal.
#[must_use]
pub fn is_in_front(process: Process) -> bool {
    let terminal = system::terminal(process.pid);
    // The terminal is that of this process only if the process still exists.
    terminal.is_some_and(|it| it.is_in_front) && lives(process)
}

/// The terminal that a process was started on.
#[must_use]
pub fn tty_of(pid: u32) -> Option<String> {
    system::terminal(pid)?.path
}

fn name_of(pid: u32, short: &str) -> String {
    let words = command_line(pid);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    name::best(short, &words)
}

/// The arguments that a process was started with, as far as they can be read.
#[must_use]
pub fn command_line(pid: u32) -> Vec<String> {
    system::command_line(pid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn a_child_descends_from_us() {
        let mut child = Command::new("sh")
            .args(["-c", "sleep 600 & echo $!; wait"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = std::io::BufReader::new(child.stdout.take().unwrap());
        std::io::BufRead::read_line(&mut out, &mut line).unwrap();
        let grandchild: u32 = line.trim().parse().unwrap();
        let above = ancestors(grandchild, 2);
        let ours = std::process::id();
        let got: Vec<_> = above.iter().map(|it| (it.pid, Some(it.start))).collect();
        assert_eq!(got, [(child.id(), start_of(child.id())), (ours, start_of(ours))]);
        assert_eq!(above[0].name, "sh");
        assert_eq!(ancestors(grandchild, 1), above[..1]);
        let end = rustix::process::Pid::from_raw(grandchild.cast_signed()).unwrap();
        rustix::process::kill_process(end, rustix::process::Signal::KILL).unwrap();
        child.wait().unwrap();
        assert_eq!(ancestors(child.id(), 4), []);
        assert_eq!((start_of(child.id()), tty_of(child.id())), (None, None));
    }
}
