//! The first hour on a machine: an empty home, no daemon, no index, and `taffrail setup` with its
//! undo.
#![expect(clippy::disallowed_methods, reason = "sessions of just now need to know what time it is")]
#![expect(
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

mod answering;
mod daemons;
mod faces;
mod homes;
mod setup;

use serde_json::Value;
use std::fs;
use taffrail_testkit::{Home, claude};

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");

/// A home with this many sessions that were never indexed.
fn unread(sessions: usize) -> Home {
    let home = Home::new(PROGRAM);
    for number in 0..sessions {
        let session = format!("{number:08}-1111-4111-8111-111111111111");
        home.write(&claude::path(&session), claude::talk(&session, 0, 6));
    }
    home
}

fn text(home: &Home, below: &str) -> String {
    fs::read_to_string(home.path(below)).unwrap()
}

fn daemon_status(home: &Home) -> Value {
    home.json(&["daemon", "status", "--json"])
}
