//! The panes of tmux servers, which show where commands for a session can be sent.

use super::servers::{SOCKET_LIMIT, default_socket, is_same};
use super::{DEPTH_LIMIT, ancestors, start_of, tty_of};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// The most sockets that are queried.
pub(super) const ASKED_LIMIT: usize = 3 * SOCKET_LIMIT;
/// How long all servers together may take to answer while a user waits.
pub const TMUX_DEADLINE: Duration = Duration::from_millis(500);
/// The most bytes of an answer that are read.
const ANSWER_LIMIT: usize = 1 << 20;
/// The format of a pane. The path comes last because only it can contain a space.
const FORMAT: &str = "#{pane_id} #{pane_pid} #{pane_tty}";

/// One pane of a tmux server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pane {
    /// The socket of its server.
    pub socket: PathBuf,
    /// Its id on that server, such as `%3`.
    pub id: String,
    /// Its terminal.
    pub tty: String,
    /// The process that it was opened with.
    pub pid: u32,
}

/// The panes that tmux servers listed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Panes {
    /// Every pane of the servers that answered.
    pub all: Vec<Pane>,
    /// A server did not answer in time, so its panes are missing.
    pub is_late: bool,
}

/// The panes of the servers that answer within this time.
#[must_use]
pub fn panes(sockets: &[PathBuf], within: Duration) -> Panes {
    let end = Instant::now() + within;
    let asked: Vec<_> = sockets.iter().take(ASKED_LIMIT).map(|it| (it, ask(it))).collect();
    let mut out = Panes::default();
    for (socket, child) in asked {
        // Without tmux there are no panes, and a retry would not find any.
        let Some(child) = child else { continue };
        match answer(child, end) {
            Some(said) => {
                let said = String::from_utf8_lossy(&said).into_owned();
                out.all.extend(said.lines().filter_map(|line| pane(socket, line)));
            }
            None => out.is_late = true,
        }
    }
    out
}

/// The panes of the first server that has a session of exactly this name, one line each in this
/// format; `None` if no server has such a session.
#[must_use]
pub fn panes_of(sockets: &[PathBuf], session: &str, format: &str) -> Option<String> {
    let end = Instant::now() + TMUX_DEADLINE;
    let exactly = format!("={session}");
    let words = ["list-panes", "-s", "-t", &exactly, "-F", format];
    let asked = sockets.iter().take(ASKED_LIMIT).map(|it| asked(it, &words));
    let asked: Vec<_> = asked.collect();
    let mut answers =
        asked.into_iter().map(|it| it.and_then(|it| answer(it, end)).unwrap_or_default());
    let found = answers.find(|answer| !answer.is_empty());
    // The remaining servers were queried too, so their processes are ended.
    answers.for_each(drop);
    found.map(|answer| String::from_utf8_lossy(&answer).into_owned())
}

fn ask(socket: &Path) -> Option<Child> {
    asked(socket, &["list-panes", "-a", "-F", FORMAT])
}

/// Queries a server. A query never starts a server, since it creates nothing. `-u` makes tmux print names
/// in UTF-8.
pub(super) fn asked(socket: &Path, words: &[&str]) -> Option<Child> {
    let mut command = Command::new("tmux");
    command.arg("-u").arg("-S").arg(socket).args(words);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()
}

/// The whole answer; `None` if it did not arrive in time.
pub(super) fn answer(mut child: Child, end: Instant) -> Option<Vec<u8>> {
    let read = child.stdout.take().and_then(|it| read_until(it, end));
    // The child answered or is too late. Killing it keeps the wait short.
    child.kill().ok();
    child.wait().ok();
    read
}

/// A truncated answer is dropped: its last line could name another process.
fn read_until(mut from: ChildStdout, end: Instant) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut piece = [0u8; 8192];
    while out.len() < ANSWER_LIMIT && is_ready(&from, end) {
        match from.read(&mut piece) {
            Ok(0) => return Some(out),
            Ok(count) => out.extend(piece.iter().take(count)),
            // A server that goes away answers nothing more.
            Err(_) => break,
        }
    }
    None
}

fn is_ready(from: &ChildStdout, end: Instant) -> bool {
    let left = end.saturating_duration_since(Instant::now());
    let left = Timespec::try_from(left).unwrap_or_default();
    poll(&mut [PollFd::new(from, PollFlags::IN)], Some(&left)).is_ok_and(|count| count > 0)
}

fn pane(socket: &Path, line: &str) -> Option<Pane> {
    let mut words = line.splitn(3, ' ');
    let id = words.next().filter(|it| is_pane_id(it))?.to_owned();
    let pid = words.next()?.parse().ok()?;
    let tty = words.next()?.to_owned();
    Some(Pane { socket: socket.to_owned(), id, tty, pid })
}

