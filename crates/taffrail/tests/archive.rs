//! The archive, seen through the program: what an agent deletes stays readable, what it changes is
//! believed, and a copy is the source byte for byte or nothing.
#![expect(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

#[path = "archive/changed.rs"]
mod changed;
#[path = "archive/copies.rs"]
mod copies;
#[path = "archive/damaged.rs"]
mod damaged;
#[path = "archive/deleted.rs"]
mod deleted;
#[path = "archive/left_out.rs"]
mod left_out;

use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use taffrail_testkit::Home;

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
const SESSION: &str = "11111111-1111-4111-8111-111111111111";
const ARCHIVE: &str = ".local/share/taffrail/archive";

/// A copy as it stands on disk.
#[derive(Debug)]
struct Copy {
    path: PathBuf,
    /// Where its source stands below the agent's home, and which part of it.
    source: String,
    key: String,
    bytes: Vec<u8>,
}

/// Every copy; each must be a zstd stream that begins with a label.
fn copies(home: &Home) -> Vec<Copy> {
    let mut files = Vec::new();
    if home.path(ARCHIVE).exists() {
        files_below(&home.path(ARCHIVE), &mut files);
    }
    files.sort();
    files.into_iter().map(copy).collect()
}

fn copy(path: PathBuf) -> Copy {
    let file = fs::read(&path).unwrap();
    let label = label(&file);
    let bytes = zstd::decode_all(file.as_slice()).unwrap_or_else(|e| panic!("{path:?}: {e}"));
    let text = |name: &str| label[name].as_str().unwrap().to_owned();
    Copy { source: text("path"), key: text("key"), path, bytes }
}

/// The label at the beginning of a file: magic, size, checksum, JSON.
fn label(file: &[u8]) -> Value {
    assert_eq!(file[..4], 0x184d_2a50_u32.to_le_bytes());
    let size = u32::from_le_bytes(file[4..8].try_into().unwrap()) as usize;
    serde_json::from_slice(&file[24..8 + size]).unwrap()
}

fn files_below(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files_below(&path, out) } else { out.push(path) }
    }
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

/// How many events a question finds; none of them from memory.
fn total(home: &Home, query: &str) -> u64 {
    let reply = home.json(&["search", query, "--json", "--limit", "10000"]);
    let hits = reply["hits"].as_array().unwrap();
    assert!(hits.iter().all(|hit| hit["stale"] == false), "{query}: {reply}");
    reply["total"].as_u64().unwrap()
}
