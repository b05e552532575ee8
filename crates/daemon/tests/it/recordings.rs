//! Recorded homes of real agents, read like a user's: everything the index knows about them is
//! stored beside each as `sessions.jsonl` and `events.jsonl`.
//!
//! `recordings/<name>/home/...` has the layout on disk, with all vendor text removed. A database is
//! stored as its SQL statements, one per line, in `<its path>.sql`. `UPDATE_GOLDEN=1` rewrites the
//! expectations; read the diff before you keep it.
#![expect(clippy::disallowed_methods, reason = "only a person asks for new expectations")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on must stop")]

use crate::listing::sessions;
use serde_json::json;
use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use taffrail_adapters::by_id;
use taffrail_api::{EventLine, EventsRequest, ListRequest, Session};
use taffrail_context::{Settings, Target};
use taffrail_ingest::{Budget, Scope, index};
use taffrail_model::{Event, Timestamp};
use taffrail_query::events::events;
use tempfile::TempDir;

/// The fewest recordings: none may disappear unnoticed.
const FEWEST: usize = 8;

/// A recording, and the files of its home.
struct Recording {
    folder: PathBuf,
    files: Vec<PathBuf>,
}

/// A separate machine: a home that fills, and its index.
struct Machine {
    home: TempDir,
    data: TempDir,
}

/// What the index knows about a home, one line each.
#[derive(Debug, PartialEq)]
struct Said {
    sessions: Vec<String>,
    events: Vec<String>,
}

/// How much of a file is written.
#[derive(Debug, Clone, Copy)]
enum Part {
    Whole,
    FirstHalf,
    SecondHalf,
}

fn recordings() -> Vec<Recording> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    let mut folders: Vec<_> = fs::read_dir(root).unwrap().map(|it| it.unwrap().path()).collect();
    folders.sort();
    assert!(folders.len() >= FEWEST, "{folders:?}");
    let with_files = |folder: PathBuf| {
        let mut files = Vec::new();
        files_below(&folder.join("home"), &mut files);
        Recording { folder, files }
    };
    folders.into_iter().map(with_files).collect()
}

fn files_below(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files_below(&path, out) } else { out.push(path) }
    }
    out.sort();
}

impl Machine {
    fn new() -> Self {
        Self { home: TempDir::new().unwrap(), data: TempDir::new().unwrap() }
    }

    /// Writes a part of a recorded file, after the parts before it.
    fn lay(&self, recording: &Recording, file: &Path, part: Part) {
        let below = file.strip_prefix(recording.folder.join("home")).unwrap();
        let to = self.home.path().join(below);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        let text = fs::read_to_string(file).unwrap();
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let (first, second) = lines.split_at(lines.len() / 2);
        let lines = match part {
            Part::Whole => &lines,
            Part::FirstHalf => first,
            Part::SecondHalf => second,
        };
        if file.extension().is_some_and(|it| it == "sql") {
            let database = rusqlite::Connection::open(to.with_extension("")).unwrap();
            database.execute_batch(&lines.concat()).unwrap();
        } else {
            let mut to = OpenOptions::new().create(true).append(true).open(to).unwrap();
            to.write_all(lines.concat().as_bytes()).unwrap();
        }
    }

    fn settings(&self) -> Settings {
        Settings {
            data: self.data.path().to_owned(),
            user_home: self.home.path().to_owned(),
            ..Settings::in_folder(self.data.path(), || Timestamp::UNIX_EPOCH)
        }
    }

    fn index(&self) {
        let done = index(&self.settings(), &Scope::All, Budget::Whole, &mut |_| {}).unwrap();
        assert!(done.complete && done.problems.is_empty(), "{:?}", done.problems);
        assert_eq!(done.report.unknown_records, 0);
    }

    /// Everything the index knows, ordered by the agents' session ids.
    fn said(&self) -> Said {
        let request = ListRequest { all: true, ..ListRequest::default() };
        let mut sessions = sessions(&self.settings(), &request).unwrap();
        sessions.sort_by_key(|it| it.runtime_session_id.to_string());
        let distinct: HashSet<_> = sessions.iter().map(|it| it.id).collect();
        assert_eq!(distinct.len(), sessions.len(), "a session stands twice");
        let events: Vec<_> = sessions.iter().flat_map(|it| self.events_of(it)).collect();
        let names = names_of(&sessions, &events);
        Said {
            sessions: sessions.iter().map(|it| named(session_line(it), &names)).collect(),
            events: events.iter().map(|it| named(event_line(it), &names)).collect(),
        }
    }

