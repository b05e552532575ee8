//! Sessions that are written while daemons start and die, and what must be known of them.

use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use taffrail_testkit::{Home, claude, until_every};

/// Sessions of the load, and the most lines of each: the times of lines end after an hour.
const SESSIONS: usize = 12;
const MOST_LINES: u32 = 3_500;
/// The pause between two lines, and after how many lines a hook is called.
const PAUSE: Duration = Duration::from_millis(3);
const LINES_A_HOOK: u32 = 40;

/// What was written: the lines of each session by its name, and the prompts of hooks.
#[derive(Debug, Default)]
pub(crate) struct Written {
    sessions: Vec<(String, u32)>,
    pub(crate) hooks: BTreeSet<String>,
}

impl Written {
    pub(crate) fn lines(&self) -> u32 {
        self.sessions.iter().map(|(_, lines)| lines).sum()
    }
}

/// This many sessions with this many lines each.
pub(crate) fn even(sessions: usize, lines: u32) -> Written {
    let sessions = (0..sessions).map(|it| (session_name(it), lines)).collect();
    Written { sessions, hooks: BTreeSet::new() }
}

pub(crate) fn session_name(number: usize) -> String {
    format!("5e551011-0000-4000-8000-{number:012}")
}

/// The text of a line of `claude::talk`.
pub(crate) fn said(number: u32) -> String {
    let who = if number.is_multiple_of(2) { "Prompt" } else { "Answer" };
    format!("{who} number {number:04}.")
}

/// Writes to its sessions in turn.
pub(crate) struct Load<'h> {
    home: &'h Home,
    written: Written,
}

impl<'h> Load<'h> {
    pub(crate) fn new(home: &'h Home) -> Self {
        Self { home, written: even(SESSIONS, 0) }
    }

    /// Writes until it is stopped, or there is nothing left to write.
    pub(crate) fn write_until(mut self, over: &AtomicBool) -> Written {
        for number in 0..MOST_LINES {
            for session in 0..SESSIONS {
                if over.load(Ordering::Relaxed) {
                    return self.written;
                }
                self.line(session, number);
                std::thread::park_timeout(PAUSE);
            }
            if number.is_multiple_of(LINES_A_HOOK / 10) {
                self.hook(number);
            }
        }
        self.written
    }

    fn line(&mut self, session: usize, number: u32) {
        let (name, lines) = &mut self.written.sessions[session];
        let (path, line) = (claude::path(name), claude::talk(name, number, number + 1));
        match number {
            0 => self.home.write(&path, line),
            _ => self.home.append(&path, line),
        }
        *lines = number + 1;
    }

    fn hook(&mut self, number: u32) {
        let prompt = format!("Told by a hook: {number}.");
        let payload = json!({"session_id": session_name(0), "hook_event_name": "UserPromptSubmit",
            "prompt": prompt, "cwd": "/w/app"});
        let mut command = self.home.command(&["hook", "claude-code"]);
        let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(payload.to_string().as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
        self.written.hooks.insert(prompt);
    }
}

/// Waits until everything is known; then each line must be known once, in order, and every hook
/// once.
pub(crate) fn check_written(home: &Home, written: &Written) {
    let ids = until_every(Duration::from_millis(200), "all that was written", || {
        let wanted = |it: &Value| it["runtime_session_id"].as_str().map(str::to_owned);
        let sessions = home.sessions();
        let ids = written.sessions.iter().filter(|(_, lines)| *lines > 0).map(|(name, lines)| {
            let row = sessions.iter().find(|it| wanted(it).as_ref() == Some(name))?;
            let known = row["prompts"].as_u64()? >= u64::from(lines.div_ceil(2));
            known.then(|| (row["id"].as_str().unwrap().to_owned(), *lines))
        });
        ids.collect::<Option<Vec<_>>>()
    });
    let mut hooks = Vec::new();
    for (id, lines) in &ids {
        let check = || {
            let (told, hooked) = texts(home, id);
            let all = told.len() == *lines as usize;
            (all || told.len() > *lines as usize).then_some((told, hooked))
        };
        let (told, hooked) = until_every(Duration::from_millis(200), "the last lines", check);
        assert_eq!(told, (0..*lines).map(said).collect::<Vec<_>>(), "{id}");
        hooks.extend(hooked);
    }
    let once: BTreeSet<_> = hooks.iter().cloned().collect();
    assert_eq!((hooks.len(), once), (written.hooks.len(), written.hooks.clone()));
}

/// The texts of a session's transcript, and those of hooks.
fn texts(home: &Home, id: &str) -> (Vec<String>, Vec<String>) {
    let (mut told, mut hooked) = (Vec::new(), Vec::new());
    for event in home.events(id) {
        let Some(text) = event["text"].as_str() else { continue };
        match (event["source"].as_str(), event["kind"].as_str()) {
            (Some("hook"), _) => hooked.push(text.to_owned()),
            (_, Some("user.prompt" | "assistant.message")) => told.push(text.to_owned()),
            _ => {}
        }
    }
    (told, hooked)
}

/// A subscriber to a session.
pub(crate) struct Follower {
    child: Child,
}

impl Follower {
    /// Follows from the current end.
    pub(crate) fn start(home: &Home, id: &str) -> Self {
        let mut command = home.command(&["tail", "-f", id, "--json"]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut first = String::new();
        // Existing lines come first; from then on it follows.
        let out = child.stdout.as_mut().unwrap();
        read_line(out, &mut first);
        Self { child }
    }

    /// Checks that it received these, once each and in this order.
    pub(crate) fn saw(&mut self, expected: &[String]) {
        let mut got = Vec::new();
        let lines = BufReader::new(self.child.stdout.take().unwrap()).lines();
        for line in lines {
            let event: Value = serde_json::from_str(&line.unwrap()).unwrap();
            let kind = event["kind"].as_str().unwrap();
            if matches!(kind, "user.prompt" | "assistant.message") {
                got.push(event["text"].as_str().unwrap().to_owned());
            }
            if got.len() >= expected.len() {
                break;
            }
        }
        assert_eq!(got, expected);
    }
}

/// Reads no further than the end of a line.
fn read_line(from: &mut impl std::io::Read, into: &mut String) {
    let mut byte = [0];
    while from.read(&mut byte).unwrap() == 1 && byte != *b"\n" {
        into.push(char::from(byte[0]));
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        // The process may have ended already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
