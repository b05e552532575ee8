//! Devices, their team, and sessions that move between them: two homes or more, and the program.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

mod carried;
mod devices;
mod hostile;
mod refused;
mod shared;

use serde_json::Value;
use std::path::{Path, PathBuf};
use taffrail_testkit::Home;
use taffrail_testkit::claude::talk;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
/// The session that moves.
pub(crate) const SESSION: &str = "11111111-1111-4111-8111-111111111111";

/// A device of a user, in a team of its own.
pub(crate) fn device(name: &str, user: &str) -> Home {
    let home = Home::new(PROGRAM);
    home.ok(&["device", "init", "--name", name, "--user", user]);
    std::fs::create_dir(home.path("proj")).unwrap();
    home
}

/// Admits a device to the team of another, as a device of this user.
pub(crate) fn take_in(admin: &Home, new: &Home, user: &str) {
    let invite = admin.json(&["device", "invite", "--for", user, "--json"]);
    let asked = new.json(&["device", "join", word(&invite, "invite"), "--json"]);
    admin.ok(&["device", "approve", word(&asked, "request"), "--yes"]);
}

/// A laptop and a tower of one user, in one team.
pub(crate) fn pair() -> (Home, Home) {
    let (laptop, tower) = (device("laptop", "ann@x.org"), device("tower", "ann@x.org"));
    take_in(&laptop, &tower, "ann@x.org");
    (laptop, tower)
}

/// The folder of a session.
pub(crate) fn project(home: &Home) -> PathBuf {
    home.path("proj")
}

/// The agent's history folder of a project, below the home.
pub(crate) fn folder(project: &Path) -> String {
    let plain = |it: char| if it.is_ascii_alphanumeric() { it } else { '-' };
    let name: String = project.to_str().unwrap().chars().map(plain).collect();
    format!(".claude/projects/{name}")
}

/// The transcript of the session on a device.
pub(crate) fn transcript(home: &Home) -> String {
    format!("{}/{SESSION}.jsonl", folder(&project(home)))
}

/// Lines of a session in the folder of a device.
pub(crate) fn lines(home: &Home, first: u32, end: u32) -> String {
    talk(SESSION, first, end).replace("/w/app", project(home).to_str().unwrap())
}

/// Writes a session of twenty messages on a device; returns its id.
pub(crate) fn session(home: &Home) -> String {
    home.write(&transcript(home), lines(home, 0, 20));
    home.index();
    word(&home.session(SESSION), "id").to_owned()
}

/// Packs the session for others, and returns the bundle.
pub(crate) fn packed(home: &Home, to: &[&str]) -> PathBuf {
    let file = home.path("s.bundle");
    let arguments = ["teleport", "pack", SESSION, "--force", "--out", file.to_str().unwrap()];
    home.ok(&[&arguments[..], &["--to", &to.join(",")]].concat());
    file
}

/// Unpacks a bundle into the folder of a device, with more arguments.
pub(crate) fn unpack(home: &Home, file: &Path, more: &[&str]) -> taffrail_testkit::Output {
    let folder = project(home);
    let words = ["teleport", "unpack", file.to_str().unwrap(), "--project"];
    home.run(&[&words[..], &[folder.to_str().unwrap()], more].concat())
}

/// The same for a bundle that must be accepted; returns the report.
pub(crate) fn unpacked(home: &Home, file: &Path, more: &[&str]) -> Value {
    let output = unpack(home, file, &[more, &["--json"]].concat());
    assert_eq!(output.status, 0, "{}{}", output.stdout, output.stderr);
    serde_json::from_str(&output.stdout).unwrap()
}

/// A string in a document.
pub(crate) fn word<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_else(|| panic!("no {name} in {value}"))
}
