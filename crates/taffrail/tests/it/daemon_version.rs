//! A daemon of another version than the program.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

use serde_json::Value;
use std::fs;
use taffrail_testkit::{Background, Home};

const PLACE: &str = ".local/state/taffrail/daemon.json";

fn place(home: &Home) -> Value {
    serde_json::from_slice(&fs::read(home.path(PLACE)).unwrap()).unwrap()
}

/// Starts a daemon that claims to be of this version, and then asks for a daemon again. Returns
/// what was said, and the processes before and after.
fn asked_again(home: &Home, version: &str) -> (String, Value, Value) {
    home.ok(&["daemon", "start"]);
    let mut claimed = place(home);
    let before = claimed["pid"].clone();
    claimed["version"] = version.into();
    fs::write(home.path(PLACE), claimed.to_string()).unwrap();
    let output = home.run(&["daemon", "start"]);
    assert_eq!(output.status, 0, "{}", output.stderr);
    (output.stderr, before, place(home)["pid"].clone())
}

#[test]
fn an_older_daemon_goes_on_running_after_an_upgrade() {
    let home = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    let _daemon = Background::stopped_later(&home);
    let (said, before, after) = asked_again(&home, "0.0.1");
    assert!(said.contains("the daemon runs version 0.0.1; restarting it"), "{said}");
    assert_ne!(before, after);
    assert_eq!(place(&home)["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn a_newer_daemon_is_left_alone() {
    let home = Home::new(env!("CARGO_BIN_EXE_taffrail"));
    let _daemon = Background::stopped_later(&home);
    let (said, before, after) = asked_again(&home, "99.0.0");
    assert!(said.contains("upgrade this program"), "{said}");
    assert_eq!(before, after);
}
