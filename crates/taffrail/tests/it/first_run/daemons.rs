//! `daemon start`, `stop` and `restart` return when they are done.

use super::{daemon_status, unread};
use taffrail_testkit::Home;

/// Enough that reading takes longer than a command.
const SESSIONS: usize = 400;

fn is_gone(pid: u64) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // A zombie counts as ended, too.
    let state = stat.rsplit_once(')').map(|(_, rest)| rest.trim_start().to_owned());
    state.is_none_or(|it| it.starts_with('Z'))
}

/// A background daemon that ends with the test, however that ends.
struct Background<'a>(&'a Home);

impl Drop for Background<'_> {
    fn drop(&mut self) {
        drop(self.0.run(&["daemon", "stop"]));
    }
}

#[test]
fn a_command_right_after_start_or_restart_sees_the_daemon() {
    let home = unread(SESSIONS);
    let _background = Background(&home);
    home.ok(&["daemon", "start"]);
    let check = |what: &str| {
        let line = home.ok(&["status"]);
        assert!(!line.contains("no daemon"), "{what}: {line}");
        assert_eq!(daemon_status(&home)["running"], true, "{what}");
    };
    check("after start");
    let first = daemon_status(&home)["pid"].as_u64().unwrap();
    home.ok(&["daemon", "restart"]);
    check("after restart");
    let second = daemon_status(&home)["pid"].as_u64().unwrap();
    assert!(second != first && is_gone(first), "another one runs, and the first is gone");
}

#[test]
fn stop_ends_a_daemon_that_reads_and_returns_when_it_is_gone() {
    let home = unread(SESSIONS);
    let _background = Background(&home);
    home.ok(&["daemon", "start"]);
    let pid = daemon_status(&home)["pid"].as_u64().unwrap();
    home.ok(&["daemon", "stop"]);
    assert!(is_gone(pid), "its process is still there");
    assert_eq!(daemon_status(&home)["running"], false);
    // What was read is kept, and the rest is read later: nothing is lost or duplicated.
    home.ok(&["index"]);
    assert_eq!(home.sessions().len(), SESSIONS);
    assert_eq!(home.run(&["daemon", "stop"]).stderr, "no daemon runs\n");
}

#[test]
fn starting_twice_leaves_one_daemon() {
    let home = unread(1);
    let _background = Background(&home);
    home.ok(&["daemon", "start"]);
    let pid = daemon_status(&home)["pid"].clone();
    home.ok(&["daemon", "start"]);
    assert_eq!(daemon_status(&home)["pid"], pid);
}