    fn events_of(&self, session: &Session) -> Vec<Event> {
        let target = Target::Id(session.id.to_string());
        let mut out = Vec::new();
        events(&self.settings(), &target, &EventsRequest::default(), &mut |line| {
            match line {
                EventLine::Event(event) => out.push(*event),
                EventLine::Removed(_) => {}
            }
            true
        })
        .unwrap();
        out
    }
}

/// Replacements for ids that are valid only on this machine: those of agents whose own ids are not
/// unique.
fn names_of(sessions: &[Session], events: &[Event]) -> Vec<(String, String)> {
    let is_scoped = |agent: &str| by_id(agent).unwrap().descriptor().scoped_ids;
    let sessions = sessions.iter().filter(|it| is_scoped(&it.agent)).map(|it| it.id.to_string());
    let events = events.iter().filter(|it| is_scoped(it.provider.as_str()));
    let (mut turns, mut ids) = (Vec::new(), Vec::new());
    for event in events {
        ids.push(event.id.to_string());
        turns.extend(event.turn_id.map(|it| it.to_string()).filter(|it| !turns.contains(it)));
    }
    let numbered = |word: &'static str, ids: Vec<String>| {
        ids.into_iter().enumerate().map(move |(at, id)| (id, format!("{word}-{}", at + 1)))
    };
    let sessions = numbered("session", sessions.collect());
    sessions.chain(numbered("event", ids)).chain(numbered("turn", turns)).collect()
}

fn named(line: String, names: &[(String, String)]) -> String {
    names.iter().fold(line, |line, (id, name)| line.replace(id, name))
}

fn session_line(session: &Session) -> String {
    let line = json!({
        "id": session.id, "agent": session.agent,
        "runtime_session_id": session.runtime_session_id, "parent_id": session.parent_id,
        "lineage": session.lineage, "title": session.title,
        "project_path": session.project_path, "model": session.model,
        "prompts": session.prompts, "tool_calls": session.tool_calls, "turns": session.turns,
        "usage": session.usage, "cost_microdollars": session.cost_microdollars,
        "lifecycle": session.lifecycle, "source_uri": session.source_uri,
    });
    line.to_string()
}

fn event_line(event: &Event) -> String {
    let line = json!({
        "session": event.session_id, "id": event.id, "kind": event.kind,
        "createdAt": event.created_at, "turnId": event.turn_id, "parentId": event.parent_id,
        "text": event.text, "data": event.data,
        "source_cursor": event.provenance.source_cursor,
    });
    line.to_string()
}

fn check(got: &[String], expected: &Path) {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(expected, got.iter().map(|line| format!("{line}\n")).collect::<String>())
            .unwrap();
    }
    let wanted = fs::read_to_string(expected).unwrap_or_default();
    for (number, (got, wanted)) in got.iter().zip(wanted.lines()).enumerate() {
        assert_eq!(got, wanted, "{}:{}", expected.display(), number + 1);
    }
    assert_eq!(got.len(), wanted.lines().count(), "{}", expected.display());
}

/// Reads a recording whose files are written in these steps, with a scan after each.
fn said_after(recording: &Recording, steps: &[(&PathBuf, Part)]) -> Said {
    let machine = Machine::new();
    for (file, part) in steps {
        machine.lay(recording, file, *part);
        machine.index();
    }
    machine.said()
}

fn said_at_once(recording: &Recording) -> Said {
    let machine = Machine::new();
    for file in &recording.files {
        machine.lay(recording, file, Part::Whole);
    }
    machine.index();
    machine.said()
}

#[test]
fn every_recording_says_what_is_expected() {
    for recording in &recordings() {
        let said = said_at_once(recording);
        check(&said.sessions, &recording.folder.join("sessions.jsonl"));
        check(&said.events, &recording.folder.join("events.jsonl"));
    }
}

#[test]
fn files_that_come_in_any_order_say_the_same() {
    for recording in &recordings() {
        let expected = said_at_once(recording);
        let forwards: Vec<_> = recording.files.iter().map(|it| (it, Part::Whole)).collect();
        let backwards: Vec<_> = forwards.iter().rev().copied().collect();
        for steps in [forwards, backwards] {
            let said = said_after(recording, &steps);
            assert_eq!(said.sessions, expected.sessions, "{steps:?}");
            assert_eq!(said.events, expected.events, "{steps:?}");
        }
    }
}

#[test]
fn files_that_grow_say_the_same() {
    for recording in &recordings() {
        let expected = said_at_once(recording);
        let first = recording.files.iter().rev().map(|it| (it, Part::FirstHalf));
        let second = recording.files.iter().map(|it| (it, Part::SecondHalf));
        let steps: Vec<_> = first.chain(second).collect();
        let said = said_after(recording, &steps);
        assert_eq!(said.sessions, expected.sessions, "{}", recording.folder.display());
        assert_eq!(said.events, expected.events, "{}", recording.folder.display());
    }
}
