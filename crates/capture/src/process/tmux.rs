//! The panes of tmux, as far as they tell where commands for a session could go.

use super::{DEPTH_LIMIT, ancestors, start_of, tty_of};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::fs;
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// The most sockets that are asked.
pub(super) const SOCKET_LIMIT: usize = 16;
/// How long all of them together may take to answer.
pub(super) const DEADLINE: Duration = Duration::from_millis(500);
/// The most that is read of an answer, in bytes.
const ANSWER_LIMIT: usize = 1 << 20;
/// What is asked of a pane. The path comes last, since only it could hold a space.
const FORMAT: &str = "#{pane_id} #{pane_pid} #{pane_tty}";

/// One pane of a tmux server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pane {
    /// The socket of its server.
    pub socket: PathBuf,
    /// Its id there, as `%3`.
    pub id: String,
    /// Its terminal.
    pub tty: String,
    /// The process it was opened with.
    pub pid: u32,
}

/// The sockets of this user's tmux servers, in the folder tmux itself uses.
#[must_use]
pub fn tmux_sockets() -> Vec<PathBuf> {
    sockets_in(&default_folder())
}

/// The socket of the server tmux itself starts.
pub(super) fn default_socket() -> PathBuf {
    default_folder().join("default")
}

fn default_folder() -> PathBuf {
    PathBuf::from(format!("/tmp/tmux-{}", rustix::process::geteuid().as_raw()))
}

/// The same below another folder for temporary files, where the user told tmux of one.
#[must_use]
pub fn tmux_sockets_below(temporary: &Path) -> Vec<PathBuf> {
    sockets_in(&temporary.join(format!("tmux-{}", rustix::process::geteuid().as_raw())))
}

/// Anyone may make a folder in `/tmp`; only what is ours is believed.
fn sockets_in(folder: &Path) -> Vec<PathBuf> {
    let me = rustix::process::geteuid().as_raw();
    let ours = |path: &Path| fs::symlink_metadata(path).ok().filter(|it| it.uid() == me);
    if !ours(folder).is_some_and(|it| it.is_dir()) {
        return Vec::new();
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .map(|it| it.path())
        .filter(|path| ours(path).is_some_and(|it| it.file_type().is_socket()))
        .collect();
    found.sort();
    found.truncate(SOCKET_LIMIT);
    found
}

/// Every pane of these servers. One that does not answer in time has none.
#[must_use]
pub fn panes(sockets: &[PathBuf]) -> Vec<Pane> {
    let end = Instant::now() + DEADLINE;
    let asked: Vec<_> = sockets.iter().take(SOCKET_LIMIT).map(|it| (it, ask(it))).collect();
    let mut out = Vec::new();
    for (socket, child) in asked {
        let answer = child.map(|it| answer(it, end)).unwrap_or_default();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        out.extend(answer.lines().filter_map(|line| pane(socket, line)));
    }
    out
}

/// What the first server that has a session of exactly this name says of its panes, a line each in
/// the format asked for; `None` if none has.
#[must_use]
pub fn panes_of(sockets: &[PathBuf], session: &str, format: &str) -> Option<String> {
    let end = Instant::now() + DEADLINE;
    let exactly = format!("={session}");
    let words = ["list-panes", "-s", "-t", &exactly, "-F", format];
    let asked = sockets.iter().take(SOCKET_LIMIT).map(|it| asked(it, &words));
    let asked: Vec<_> = asked.collect();
    let mut answers = asked.into_iter().map(|it| it.map(|it| answer(it, end)).unwrap_or_default());
    let found = answers.find(|answer| !answer.is_empty());
    // Those not looked at have been asked all the same, and are ended.
    answers.for_each(drop);
    found.map(|answer| String::from_utf8_lossy(&answer).into_owned())
}

fn ask(socket: &Path) -> Option<Child> {
    asked(socket, &["list-panes", "-a", "-F", FORMAT])
}

/// Asking never starts a server: that only happens for commands that make something. A locale is
/// given so that names are not mangled.
pub(super) fn asked(socket: &Path, words: &[&str]) -> Option<Child> {
    let mut command = Command::new("tmux");
    command.arg("-u").arg("-S").arg(socket).args(words);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()
}

pub(super) fn answer(mut child: Child, end: Instant) -> Vec<u8> {
    let read = child.stdout.take().map(|it| read_until(it, end)).unwrap_or_default();
    // It has answered or is too late; either way it is ended, so that waiting cannot take long.
    child.kill().ok();
    child.wait().ok();
    read
}

fn read_until(mut from: ChildStdout, end: Instant) -> Vec<u8> {
    let mut out = Vec::new();
    let mut piece = [0u8; 8192];
    while out.len() < ANSWER_LIMIT && is_ready(&from, end) {
        match from.read(&mut piece) {
            Ok(0) => return out,
            Ok(count) => out.extend(piece.iter().take(count)),
            Err(_) => break,
        }
    }
    // What is cut off is not believed in part: its last line could name another process.
    Vec::new()
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

/// Where commands for a process could go: `tmux:%3`, `tmux:/path/to/socket:%3` where the server is
/// not the default one, or `process:417`. `None` if there is no such process.
///
/// The pane is that of the nearest process above it, else the one on the same terminal.
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

/// A pane of a server, as executors are written; `None` where it is no pane.
pub(super) fn executor_at(socket: &Path, pane: &str) -> Option<String> {
    is_pane_id(pane).then(|| written(socket, pane))
}

fn written(socket: &Path, pane: &str) -> String {
    if socket == default_socket() {
        format!("tmux:{pane}")
    } else {
        format!("tmux:{}:{pane}", socket.display())
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    /// A tmux server of our own, ended with the test.
    struct Server {
        folder: tempfile::TempDir,
    }

    impl Server {
        /// `None` where tmux is not installed.
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
        let list = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
        list.split_whitespace().next()?.parse().ok()
    }

    #[test]
    fn a_process_is_found_in_its_pane() {
        let server = Server::start().expect("tmux is here");
        assert_eq!(sockets_in(server.folder.path()), [server.socket()]);
        let panes = panes(&[server.socket(), server.folder.path().join("none")]);
        let ids: Vec<_> = panes.iter().map(|it| it.id.as_str()).collect();
        assert_eq!(ids, ["%0", "%1"]);
        assert_eq!(tty_of(panes[0].pid), Some(panes[0].tty.clone()));
        let expected = |id: &str| Some(format!("tmux:{}:{id}", server.socket().display()));
        assert_eq!(executor_of(panes[0].pid, &panes), expected("%0"));
        let end = Instant::now() + Duration::from_secs(20);
        // What a shell runs while it starts may be gone before it is looked at.
        let is_there = |pid: &u32| executor_of(*pid, &panes) == expected("%1");
        let look = || child_of(panes[1].pid).filter(is_there);
        let below = std::iter::from_fn(|| (Instant::now() < end).then(look));
        let below = below.flatten().next().unwrap();
        // Without its ancestor among the panes the terminal still tells.
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
        assert_eq!(panes(&vec![socket; 3]), []);
        assert!(begin.elapsed() < Duration::from_secs(10));
        drop(listener);
    }

    #[test]
    fn only_panes_are_panes() {
        let socket = default_folder().join("default");
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
