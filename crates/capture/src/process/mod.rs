//! The process table, which shows which session runs in which process.
//!
//! It is read from `/proc`; on systems without `/proc` every answer is unknown.

mod caller;
mod clients;
mod descendants;
#[cfg(target_os = "linux")]
mod exit_watch;
#[cfg(not(target_os = "linux"))]
#[path = "exit_watch_unsupported.rs"]
mod exit_watch;
mod name;
mod pane;
mod servers;
mod tmux;

pub use caller::{look_at, runs_our_program};
pub use clients::{Focus, TmuxClient, clients};
pub use descendants::{at_and_below, program_in, program_of, runs, written_by};
pub use exit_watch::{Deaths, Unwatched, WATCH_LIMIT};
pub use pane::{PaneName, PaneView};
pub use servers::{distinct_sockets, tmux_server_of, tmux_servers};
pub use tmux::{Pane, Panes, TMUX_DEADLINE, executor_at, executor_of, panes, panes_of};

use std::fs;
use taffrail_model::process::{Ancestor, Process};

/// The most ancestors that are followed.
const DEPTH_LIMIT: usize = 64;
/// The most bytes of a command line that are read for a name.
const COMMAND_LIMIT: usize = 4096;

/// Whether a process is alive. A zombie is not.
#[must_use]
pub fn lives(process: Process) -> bool {
    stat(process.pid).is_some_and(|it| it.start == process.start && !it.is_over())
}

/// The start time of a process in clock ticks; `None` if no process has this pid.
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
    let it = stat(process.pid).filter(|it| it.start == process.start && !it.is_over());
    it.is_some_and(|it| it.group == it.front)
}

/// The terminal that a process was started on.
#[must_use]
pub fn tty_of(pid: u32) -> Option<String> {
    tty_name(stat(pid)?.tty)
}

/// A line of `/proc/<pid>/stat`.
struct Stat {
    name: String,
    state: char,
    parent: u32,
    /// Its process group, and the foreground group of its terminal.
    group: i32,
    front: i32,
    /// The leader of its session.
    leader: u32,
    tty: u32,
    start: u64,
}

impl Stat {
    /// Whether the process is a zombie or dead.
    fn is_over(&self) -> bool {
        matches!(self.state, 'Z' | 'X')
    }
}

fn stat(pid: u32) -> Option<Stat> {
    parse(&String::from_utf8_lossy(&fs::read(format!("/proc/{pid}/stat")).ok()?))
}

fn parse(line: &str) -> Option<Stat> {
    // The name is in parentheses and may contain any character; after the last `)` come plain fields.
    let (before, after) = line.rsplit_once(')')?;
    let (_, name) = before.split_once('(')?;
    let field: Vec<&str> = after.split_ascii_whitespace().collect();
    Some(Stat {
        name: name.to_owned(),
        state: field.first()?.chars().next()?,
        parent: field.get(1)?.parse().ok()?,
        group: field.get(2)?.parse().ok()?,
        front: field.get(5)?.parse().ok()?,
        leader: field.get(3)?.parse().ok()?,
        tty: field.get(4)?.parse::<i32>().ok()?.cast_unsigned(),
        start: field.get(19)?.parse().ok()?,
    })
}

fn name_of(pid: u32, short: &str) -> String {
    let words = command_line(pid);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    name::best(short, &words)
}

/// The arguments that a process was started with, as far as they can be read.
#[must_use]
pub fn command_line(pid: u32) -> Vec<String> {
    let mut line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    line.truncate(COMMAND_LIMIT);
    let line = String::from_utf8_lossy(&line);
    line.split('\0').filter(|it| !it.is_empty()).map(str::to_owned).collect()
}

/// The path of a terminal device, from its device number.
fn tty_name(device: u32) -> Option<String> {
    let (major, minor) = ((device >> 8) & 0xfff, (device & 0xff) | ((device >> 12) & 0xf_ff00));
    match major {
        4 if minor < 64 => Some(format!("/dev/tty{minor}")),
        4 => Some(format!("/dev/ttyS{}", minor - 64)),
        136..=143 => Some(format!("/dev/pts/{}", minor + (major - 136) * 256)),
        _ => None,
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn a_line_of_the_table_is_read_whatever_the_name() {
        let check = |name: &str| {
            let rest = "S 7 1 1 34816 1 0 0 0 0 0 0 0 0 0 20 0 1 0 4711 0";
            let it = parse(&format!("9 ({name}) {rest}")).unwrap();
            let got = (it.name.as_str(), it.state, it.parent, it.tty, it.start);
            assert_eq!(got, (name, 'S', 7, 34816, 4711));
        };
        check("sh");
        check("a b");
        check(") S 1 (");
        check("");
        assert!(parse("").is_none());
        assert!(parse("9 (sh) S 7").is_none());
    }

    #[test]
    fn terminals_have_names() {
        let check = |device: u32, expected: Option<&str>| {
            assert_eq!(tty_name(device).as_deref(), expected, "{device}");
        };
        check(0, None);
        check((4 << 8) | 1, Some("/dev/tty1"));
        check((4 << 8) | 64, Some("/dev/ttyS0"));
        check((136 << 8) | 3, Some("/dev/pts/3"));
        check((136 << 8) | 0x2c | (1 << 20), Some("/dev/pts/300"));
        check((137 << 8) | 2, Some("/dev/pts/258"));
    }

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
