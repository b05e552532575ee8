//! A program on a terminal of ours behaves as it does without: bytes, size, exit code, signals; and
//! hidden input leaves no trace.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

mod scrollback;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::Child;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use taffrail_testkit::Home;

/// The interval between two polls, and the longest wait.
const PAUSE: Duration = Duration::from_millis(5);
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a test waits to distinguish late from never: longer than it may take to name a session.
const NEVER: Duration = Duration::from_secs(7);

/// A person at a terminal, and a program of ours on it.
struct Person {
    home: Home,
    line: File,
    /// The terminal itself, as the program sees it.
    terminal: File,
    child: Child,
    shown: Receiver<Vec<u8>>,
    seen: Vec<u8>,
    /// Sockets of runs that were killed before.
    before: Vec<PathBuf>,
}

/// The sockets of runs.
fn sockets(home: &Home) -> Vec<PathBuf> {
    let folder = std::fs::read_dir(home.path(".run/taffrail"));
    folder.into_iter().flatten().flatten().map(|it| it.path()).collect()
}

impl Person {
    /// Runs a shell command through us.
    fn runs(options: &[&str], script: &str) -> Self {
        let words = [&["run"], options, &["--", "bash", "-c", script]].concat();
        Self::types_command(Home::new(env!("CARGO_BIN_EXE_taffrail")), &words)
    }

    /// Runs our program in a home, with the programs of its `bin` folder.
    fn types_command(home: Home, words: &[&str]) -> Self {
        let line = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&line).unwrap();
        unlockpt(&line).unwrap();
        let name = ptsname(&line, Vec::new()).unwrap();
        let name = name.to_str().unwrap();
        let terminal = OpenOptions::new().read(true).write(true).open(name).unwrap();
        let line = File::from(line);
        resize(&line, (10, 60));
        let before = sockets(&home);
        let mut command = home.command(words);
        let path = command.get_envs().find(|(name, _)| *name == "PATH").and_then(|it| it.1);
        let path = path.unwrap_or_default().to_string_lossy().into_owned();
        command.env("PATH", format!("{}:{path}", home.path("bin").display()));
        command.env("TERM", "xterm");
        command.stdin(terminal.try_clone().unwrap()).stdout(terminal.try_clone().unwrap());
        let child = command.stderr(terminal.try_clone().unwrap()).spawn().unwrap();
        let (tell, shown) = channel();
        let mut from = line.try_clone().unwrap();
        std::thread::spawn(move || {
            let mut piece = [0; 4096];
            while let Ok(count @ 1..) = from.read(&mut piece) {
                if tell.send(piece[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Self { home, line, terminal, child, shown, seen: Vec::new(), before }
    }

    fn types(&mut self, bytes: &[u8]) {
        self.line.write_all(bytes).unwrap();
    }

    /// Waits until something is shown, and drops everything up to its end.
    fn sees(&mut self, what: &str) {
        self.waits(what, |seen| {
            let at = seen.windows(what.len()).position(|it| it == what.as_bytes())?;
            Some(at + what.len())
        });
    }

    fn waits(&mut self, what: &str, is_there: impl Fn(&[u8]) -> Option<usize>) {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = is_there(&self.seen) {
                self.seen.drain(..at);
                return;
            }
            let shown = String::from_utf8_lossy(&self.seen);
            assert!(Instant::now() < end, "{what:?} never came: {shown:?}");
            if let Ok(more) = self.shown.recv_timeout(PAUSE) {
                self.seen.extend(more);
            }
        }
    }

    fn signals(&self, signal: Signal) {
        let pid = Pid::from_raw(self.child.id().cast_signed()).unwrap();
        kill_process(pid, signal).unwrap();
    }

    /// The exit code, and whether the terminal is restored.
    fn ends(self) -> (i32, bool) {
        let (_, code, is_restored) = self.ends_at_home();
        (code, is_restored)
    }

    /// The same, and the home.
    fn ends_at_home(mut self) -> (Home, i32, bool) {
        let end = Instant::now() + PATIENCE;
        let code = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status.code().unwrap();
            }
            assert!(Instant::now() < end, "it never ends");
            self.shown.recv_timeout(PAUSE).ok();
        };
        let modes = tcgetattr(&self.terminal).unwrap().local_modes;
        assert_eq!(sockets(&self.home), self.before, "the socket is left behind");
        let is_restored = modes.contains(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
        (self.home, code, is_restored)
    }

    /// The whole journal.
    fn journal(&self) -> String {
        let folder = self.home.path(".local/share/taffrail/journal/spool");
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|it| std::fs::read_to_string(it.path()).unwrap_or_default()).collect()
    }
}

fn resize(terminal: &File, (rows, columns): (u16, u16)) {
    let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal, size).unwrap();
}

#[test]
fn every_byte_comes_through_unchanged_however_it_is_cut() {
    let mut person = Person::runs(&[], "stty raw -echo; printf READY; exec cat");
    person.sees("READY");
    let pieces = prop::collection::vec(prop::collection::vec(any::<u8>(), 1..600), 1..8);
    let mut runner =
        TestRunner::new(Config { cases: 40, failure_persistence: None, ..Config::default() });
    let person = std::cell::RefCell::new(person);
    let checked = runner.run(&pieces, |pieces| {
        let mut person = person.borrow_mut();
        let whole = pieces.concat();
        pieces.iter().for_each(|it| person.types(it));
        person.waits("as much", |seen| (seen.len() >= whole.len()).then_some(0));
        prop_assert_eq!(std::mem::take(&mut person.seen), whole);
        Ok(())
    });
    checked.unwrap();
    let person = person.into_inner();
    person.signals(Signal::TERM);
    assert_eq!(person.ends(), (128 + Signal::TERM.as_raw(), true));
}

