//! Who is notified: not a person who is already looking, and only through the configured command.

use super::{FIRST, Machine, SECOND, card, id, until};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use taffrail_context::LiveStatus;
use taffrail_context::set_away;
use taffrail_model::Timestamp;
use taffrail_model::status::Status;
use tempfile::TempDir;

/// A clock that advances.
pub(super) fn clock() -> Timestamp {
    static BEGAN: OnceLock<Instant> = OnceLock::new();
    let gone = BEGAN.get_or_init(Instant::now).elapsed().as_millis();
    let began: Timestamp = "2026-10-01T10:30:00Z".parse().unwrap();
    let at = began.as_millisecond() + i64::try_from(gone).unwrap();
    Timestamp::from_millisecond(at).unwrap()
}

/// A tmux shown in a pane of another tmux, which can be typed into.
struct Nested {
    folder: TempDir,
}

impl Nested {
    fn start() -> Self {
        let it = Self { folder: tempfile::tempdir().unwrap() };
        it.inner(&["new-session", "-d", "-s", "s", "exec cat"]);
        it.inner(&["set-option", "-s", "focus-events", "on"]);
        let attach = format!(
            "env -u TMUX TERM=xterm-256color TMUX_TMPDIR={} tmux -L inner attach",
            it.folder.path().display()
        );
        it.outer(&["-f", "/dev/null", "new-session", "-d", "-x", "90", "-y", "30", &attach]);
        it
    }

    fn tmux(&self, name: &str, words: &[&str]) -> String {
        let mut tmux = Command::new("tmux");
        tmux.env_remove("TMUX").env("TMUX_TMPDIR", self.folder.path()).args(["-L", name]);
        let output = tmux.args(words).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    fn inner(&self, words: &[&str]) -> String {
        let all: Vec<&str> = ["-f", "/dev/null"].iter().chain(words).copied().collect();
        self.tmux("inner", &all)
    }

    fn outer(&self, words: &[&str]) -> String {
        self.tmux("outer", words)
    }

    /// Reports focus or its loss to the inner terminal.
    fn focus(&self, is_here: bool) {
        let last = if is_here { "49" } else { "4f" };
        until("the focus", || {
            self.outer(&["send-keys", "-H", "1b", "5b", last]);
            let flags = self.inner(&["list-clients", "-F", "#{client_flags}"]);
            (flags.contains("attached") && flags.contains("focused") == is_here).then_some(())
        });
    }

    fn pane(&self) -> String {
        let socket = self.inner(&["display-message", "-p", "-t", "s", "#{socket_path}"]);
        format!("tmux:{}:%0", socket.trim())
    }
}

impl Drop for Nested {
    fn drop(&mut self) {
        self.outer(&["kill-server"]);
        self.inner(&["kill-server"]);
    }
}

/// A machine that writes its notifications to a file, and knows where tmux keeps its sockets.
fn machine(nested: &Nested) -> (Machine, PathBuf) {
    let folder = nested.folder.path().display().to_string();
    machine_with(nested, [("TMUX_TMPDIR".to_owned(), folder)].into())
}

/// The same with these variables.
fn machine_with(nested: &Nested, variables: HashMap<String, String>) -> (Machine, PathBuf) {
    let notes = nested.folder.path().join("notes");
    let machine = Machine::with(|settings| {
        settings.now = clock;
        std::fs::create_dir_all(&settings.user_home).unwrap();
        let tell = format!("cat >> {}", notes.display());
        settings.notices.command = ["sh", "-c", &tell].map(str::to_owned).to_vec();
        settings.variables.extend(variables);
    });
    (machine, notes)
}

/// Both sessions wait, the first in the pane, the second elsewhere; returns the notifications.
fn told(machine: &Machine, notes: &Path, pane: &str) -> Vec<String> {
    machine.runs_at(FIRST, Status::WaitingApproval, pane);
    let elsewhere =
        LiveStatus { executor: Some("process:417".to_owned()), ..card(Status::WaitingApproval) };
    machine.handle.live().put_status(id(SECOND), Some(Arc::new(elsewhere)));
    machine.handle.open_notices(None);
    machine.handle.notices().looked_up();
    let line = until("a notice", || {
        let text = std::fs::read_to_string(notes).ok()?;
        text.ends_with('\n').then_some(text)
    });
    machine.handle.notices().stop();
    let message: serde_json::Value = serde_json::from_str(&line).unwrap();
    let about = message["about"].as_array().unwrap().iter();
    about.map(|it| it["session_id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn who_looks_at_it_is_not_told() {
    let nested = Nested::start();
    nested.focus(true);
    let (machine, notes) = machine(&nested);
    assert_eq!(told(&machine, &notes, &nested.pane()), [id(SECOND).to_string()]);
}

#[test]
fn who_looks_at_it_in_a_tmux_of_another_folder_is_not_told() {
    let nested = Nested::start();
    nested.focus(true);
    // Only the executor of the session names the server.
    let (machine, notes) = machine_with(&nested, HashMap::new());
    assert_eq!(told(&machine, &notes, &nested.pane()), [id(SECOND).to_string()]);
}

#[test]
fn who_looks_elsewhere_or_is_away_is_told() {
    let both = [id(FIRST).to_string(), id(SECOND).to_string()];
    let check = |prepare: fn(&Nested, &Machine)| {
        let nested = Nested::start();
        nested.focus(true);
        let (machine, notes) = machine(&nested);
        prepare(&nested, &machine);
        let mut about = told(&machine, &notes, &nested.pane());
        about.sort();
        let mut both = both.clone();
        both.sort();
        assert_eq!(about, both);
    };
    check(|nested, _| nested.focus(false));
    check(|_, machine| set_away(machine.handle.settings(), true).unwrap());
    // Without focus events, it is unknown who is looking.
    check(|nested, _| drop(nested.inner(&["set-option", "-s", "focus-events", "off"])));
}

#[test]
fn what_cannot_be_sent_is_counted_where_it_is_asked_for() {
    let nested = Nested::start();
    let (machine, _) = machine(&nested);
    let mut settings = machine.handle.settings().clone();
    settings.notices.command = vec!["/nowhere/at/all".to_owned()];
    drop(machine);
    let machine = Machine::with(|it| {
        it.now = clock;
        it.notices = settings.notices;
    });
    machine.handle.live().put_status(id(FIRST), Some(Arc::new(card(Status::WaitingApproval))));
    machine.handle.open_notices(None);
    machine.handle.notices().looked_up();
    let counted = "taffrail_notifications_total{channel=\"command\",came=\"failed\"} 1";
    until("the count", || {
        std::thread::park_timeout(Duration::from_millis(50));
        machine.get("/metrics").body.contains(counted).then_some(())
    });
    let health: serde_json::Value = machine.client().get("/api/health").unwrap();
    let problem = health["problems"][0].as_str().unwrap();
    assert!(problem.starts_with("notifications by command: /nowhere/at/all: "), "{problem}");
    machine.handle.notices().stop();
}
