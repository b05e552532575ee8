//! A small world: a hub, homes of one user in one team, their daemons, and handwritten sessions.

use crate::hub::PROGRAM;
use serde_json::Value;
use std::path::Path;
use std::time::Duration;
use taffrail_testkit::claude::talk;
use taffrail_testkit::hubs::{Flush, NatsServer};
use taffrail_testkit::{Home, Run, until_every};
use tempfile::TempDir;

/// The user of the devices.
const USER: &str = "ann@x.org";
/// The interval between two polls of the program.
const PAUSE: Duration = Duration::from_millis(100);
/// The folder of sessions whose folder does not matter.
pub(crate) const PROJECT: &str = "/w/app";

/// A hub of either kind; it ends with the test.
#[derive(Debug)]
pub(crate) enum Hub {
    Directory(TempDir),
    Server(Box<NatsServer>),
}

impl Hub {
    pub(crate) fn directory() -> Self {
        Self::Directory(TempDir::new().unwrap())
    }

    pub(crate) fn server() -> Self {
        Self::Server(Box::new(NatsServer::start(Flush::Always)))
    }

    pub(crate) fn url(&self) -> String {
        match self {
            Self::Directory(folder) => format!("file://{}", folder.path().display()),
            Self::Server(server) => server.url(),
        }
    }

    /// The folder of its data.
    pub(crate) fn store(&self) -> std::path::PathBuf {
        match self {
            Self::Directory(folder) => folder.path().to_owned(),
            Self::Server(server) => server.store(),
        }
    }
}

/// Runs the same check over each kind of hub.
pub(crate) fn over_each(check: impl Fn(&Hub)) {
    for hub in [Hub::directory(), Hub::server()] {
        check(&hub);
    }
}

/// Devices in one team that use a hub. The first one admits the others.
pub(crate) fn team<const N: usize>(hub: &Hub, names: [&str; N]) -> [Home; N] {
    let homes = names.map(device);
    for new in homes.iter().skip(1) {
        take_in(&homes[0], new);
    }
    for home in &homes {
        home.ok(&["hub", "use", &hub.url()]);
    }
    homes
}

/// Adds a device, admitted by an admin that already uses the hub.
pub(crate) fn comes_in(hub: &Hub, admin: &Home, name: &str) -> Home {
    let new = device(name);
    take_in(admin, &new);
    new.ok(&["hub", "use", &hub.url()]);
    new
}

pub(crate) fn take_in(admin: &Home, new: &Home) {
    let invite = admin.json(&["device", "invite", "--json"]);
    let asked = new.json(&["device", "join", word(&invite, "invite"), "--json"]);
    admin.ok(&["device", "approve", word(&asked, "request"), "--yes"]);
}

pub(crate) fn device(name: &str) -> Home {
    let home = Home::new(PROGRAM);
    home.ok(&["device", "init", "--name", name, "--user", USER]);
    home
}

/// A daemon that answers.
pub(crate) fn daemon(home: &Home) -> Run {
    let run = home.spawn(&["daemon", "run"]);
    until_every(PAUSE, "the daemon to answer", || {
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

/// Writes a session with this many messages in a folder.
pub(crate) fn write_in(home: &Home, project: &str, number: u32, messages: u32) {
    home.write(&path_in(project, number), more(project, number, (0, messages)));
}

/// Messages of a session in a folder.
pub(crate) fn more(project: &str, number: u32, (first, end): (u32, u32)) -> String {
    talk(&name(number), first, end).replace(PROJECT, project)
}

/// The same in the default folder.
pub(crate) fn write(home: &Home, number: u32, messages: u32) {
    write_in(home, PROJECT, number, messages);
}

/// Continues the session.
pub(crate) fn go_on(home: &Home, number: u32, (first, end): (u32, u32)) {
    home.append(&path_in(PROJECT, number), more(PROJECT, number, (first, end)));
}

/// The transcript path of a session in a folder.
pub(crate) fn path_in(project: &str, number: u32) -> String {
    let plain = |it: char| if it.is_ascii_alphanumeric() { it } else { '-' };
    let folder: String = project.chars().map(plain).collect();
    format!(".claude/projects/{folder}/{}.jsonl", name(number))
}

/// The session with this number, if a device knows it.
pub(crate) fn known(home: &Home, number: u32) -> Option<Value> {
    home.sessions().into_iter().find(|it| it["runtime_session_id"] == name(number))
}

/// Waits until a device knows a session with this many events; returns it.
pub(crate) fn seen(home: &Home, number: u32, events: u64) -> Value {
    look("a session", || known(home, number).filter(|it| said(home, it).len() as u64 >= events))
}

/// The conversation of a session, as a device shows it.
pub(crate) fn said(home: &Home, session: &Value) -> Vec<Value> {
    let mut all = home.events(word(session, "id"));
    all.retain(|it| it["kind"] == "user.prompt" || it["kind"] == "assistant.message");
    all
}

/// Polls until there is a result.
pub(crate) fn look<T>(what: &str, see: impl FnMut() -> Option<T>) -> T {
    until_every(PAUSE, what, see)
}

/// How many times words are found.
pub(crate) fn found(home: &Home, words: &str) -> u64 {
    home.json(&["search", words, "--json"])["total"].as_u64().unwrap()
}

/// What a recovery key in the home restores from a hub.
pub(crate) fn recover_at(home: &Home, url: &str) -> Value {
    home.json(&["key", "recover", url, "--key", "key", "--json"])
}

/// The problems that a daemon reports.
pub(crate) fn trouble(home: &Home) -> String {
    home.json(&["health", "--json"])["problems"].to_string()
}

/// Every file below a folder, and its size.
pub(crate) fn files(folder: &Path) -> Vec<(std::path::PathBuf, u64)> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        match entry.path().is_dir() {
            true => out.extend(files(&entry.path())),
            false => out.push((entry.path(), entry.metadata().unwrap().len())),
        }
    }
    out.sort();
    out
}

/// A string in a document.
pub(crate) fn word<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_else(|| panic!("no {name} in {value}"))
}
