//! The agent, the neighbour and the repository are not the user.
#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

mod agent;
mod files;
mod neighbour;
mod rules;
mod shown;
mod who;

use serde_json::Value;
use std::time::Duration;
use taffrail_testkit::{Home, Run, until_every};

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
const LOOK: Duration = Duration::from_millis(50);

/// A daemon over a home, up and answering.
fn daemon(home: &Home) -> Run {
    let run = home.spawn(&["daemon", "run"]);
    until_every(LOOK, "the daemon to answer", || {
        home.json(&["daemon", "status", "--json"])["running"].as_bool().filter(|it| *it)
    });
    run
}

/// The open requests.
fn pending(home: &Home) -> Vec<Value> {
    let all = home.json(&["approvals", "--json"]);
    let all = all["approvals"].as_array().unwrap().iter();
    all.filter(|it| it["state"] == "pending").cloned().collect()
}
