//! A small world: a directory as hub, devices of different people in one team, and their sessions.

use crate::share::PROGRAM;
use serde_json::Value;
use std::time::Duration;
use taffrail_testkit::claude::talk;
use taffrail_testkit::{Home, Run, until_every};
use tempfile::TempDir;

/// The interval between two polls of the program.
const PAUSE: Duration = Duration::from_millis(100);

/// A device of a user, in a team of its own.
pub(crate) fn device(name: &str, user: &str) -> Home {
    let home = Home::new(PROGRAM);
    home.ok(&["device", "init", "--name", name, "--user", user]);
    home
}

/// Ann's laptop, Bob's desk and Carl's phone, in one team that uses one hub.
pub(crate) fn team(hub: &TempDir) -> [Home; 3] {
    let users = [("laptop", "ann@x.org"), ("desk", "bob@x.org"), ("phone", "carl@x.org")];
    let homes = users.map(|(name, user)| device(name, user));
    for (new, (_, user)) in homes.iter().zip(users).skip(1) {
        take_in(&homes[0], new, user);
    }
    for home in &homes {
        home.ok(&["hub", "use", &format!("file://{}", hub.path().display())]);
    }
    homes
}

fn take_in(admin: &Home, new: &Home, user: &str) {
    let invite = admin.json(&["device", "invite", "--for", user, "--json"]);
    let asked = new.json(&["device", "join", word(&invite, "invite"), "--json"]);
    admin.ok(&["device", "approve", word(&asked, "request"), "--yes"]);
}

/// A daemon that answers.
pub(crate) fn daemon(home: &Home) -> Run {
    let run = home.spawn(&["daemon", "run"]);
    look("the daemon to answer", || {
        let status = home.run(&["daemon", "status", "--json"]);
        let status: Value = serde_json::from_str(&status.stdout).ok()?;
        status["running"].as_bool().filter(|it| *it)
    });
    run
}

/// Stops a daemon as its user does.
pub(crate) fn end(home: &Home, mut run: Run) {
    home.ok(&["daemon", "stop"]);
    assert_eq!(run.wait().code(), Some(0), "the daemon's own end");
}

/// The agent's id of the session with this number.
pub(crate) fn name(number: u32) -> String {
    format!("{number:08}-1111-4111-8111-111111111111")
}

/// Adds messages to a session.
pub(crate) fn say(home: &Home, number: u32, (first, end): (u32, u32)) {
    write(home, number, &talk(&name(number), first, end));
}

/// Adds lines to a session.
pub(crate) fn write(home: &Home, number: u32, lines: &str) {
    let path = format!(".claude/projects/-w-app/{}.jsonl", name(number));
    match home.path(&path).exists() {
        true => home.append(&path, lines),
        false => home.write(&path, lines),
    }
}

/// The session with this number, if a device knows it.
pub(crate) fn known(home: &Home, number: u32) -> Option<Value> {
    home.sessions().into_iter().find(|it| it["runtime_session_id"] == name(number))
}

/// Waits until a device knows a session with this many messages; returns it.
pub(crate) fn seen(home: &Home, number: u32, messages: usize) -> Value {
    look("a session", || known(home, number).filter(|it| said(home, it).len() >= messages))
}

/// The conversation of a session, as a device shows it.
pub(crate) fn said(home: &Home, session: &Value) -> Vec<Value> {
    let mut all = home.events(word(session, "id"));
    all.retain(|it| it["kind"] == "user.prompt" || it["kind"] == "assistant.message");
    all
}

/// Waits until a device knows no session.
pub(crate) fn nothing_left(home: &Home) {
    look("nothing to be left", || home.sessions().is_empty().then_some(()));
}

/// Polls until there is a result.
pub(crate) fn look<T>(what: &str, see: impl FnMut() -> Option<T>) -> T {
    until_every(PAUSE, what, see)
}

/// A string in a document.
pub(crate) fn word<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_else(|| panic!("no {name} in {value}"))
}