#[test]
fn more_than_a_terminal_holds_comes_through() {
    let script = "stty raw -echo; printf READY; head -c 300000 | md5sum";
    let mut person = Person::runs(&[], script);
    person.sees("READY");
    let mut line = person.line.try_clone().unwrap();
    std::thread::spawn(move || line.write_all(&[b'x'; 300_000]).unwrap());
    // The sum of 300,000 times `x`.
    person.sees("d408ed46ebcc326f9e7c6bb9c77af1cd");
    assert_eq!(person.ends(), (0, true));
}

#[test]
fn a_program_ends_as_it_would_without_us() {
    let check = |script: &str, code: i32| {
        assert_eq!(Person::runs(&[], script).ends(), (code, true), "{script}");
    };
    check("exit 0", 0);
    check("exit 7", 7);
    check("kill -KILL $$", 137);
    check("kill -TERM $$", 143);
    check("printf '\\033[?1049h\\033[?25l'; kill -KILL $$", 137);
    check("exec /nowhere/at-all", 127);
}

#[test]
fn a_program_has_the_terminal_for_itself() {
    let script = "stty size; [ -t 0 ] && [ -t 1 ] && echo both; ps -o tpgid=,pgid= -p $$ | tr -s ' '; \
        trap 'stty size' WINCH; trap 'echo stopped; exit 3' INT; echo READY; while :; do sleep 0.1; done";
    let mut person = Person::runs(&[], script);
    person.sees("10 60");
    person.sees("both");
    person.sees("READY");
    resize(&person.line, (33, 77));
    // The system signals the owner of a controlling terminal; this terminal has none.
    person.signals(Signal::WINCH);
    person.sees("33 77");
    person.types(b"\x03");
    person.sees("stopped");
    assert_eq!(person.ends(), (3, true));
}

#[test]
fn a_signal_for_us_is_the_programs() {
    let script = "trap 'echo told; exit 5' TERM; echo READY; while :; do sleep 0.1; done";
    let mut person = Person::runs(&[], script);
    person.sees("READY");
    person.signals(Signal::TERM);
    person.sees("told");
    assert_eq!(person.ends(), (5, true));
}

#[test]
fn what_is_stopped_goes_on() {
    let script = "echo READY; kill -STOP $$; echo again; read x; exit 4";
    let mut person = Person::runs(&[], script);
    person.sees("READY");
    let end = Instant::now() + PATIENCE;
    let state = |person: &Person| {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", person.child.id())).unwrap();
        stat.rsplit_once(") ").unwrap().1.chars().next()
    };
    while state(&person) != Some('T') {
        assert!(Instant::now() < end, "we are never stopped");
        std::thread::park_timeout(PAUSE);
    }
    let modes = tcgetattr(&person.terminal).unwrap().local_modes;
    assert!(modes.contains(LocalModes::ICANON), "the shell above has no sane terminal");
    person.signals(Signal::CONT);
    person.sees("again");
    person.types(b"\r");
    assert_eq!(person.ends(), (4, true));
}

#[test]
fn a_program_that_asks_who_listens_is_answered() {
    let script = "stty raw -echo; printf '\\033]7501;?\\033\\\\'; head -c 9 | od -An -c";
    let mut person = Person::runs(&[], script);
    person.sees("033   ]   7   5   0   1   ;   ?");
    assert_eq!(person.ends(), (0, true));
}

#[test]
fn without_a_terminal_nothing_comes_between() {
    let home = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    let ran = home.run(&["run", "--", "sh", "-c", "[ -t 1 ] || echo plain; exit 9"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (9, "plain\n"));
    let ran = home.run(&["run", "--", "/nowhere/at-all"]);
    assert_eq!(ran.status, 127, "{ran:?}");
    assert_eq!(home.run(&["run", "--agent", "nobody", "--", "true"]).status, 2);
}

#[test]
fn a_hidden_line_leaves_no_trace() {
    let script = "read -s -p 'Password: ' x; echo; echo READY; read y";
    let mut person = Person::runs(&["--agent", "codex"], script);
    person.sees("Password: ");
    let end = Instant::now() + NEVER;
    while Instant::now() < end {
        assert_eq!(person.journal(), "", "something was written down");
        std::thread::park_timeout(10 * PAUSE);
    }
    person.types(b"hunter2-of-mine\r");
    person.sees("READY");
    // With the echo back on, the journal records that there is a screen, and nothing else.
    let end = Instant::now() + PATIENCE;
    while person.journal().is_empty() {
        assert!(Instant::now() < end, "nothing is ever written down");
        std::thread::park_timeout(PAUSE);
    }
    assert!(person.journal().contains("\"unclear\""), "{}", person.journal());
    person.types(b"\r");
    let journal = person.journal();
    assert!(!journal.contains("hunter2") && !journal.contains("Password"), "{journal}");
    assert_eq!(person.ends(), (0, true));
}

/// Agents created files that only their user could read.
#[test]
fn a_program_makes_files_as_the_users_own_shell_would() {
    const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
    let home = Home::new(PROGRAM);
    let mut shell = home.any_command("sh".as_ref(), home.root());
    shell.args(["-c", &format!("umask 0027; exec {PROGRAM} run -- sh -c umask")]);
    let output = shell.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "0027");
    // The same on a terminal.
    let through = format!("umask 0027; exec {PROGRAM} run -- bash -c 'echo it is $(umask)'");
    let mut person = Person::runs(&[], &through);
    person.sees("it is 0027");
    assert_eq!(person.ends(), (0, true));
}