pub(super) fn is_pane_id(id: &str) -> bool {
    id.strip_prefix('%')
        .is_some_and(|it| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Where commands for a process can be sent: `tmux:%3`, `tmux:/path/to/socket:%3` if the server is
/// not the default one, or `process:417`. `None` if the process does not exist.
///
/// The pane of the nearest ancestor wins, then the pane on the same terminal.
#[must_use]
pub fn executor_of(pid: u32, panes: &[Pane]) -> Option<String> {
    start_of(pid)?;
    let above = ancestors(pid, DEPTH_LIMIT);
    let line = std::iter::once(pid).chain(above.iter().map(|it| it.pid));
    let inside = line.into_iter().find_map(|pid| panes.iter().find(|it| it.pid == pid));
    let on = || tty_of(pid).and_then(|tty| panes.iter().find(|it| it.tty == tty));
    Some(inside.or_else(on).map_or_else(|| format!("process:{pid}"), executor))
}

fn executor(pane: &Pane) -> String {
    written(&pane.socket, &pane.id)
}

/// The name of a pane as an executor; `None` if `pane` is not a pane id.
#[must_use]
pub fn executor_at(socket: &Path, pane: &str) -> Option<String> {
    is_pane_id(pane).then(|| written(socket, pane))
}

fn written(socket: &Path, pane: &str) -> String {
    if is_same(socket, &default_socket()) {
        format!("tmux:{pane}")
    } else {
        format!("tmux:{}:{pane}", socket.display())
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;
    use crate::process::tmux_server_of;

    /// A private tmux server that ends with the test.
    struct Server {
        folder: tempfile::TempDir,
    }

    impl Server {
        /// `None` if tmux is not installed.
        fn start() -> Option<Self> {
            Command::new("tmux").arg("-V").output().ok()?;
            let it = Self { folder: tempfile::tempdir().unwrap() };
            it.run(&["-f", "/dev/null", "new-session", "-d", "-s", "s", "exec cat"]);
            it.run(&["split-window", "-t", "s", "sleep 600; true"]);
            Some(it)
        }

        fn socket(&self) -> PathBuf {
            self.folder.path().join("own")
        }

        fn run(&self, words: &[&str]) {
            let mut command = Command::new("tmux");
            command.env_remove("TMUX").arg("-S").arg(self.socket());
            assert!(command.args(words).status().unwrap().success(), "{words:?}");
        }
    }

    impl Drop for Server {
        fn drop(&mut self) {
            Command::new("tmux").arg("-S").arg(self.socket()).arg("kill-server").status().ok();
        }
    }

    fn child_of(pid: u32) -> Option<u32> {
        let list = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
        list.split_whitespace().next()?.parse().ok()
    }

    #[test]
    fn a_process_is_found_in_its_pane() {
        let server = Server::start().expect("tmux is here");
        let sockets = [server.socket(), server.folder.path().join("none")];
        let Panes { all: panes, is_late } = panes(&sockets, Duration::from_secs(20));
        assert!(!is_late);
        let ids: Vec<_> = panes.iter().map(|it| it.id.as_str()).collect();
        assert_eq!(ids, ["%0", "%1"]);
        assert_eq!(tty_of(panes[0].pid), Some(panes[0].tty.clone()));
        let expected = |id: &str| Some(format!("tmux:{}:{id}", server.socket().display()));
        assert_eq!(executor_of(panes[0].pid, &panes), expected("%0"));
        let end = Instant::now() + Duration::from_secs(20);
        // A process that the shell runs while it starts may end before the look-up.
        let is_there = |pid: &u32| executor_of(*pid, &panes) == expected("%1");
        let look = || child_of(panes[1].pid).filter(is_there);
        let below = std::iter::from_fn(|| (Instant::now() < end).then(look));
        let below = below.flatten().next().unwrap();
        // The process names a socket that tmux does not list.
        assert_eq!(tmux_server_of(below), Some(server.socket()));
        // Without an ancestor among the panes, the terminal decides.
        let moved = Pane { pid: 0, ..panes[1].clone() };
        assert_eq!(executor_of(below, &[moved]), expected("%1"));
    }

    #[test]
    fn a_process_outside_any_pane_is_itself() {
        let me = std::process::id();
        assert_eq!(executor_of(me, &[]), Some(format!("process:{me}")));
        assert_eq!(executor_of(u32::MAX, &[]), None);
    }

    #[test]
    fn a_server_that_does_not_answer_has_no_panes() {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("mute");
        let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let begin = Instant::now();
        let late = Panes { all: Vec::new(), is_late: true };
        assert_eq!(panes(&vec![socket; 3], TMUX_DEADLINE), late);
        assert!(begin.elapsed() < Duration::from_secs(10));
        drop(listener);
    }

    #[test]
    fn only_panes_are_panes() {
        let socket = default_socket();
        let check = |line: &str, expected: Option<&str>| {
            assert_eq!(pane(&socket, line).as_ref().map(executor).as_deref(), expected, "{line}");
        };
        check("%3 417 /dev/pts/4", Some("tmux:%3"));
        check("%3 417 ", Some("tmux:%3"));
        check("% 417 /dev/pts/4", None);
        check("%3x 417 /dev/pts/4", None);
        check("%3 x /dev/pts/4", None);
        check("no server running", None);
        check("", None);
    }
}
