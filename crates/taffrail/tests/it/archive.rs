//! The archive, tested through the program: deleted history stays readable, changed history counts,
//! and a copy equals its source byte for byte or does not exist.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

mod changed;
mod copies;
mod damaged;
mod deleted;
mod left_out;

use std::fs;
use std::path::PathBuf;
use taffrail_testkit::Home;
use taffrail_testkit::copies::{ARCHIVE, ArchivedCopy, kept};

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
const SESSION: &str = "11111111-1111-4111-8111-111111111111";

/// Every copy; each must be a complete zstd stream.
fn copies(home: &Home) -> Vec<ArchivedCopy> {
    let all = kept(home);
    assert!(all.iter().all(|it| it.whole), "{all:?}");
    all
}

/// Every file in the archive.
fn files(home: &Home) -> Vec<PathBuf> {
    let folders = fs::read_dir(home.path(ARCHIVE)).unwrap().map(|it| it.unwrap().path());
    let files = folders.flat_map(|it| fs::read_dir(it).unwrap()).map(|it| it.unwrap().path());
    let mut files: Vec<_> = files.collect();
    files.sort();
    files
}

/// How many events of all sessions are shown from their excerpt.
fn stale(home: &Home) -> usize {
    let sessions = home.sessions();
    let events = sessions.iter().flat_map(|it| home.events(it["id"].as_str().unwrap()));
    events.filter(|event| event["data"]["stale"] == true).count()
}

fn texts(home: &Home, runtime_id: &str) -> Vec<String> {
    let events = home.events(runtime_id);
    events.iter().map(|event| event["text"].as_str().unwrap_or_default().to_owned()).collect()
}

fn lifecycle(home: &Home, runtime_id: &str) -> String {
    home.session(runtime_id)["lifecycle"].as_str().unwrap().to_owned()
}

/// How many events a query finds; none of them from an excerpt.
fn total(home: &Home, query: &str) -> u64 {
    let reply = home.json(&["search", query, "--json", "--limit", "10000"]);
    let hits = reply["hits"].as_array().unwrap();
    assert!(hits.iter().all(|hit| hit["stale"] == false), "{query}: {reply}");
    reply["total"].as_u64().unwrap()
}
