//! The terminals that show tmux, and whether they have the focus.

use super::tmux::{ASKED_LIMIT, TMUX_DEADLINE, answer, asked, executor_at};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The format of a client. Without focus events tmux reports every client as focused, so the format
/// includes whether focus events are on and whether the terminal sends them.
const FORMAT: &str =
    "#{client_tty}\t#{pane_id}\t#{client_flags}\t#{focus-events}\t#{client_termfeatures}";

/// Whether a terminal has the focus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Focus {
    /// It has the focus.
    Here,
    /// Another terminal has it.
    Elsewhere,
    /// The focus is unknown.
    Unknown,
}

/// A terminal that shows a pane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TmuxClient {
    /// The terminal's device.
    pub tty: PathBuf,
    /// The pane that it shows as active, named as an executor: `tmux:%3`.
    pub shows: String,
    /// Whether it has the focus.
    pub focus: Focus,
}

/// The terminals of these servers. A server that does not answer in time has none.
#[must_use]
pub fn clients(sockets: &[PathBuf]) -> Vec<TmuxClient> {
    let end = Instant::now() + TMUX_DEADLINE;
    let words = ["list-clients", "-F", FORMAT];
    let asked: Vec<_> =
        sockets.iter().take(ASKED_LIMIT).map(|it| (it, asked(it, &words))).collect();
    let mut out = Vec::new();
    for (socket, child) in asked {
        let answer = child.and_then(|it| answer(it, end)).unwrap_or_default();
        let answer = String::from_utf8_lossy(&answer).into_owned();
        out.extend(answer.lines().filter_map(|line| client(socket, line)));
    }
    out
}

fn client(socket: &Path, line: &str) -> Option<TmuxClient> {
    let mut words = line.split('\t');
    let tty = PathBuf::from(words.next().filter(|it| it.starts_with("/dev/"))?);
    let shows = executor_at(socket, words.next()?)?;
    let flags: Vec<&str> = words.next()?.split(',').collect();
    let events = words.next()?;
    let features: Vec<&str> = words.next()?.split(',').collect();
    let is_attached = flags.contains(&"attached") && !flags.contains(&"control-mode");
    let focus = match (events, flags.contains(&"focused")) {
        ("1" | "on", true) if features.contains(&"focus") => Focus::Here,
        ("1" | "on", false) => Focus::Elsewhere,
        _ => Focus::Unknown,
    };
    is_attached.then_some(TmuxClient { tty, shows, focus })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_focus_events_nobody_says_who_looks() {
        let check = |line: &str, expected: Option<Focus>| {
            let read = client(Path::new("/run/own"), line);
            assert_eq!(read.as_ref().map(|it| it.focus), expected, "{line}");
            let shows = read.is_none_or(|it| it.shows == "tmux:/run/own:%3");
            assert!(shows, "{line}");
        };
        let of = |flags: &str, events: &str, features: &str| {
            format!("/dev/pts/1\t%3\t{flags}\t{events}\t{features}")
        };
        check(&of("attached,focused,UTF-8", "1", "bpaste,focus"), Some(Focus::Here));
        check(&of("attached,UTF-8", "1", "bpaste,focus"), Some(Focus::Elsewhere));
        check(&of("attached,focused,UTF-8", "0", "bpaste,focus"), Some(Focus::Unknown));
        check(&of("attached,focused,UTF-8", "1", "bpaste"), Some(Focus::Unknown));
        check(&of("attached,control-mode,focused", "1", "focus"), None);
        check(&of("focused", "1", "focus"), None);
        check("/dev/pts/1\tx\tattached\t1\tfocus", None);
        check("no server running", None);
        check("", None);
    }
}
