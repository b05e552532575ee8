//! Recorded sessions of real agents, replayed instant by instant: every answer of the API says the
//! same status of a session.
//!
//! The recordings are those of `adapters/tests/replay`. At each instant at which something was
//! written, and some time after the last, the agent's files and the journal hold what was written so
//! far, and the clock shows that instant.

use super::super::local::local;
use serde_json::{Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use taffrail_api::Client;
use taffrail_context::Settings;
use taffrail_ingest::{Budget, Scope, index};
use taffrail_model::Timestamp;
use tempfile::TempDir;

/// The minimum number of recordings: losing any must fail the test.
const FEWEST: usize = 15;

/// Seconds after the last record at which time alone changes a status.
const LATER: [i64; 4] = [130, 1_000, 90_000, 200_000];

/// The clock of the replay, in milliseconds.
static NOW: AtomicI64 = AtomicI64::new(0);

fn now() -> Timestamp {
    Timestamp::from_millisecond(NOW.load(Ordering::Relaxed)).unwrap()
}

/// A line of a recording: when it was written, and where.
struct Written {
    at: i64,
    file: PathBuf,
    line: String,
}

/// The lines of a recording in the order in which they were written.
fn lines_of(recording: &Path) -> Vec<Written> {
    let home = recording.join("home");
    let mut out = Vec::new();
    for file in files_below(&home) {
        let below = file.strip_prefix(&home).unwrap();
        let place = Path::new("home").join(agent(recording).1).join(below);
        out.extend(lines_in(&file, &place));
    }
    let journal = Path::new("data/journal").join(agent(recording).0);
    out.extend(lines_in(&recording.join("journal.jsonl"), &journal.join("2026-11-14.jsonl")));
    out.sort_by_key(|it| it.at);
    out
}

/// The agent of a recording, and its home.
fn agent(recording: &Path) -> (&'static str, &'static str) {
    match name(recording).split('_').next() {
        Some("claude") => ("claude-code", ".claude"),
        Some("codex") => ("codex", ".codex"),
        Some("gemini") => ("gemini-cli", ".gemini"),
        Some("qwen") => ("qwen-code", ".qwen"),
        Some("copilot") => ("copilot-cli", ".copilot"),
        other => panic!("{other:?} is not an agent"),
    }
}

fn name(recording: &Path) -> &str {
    recording.file_name().unwrap().to_str().unwrap()
}

/// The lines of a file. A line without a time was written with the one before.
fn lines_in(file: &Path, place: &Path) -> Vec<Written> {
    let text = fs::read_to_string(file).unwrap();
    let mut last = 0;
    let written = text.lines().map(|line| {
        last = time_of(line).map_or(last, |at| at.max(last));
        Written { at: last, file: place.to_owned(), line: format!("{line}\n") }
    });
    let mut written: Vec<_> = written.collect();
    // Lines before the first with a time were written with it.
    let first = written.iter().map(|it| it.at).find(|at| *at > 0).unwrap_or_default();
    written.iter_mut().for_each(|it| it.at = it.at.max(first));
    written
}

fn time_of(line: &str) -> Option<i64> {
    let record: Value = serde_json::from_str(line).ok()?;
    let at = record.get("at").or_else(|| record.get("timestamp"))?.as_str()?;
    at.parse::<Timestamp>().ok().map(Timestamp::as_millisecond)
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    let below = |path: PathBuf| if path.is_dir() { files_below(&path) } else { vec![path] };
    let mut files: Vec<_> = entries.flat_map(below).collect();
    files.sort();
    files
}

/// A machine on which a recording is replayed.
struct Replay {
    folder: TempDir,
    settings: Settings,
}

impl Replay {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let settings = Settings::in_folder(folder.path(), now);
        Self { folder, settings }
    }

    fn append(&self, written: &Written) {
        let path = self.folder.path().join(&written.file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut file = fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
        file.write_all(written.line.as_bytes()).unwrap();
    }

    /// Asks everything about every session, and counts the sessions that were asked about.
    fn ask(&self, at: i64) -> usize {
        NOW.store(at, Ordering::Relaxed);
        index(&self.settings, &Scope::All, Budget::Whole, &mut |_| {}).unwrap();
        let ours = (self.folder.path().join("state"), PathBuf::from("/usr/bin/taffrail"));
        let client = local(&self.settings, ours).unwrap();
        let list: Value = client.get("/api/sessions?all=true&limit=1000").unwrap();
        let rows = list["sessions"].as_array().unwrap();
        rows.iter().for_each(|row| agree(&client, row));
        rows.len()
    }
}

/// Every answer about a session agrees with its row in the list.
fn agree(client: &Client, row: &Value) {
    let id = row["id"].as_str().unwrap();
    let get = |rest: &str| client.get::<Value>(&format!("/api/sessions/{id}{rest}")).unwrap();
    let when = now();
    assert_eq!(&get(""), row, "one session and the list at {when}");
    let explained = get("/explain");
    let words = ["status", "group", "failed", "confidence", "waiting_for"];
    let said = |it: &Value| words.map(|word| it[word].clone());
    assert_eq!(said(&explained), said(row), "why and the list at {when}");
    assert_eq!(explained["since"], row["status_since"], "since when, at {when}");
    let binding = get("/binding");
    let is_active = json!(row["executor"].is_string());
    assert_eq!(json!(binding["status"] == "active"), is_active, "{binding} {row} at {when}");
    let status = row["status"].as_str().unwrap();
    let snapshot = get("/snapshot");
    assert_eq!(snapshot["workers"][0]["runtime"]["status"], status, "the snapshot at {when}");
    let state = get("/state");
    let expected = documents_say(status);
    let state_of = snapshot["session"]["state"].as_str().unwrap();
    assert!(expected.0.contains(&state_of), "snapshot {state_of}, {row} at {when}");
    let state_of = state["status"].as_str().unwrap();
    assert!(expected.1.contains(&state_of), "state {state_of}, {row} at {when}");
}

/// The words of a snapshot's session and of a session state that a status allows.
fn documents_say(status: &str) -> (&'static [&'static str], &'static [&'static str]) {
    match status {
        "running" => (&["active"], &["in_progress"]),
        "waiting" | "waiting_approval" => (&["active"], &["paused"]),
        "idle" => (&["idle"], &["paused"]),
        "exited" => {
            (&["completed", "idle", "failed"], &["completed", "paused", "aborted", "error"])
        }
        "unknown" => (&["idle", "failed"], &["paused", "error"]),
        other => panic!("{other} is not a status"),
    }
}

/// Replays a recording, and counts the answers that were compared.
fn replayed(recording: &Path) -> usize {
    let (machine, lines) = (Replay::new(), lines_of(recording));
    let mut asked = 0;
    for (number, written) in lines.iter().enumerate() {
        machine.append(written);
        // Lines of one instant are written together.
        if lines.get(number + 1).is_none_or(|next| next.at != written.at) {
            asked += machine.ask(written.at);
        }
    }
    let last = lines.last().unwrap().at;
    asked + LATER.iter().map(|later| machine.ask(last + later * 1_000)).sum::<usize>()
}

#[test]
fn every_answer_agrees_at_every_instant_of_every_recording() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../adapters/tests/replay");
    let mut recordings: Vec<_> = fs::read_dir(root).unwrap().map(|it| it.unwrap().path()).collect();
    recordings.sort();
    assert!(recordings.len() >= FEWEST, "{recordings:?}");
    let asked: usize = recordings.iter().map(|it| replayed(it)).sum();
    // Instants times sessions: fewer means that lines or sessions were not seen.
    assert!(asked > 200, "only {asked} sessions were asked about");
}
