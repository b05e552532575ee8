//! The program `ssh`, and what it says before the far end begins.

use super::line::Line;
use super::{Access, HELLO, PROTOCOL, SshError, SshHost};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// The program, as the user's `PATH` names it.
const SSH: &str = "ssh";
/// What runs on the host, whatever its shell is. No word of it comes from anybody. Programs of a user are often not
/// on the `PATH` of a shell that is not one for logging in.
const FAR_END: &str = "exec sh -c 'PATH=\"$PATH:$HOME/.local/bin:$HOME/.cargo/bin:/usr/local/bin\"; export PATH; exec taffrail relay'";
const FAR_END_THAT_ANSWERS: &str = "exec sh -c 'PATH=\"$PATH:$HOME/.local/bin:$HOME/.cargo/bin:/usr/local/bin\"; export PATH; exec taffrail relay --answer'";
/// Options that win over the user's configuration: the other host gets no way to this one, and a dead
/// connection is noticed.
const OPTIONS: [&str; 7] = [
    "ClearAllForwardings=yes",
    "ForwardAgent=no",
    "ForwardX11=no",
    "PermitLocalCommand=no",
    "RemoteCommand=none",
    "ServerAliveInterval=10",
    "ServerAliveCountMax=3",
];
/// How long `ssh` tries to connect, in seconds.
const CONNECT: &str = "ConnectTimeout=20";
/// The most bytes of a line before the greeting, and the most lines that are kept.
const LINE: u64 = 4 * 1024;
const LINES: usize = 20;
/// The most lines before the greeting.
const PREFACE: usize = 500;
/// How long the last words of an `ssh` that ended are waited for: a shared connection may keep its output open.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// The exit codes of `ssh` itself, of a shell without the program, and of a program that does not know a command.
const OF_SSH: i32 = 255;
const NOT_FOUND: i32 = 127;
const USAGE: i32 = 2;

/// Whether `ssh` may ask for a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asking {
    /// At the terminal: a person waits there.
    Allowed,
    /// The board is on the terminal.
    Never,
}

/// Called with each line that `ssh` prints.
pub(super) type Hear = Arc<dyn Fn(&str) + Send + Sync>;

/// A running `ssh` whose far end has greeted. It ends with this.
pub(super) struct Ssh {
    pub(super) line: Line,
    pub(super) version: String,
    child: Child,
}

