//! A network with only loopback, and processes that end together.

use super::network::enter;
use crate::process::until;
use rustix::process::{Pid, Signal, kill_process};
use std::fs::File;
use std::io::Read;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

/// Namespaces for network, processes and mounts, held by their first process.
///
/// The first process ends when we close its input, on purpose or by dying, and the kernel ends
/// every other process with it.
#[derive(Debug)]
pub struct Namespace {
    holder: Child,
    first: u32,
}

/// The first process: enables loopback, mounts a private folder for tmux, and reaps orphans until
/// its input ends.
const FIRST: &str = "\
    folder=/tmp/tmux-$(id -u)
    ip link set lo up && mkdir -p -m 700 $folder && mount -t tmpfs -o mode=700 none $folder || exit 1
    echo up
    cat
    exit 0";

impl Namespace {
    /// Creates the namespaces. That needs root or the same capabilities.
    #[must_use]
    pub fn new() -> Self {
        let mut command = Command::new("unshare");
        command.args(["--net", "--pid", "--mount", "--mount-proc", "--fork", "--kill-child"]);
        command.args(["sh", "-c", FIRST]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut holder = command.spawn().expect("`unshare` is there, from util-linux");
        let mut up = [0; 3];
        let heard = holder.stdout.as_mut().unwrap().read_exact(&mut up);
        assert!(
            heard.is_ok() && &up == b"up\n",
            "No network of its own could be made for the agents. Run the tests as root, with \
             `unshare` (util-linux) and `ip` (iproute2) installed."
        );
        let first = until("the first process of a namespace", || child_of(holder.id()));
        Self { holder, first }
    }

    /// The command prefix that enters the namespaces; the command ends with its parent.
    #[must_use]
    pub fn way_in(&self) -> Vec<String> {
        let first = self.first.to_string();
        let enter = ["nsenter", "-t", &first, "--net", "--pid", "--mount", "--"];
        let end = ["setpriv", "--pdeathsig", "KILL", "--"];
        enter.iter().chain(&end).map(ToString::to_string).collect()
    }

    /// Listens on a free port of the loopback inside. Only the socket is created there: its holder
    /// may accept from anywhere.
    #[must_use]
    pub fn listen(&self) -> TcpListener {
        let network = File::open(format!("/proc/{}/ns/net", self.first)).unwrap();
        let inside = std::thread::spawn(move || {
            enter(&network);
            TcpListener::bind("127.0.0.1:0").unwrap()
        });
        inside.join().unwrap()
    }
}

impl Default for Namespace {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        // The first process takes all others with it, and its holder ends only after that: then
        // their files may be removed.
        let first = i32::try_from(self.first).ok().and_then(Pid::from_raw);
        let killed = first.is_some_and(|it| kill_process(it, Signal::KILL).is_ok());
        if !killed {
            self.holder.kill().ok();
        }
        self.holder.wait().ok();
    }
}

fn child_of(pid: u32) -> Option<u32> {
    let children = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).ok()?;
    children.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpStream;

    fn inside(namespace: &Namespace, script: &str) -> String {
        let way = namespace.way_in();
        let mut command = Command::new(&way[0]);
        let output = command.args(&way[1..]).args(["sh", "-c", script]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    #[test]
    fn there_is_loopback_and_no_way_out() {
        let namespace = Namespace::new();
        let listener = namespace.listen();
        let port = listener.local_addr().unwrap().port();
        assert!(TcpStream::connect(("127.0.0.1", port)).is_err(), "it is seen from outside");
        let heard = inside(&namespace, "ip -o link | wc -l; ls /proc | grep -c '^[0-9]*$'");
        let counts: Vec<u32> = heard.lines().map(|it| it.parse().unwrap()).collect();
        assert_eq!(counts[0], 1, "links");
        assert!(counts[1] < 10, "{} processes", counts[1]);
    }

    #[test]
    fn what_was_left_running_ends_with_it() {
        let namespace = Namespace::new();
        let mark = format!("97.{}", std::process::id());
        inside(&namespace, &format!("setsid sleep {mark} >/dev/null 2>&1 &"));
        let left = || {
            let command = |pid: &str| std::fs::read(format!("/proc/{pid}/cmdline")).ok();
            let all = std::fs::read_dir("/proc").unwrap().flatten();
            let lines = all.filter_map(|it| command(it.file_name().to_str()?));
            lines.filter(|it| String::from_utf8_lossy(it).contains(&mark)).count()
        };
        until("the process to be there", || (left() > 0).then_some(()));
        drop(namespace);
        assert_eq!(left(), 0);
    }
}