impl Drop for Ssh {
    fn drop(&mut self) {
        // It may have ended already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// What was said last, on both outputs.
#[derive(Clone, Default)]
struct Said(Arc<Mutex<VecDeque<String>>>);

impl Said {
    fn add(&self, line: &str) {
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.push_back(line.to_owned());
        if lines.len() > LINES {
            lines.pop_front();
        }
    }

    fn text(&self) -> String {
        let lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let lines: Vec<_> = lines.iter().map(String::as_str).filter(|it| !it.is_empty()).collect();
        if lines.is_empty() { "it said nothing".to_owned() } else { lines.join("; ") }
    }
}

/// Starts `ssh`, and returns when the far end has greeted.
pub(super) fn start(
    host: &SshHost,
    access: Access,
    asking: Asking,
    hear: &Hear,
) -> Result<Ssh, SshError> {
    let mut child = command(host, access, asking).spawn().map_err(SshError::NoProgram)?;
    let said = Said::default();
    let (Some(to), Some(from), Some(errors)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(SshError::NoProgram(std::io::ErrorKind::BrokenPipe.into()));
    };
    let last_words = listen(errors, said.clone(), Arc::clone(hear));
    match greeted(BufReader::new(from), to, &said) {
        Ok(Some((line, version))) => Ok(Ssh { line, version, child }),
        Ok(None) => Err(failure(host, child, &last_words, &said)),
        Err(version) => {
            // It may have ended already.
            child.kill().ok();
            child.wait().ok();
            let host = host.to_string();
            Err(match version {
                Some(version) => SshError::OtherProtocol { host, version },
                None => SshError::Garbled { host, said: said.text() },
            })
        }
    }
}

fn command(host: &SshHost, access: Access, asking: Asking) -> Command {
    let mut command = Command::new(SSH);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for option in OPTIONS.into_iter().chain([CONNECT]) {
        command.args(["-o", option]);
    }
    if asking == Asking::Never {
        command.args(["-o", "BatchMode=yes"]);
    }
    match access {
        Access::Read => command.arg("-T"),
        // Its daemon lets a person at a terminal decide, and nobody else: so there is one. Bytes pass unchanged.
        Access::Answer => command.args(["-tt", "-e", "none"]),
    };
    command.args(host.arguments());
    command.arg(match access {
        Access::Read => FAR_END,
        Access::Answer => FAR_END_THAT_ANSWERS,
    });
    command
}

/// Keeps what `ssh` prints to stderr; the channel closes at its end.
fn listen(from: ChildStderr, said: Said, hear: Hear) -> Receiver<()> {
    let (end, ended) = channel();
    thread::spawn(move || {
        let mut from = BufReader::new(from);
        while let Some(line) = next_line(&mut from) {
            said.add(&line);
            hear(&line);
        }
        drop(end);
    });
    ended
}

/// The connection and the version of the far end; `None` if it ended first. An error holds the version of another
/// protocol, if it is one.
fn greeted(
    mut from: BufReader<ChildStdout>,
    to: ChildStdin,
    said: &Said,
) -> Result<Option<(Line, String)>, Option<String>> {
    // A shell of the user may print something of its own first.
    for _ in 0..PREFACE {
        let Some(line) = next_line(&mut from) else { return Ok(None) };
        let Some(version) = version(&line)? else {
            said.add(&line);
            continue;
        };
        return Ok(Some((Line::new(from, to), version)));
    }
    Err(None)
}

/// The version in a greeting; `None` if the line is none.
fn version(line: &str) -> Result<Option<String>, Option<String>> {
    let mut words = line.split(' ');
    let (Some(HELLO), Some(protocol), Some(version)) = (words.next(), words.next(), words.next())
    else {
        return Ok(None);
    };
    match protocol.parse() {
        Ok(PROTOCOL) => Ok(Some(version.to_owned())),
        Ok(_) | Err(_) => Err(Some(version.to_owned())),
    }
}

/// The next line without its end; `None` where it ends. A line that is too long is cut.
fn next_line(from: &mut impl BufRead) -> Option<String> {
    let mut bytes = Vec::new();
    // An output that cannot be read is over.
    let count = from.by_ref().take(LINE).read_until(b'\n', &mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    (count > 0).then(|| text.trim_end_matches(['\r', '\n']).to_owned())
}

/// Why the far end did not begin, by the exit code of `ssh`.
fn failure(host: &SshHost, mut child: Child, last_words: &Receiver<()>, said: &Said) -> SshError {
    let code = child.wait().ok().and_then(|it| it.code()).unwrap_or(OF_SSH);
    // Without them the message is shorter.
    last_words.recv_timeout(LAST_WORDS).ok();
    let (host, said) = (host.to_string(), said.text());
    match code {
        OF_SSH => SshError::Unreachable { host, said },
        NOT_FOUND => SshError::NotInstalled { host, said },
        USAGE => SshError::TooOld { host, said },
        code => SshError::Refused { host, code, said },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(access: Access, asking: Asking) -> Vec<String> {
        let host: SshHost = "ssh://ann@tower:2222".parse().unwrap();
        command(&host, access, asking)
            .get_args()
            .map(|it| it.to_str().unwrap().to_owned())
            .collect()
    }

    #[test]
    fn the_other_host_gets_no_way_to_this_one() {
        let all = words(Access::Read, Asking::Never).join(" ");
        for option in OPTIONS.iter().chain(&["BatchMode=yes"]) {
            assert!(all.contains(&format!("-o {option}")), "{option}: {all}");
        }
        assert!(all.contains(" -T ") && !all.contains("-tt"), "{all}");
        let all = words(Access::Answer, Asking::Allowed).join(" ");
        assert!(all.contains(" -tt -e none ") && !all.contains("BatchMode"), "{all}");
    }

    #[test]
    fn the_host_and_a_fixed_command_come_last() {
        let all = words(Access::Read, Asking::Allowed);
        assert_eq!(all[all.len() - 3..], ["--", "tower", FAR_END]);
        assert_eq!(words(Access::Answer, Asking::Allowed).last().unwrap(), FAR_END_THAT_ANSWERS);
    }

    #[test]
    fn a_greeting_is_known_among_other_lines() {
        assert_eq!(version("taffrail-relay 1 0.1.0 read"), Ok(Some("0.1.0".to_owned())));
        assert_eq!(version("taffrail-relay 9 3.0.0 read"), Err(Some("3.0.0".to_owned())));
        for line in [
            "",
            "Welcome to tower",
            "taffrail-relay",
            "taffrail-relay 1",
            "sh: taffrail: not found",
        ] {
            assert_eq!(version(line), Ok(None), "{line}");
        }
    }
}
