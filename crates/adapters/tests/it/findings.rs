//! Recorded sessions of real agents, replayed instant by instant: exactly the right findings
//! appear.
//!
//! The recordings are those of `replay` and the homes of the daemon's tests; the fixtures are those
//! of every adapter. `TAFFRAIL_RECORDINGS=FOLDER` replays everything below a folder and reports its
//! findings, except those listed in its file `true-findings`, one path with its kinds a line.

mod kinds;

use crate::replay::adapter_of;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use taffrail_adapters::{Adapter, Reader, Source, all, folder_of};
use taffrail_model::evidence::{EventHead, Evidence, Life, of_event};
use taffrail_model::findings::{EventView, Fold, Role, Standing, Thresholds};
use taffrail_model::observed::Marks;
use taffrail_model::status::{self, Given, read};
use taffrail_model::{
    Confidence, Cursor, Draft, EventId, Kind, NewUsage, Origin, Record, RuntimeIdentity, SessionId,
    Signal, Sink, Timestamp, TurnId,
};

/// The minimum number of sessions: losing any must fail the test.
const FEWEST: usize = 40;
/// The right findings, by the recording's name.
const RIGHT: [(&str, &[&str]); 4] = [
    ("claude_overloaded", &["provider_crash"]),
    ("claude_question_and_worker", &["question_asked"]),
    ("codex_overloaded", &["provider_crash"]),
    ("gemini_refused_and_interrupted", &["question_asked"]),
];

/// The right findings in fixtures: each has an error at which its agent gave up.
const WRITTEN: [(&str, &str); 4] = [
    ("claude-code interrupt_and_denial", "provider_crash"),
    ("claude-code unknown_and_torn", "provider_crash"),
    ("codex errors_and_aborts", "provider_crash rate_limit"),
    ("junie answered", "provider_crash"),
];

/// The right findings in recorded homes, by the recording's name.
const RECORDED: [(&str, &str); 0] = [];

/// An event that owns its text.
struct RecordedEvent {
    id: EventId,
    parent: Option<EventId>,
    kind: Kind,
    origin: Origin,
    signal: Option<Signal>,
    marks: Marks,
    label: Option<String>,
    at: Timestamp,
    number: u64,
    confidence: Confidence,
    text: String,
    data: Map<String, Value>,
}

impl RecordedEvent {
    fn heard(&self) -> EventView<'_> {
        EventView {
            id: self.id,
            parent: self.parent,
            kind: &self.kind,
            origin: &self.origin,
            signal: self.signal.as_ref(),
            marks: self.marks,
            label: self.label.as_deref(),
            at: self.at,
            place: (self.number, 0),
            confidence: &self.confidence,
            text: &self.text,
            data: &self.data,
        }
    }

    fn evidence(&self) -> Option<Evidence> {
        of_event(&EventHead {
            id: self.id,
            parent: self.parent,
            kind: &self.kind,
            origin: &self.origin,
            signal: self.signal.as_ref(),
            marks: self.marks,
            label: self.label.as_deref(),
            excerpt: &self.text,
            at: self.at,
            confidence: &self.confidence,
        })
    }
}

#[derive(Default)]
struct Recorder {
    sessions: BTreeMap<SessionId, Vec<RecordedEvent>>,
    workers: BTreeSet<SessionId>,
    at: Option<Timestamp>,
    number: u64,
}

impl Sink for Recorder {
    fn event(&mut self, who: &RuntimeIdentity, draft: Draft<'_>) {
        self.at = draft.at.or(self.at);
        self.number += 1;
        let mut marks = Marks::default();
        for (is, mark) in
            [(draft.ends_turn, Marks::ENDS_TURN), (draft.detail.failed(), Marks::FAILED)]
        {
            marks = if is { marks.with(mark) } else { marks };
        }
        self.sessions.entry(who.session()).or_default().push(RecordedEvent {
            id: EventId::of(who.session(), &draft.key, draft.part),
            parent: draft.parent,
            kind: draft.kind.clone(),
            origin: draft.origin.clone(),
            signal: draft.signal.clone(),
            marks,
            label: draft.detail.label().map(str::to_owned),
            at: self.at.unwrap_or(Timestamp::UNIX_EPOCH),
            number: self.number,
            confidence: draft.confidence.clone(),
            text: draft.text.as_deref().unwrap_or_default().to_owned(),
            data: draft.detail.to_json(),
        });
    }

    fn remove(&mut self, who: &RuntimeIdentity, event: EventId) {
        self.sessions.entry(who.session()).or_default().retain(|it| it.id != event);
    }
    fn remove_turn(&mut self, _: &RuntimeIdentity, _: TurnId) {}
    fn usage(&mut self, _: &RuntimeIdentity, _: NewUsage) {}
    fn unknown(&mut self, _: &str, _: Option<&str>) {}
}

impl Recorder {
    fn read(&mut self, mut reader: Box<dyn Reader>, bytes: &[u8]) {
        self.at = None;
        for line in bytes.split(|byte| *byte == b'\n').filter(|it| !it.is_empty()) {
            let at = Cursor::Bytes { byte_offset: 0, length: line.len() as u64 };
            reader.read(&Record { bytes: line, at }, self);
        }
        let workers = reader.facts().into_iter().filter(|(_, facts)| facts.parent.is_some());
        self.workers.extend(workers.map(|(who, _)| who.session()));
    }

    /// All findings at any instant, alive or not, up to a day later, except those that exist only
    /// between two events of one instant.
    fn found(&self) -> BTreeSet<String> {
        let mut out = BTreeSet::new();
        for (session, events) in &self.sessions {
            let mut instants: Vec<Timestamp> = events.iter().map(|it| it.at).collect();
            instants.sort();
            let last = instants.last().map_or(0, |it| it.as_second());
            let later = [60, 3600, 86_000].map(|it| Timestamp::from_second(last + it).unwrap());
            instants.extend(later);
            for life in [Life::Alive, Life::Unknown, Life::Dead] {
                for now in &instants {
                    out.extend(self.found_at((*session, events), life, *now));
                }
            }
        }
        out
    }

    fn found_at(
        &self,
        (session, events): (SessionId, &[RecordedEvent]),
        life: Life,
        now: Timestamp,
    ) -> Vec<String> {
        let so_far: Vec<&RecordedEvent> = events.iter().filter(|it| it.at <= now).collect();
        let mut fold = Fold::default();
        so_far.iter().for_each(|it| fold.take(&it.heard()));
        let evidence: Vec<_> = so_far.iter().filter_map(|it| it.evidence()).collect();
        let thresholds = status::Thresholds::default();
        let reading = read(&Given { evidence: &evidence, life, workers: &[], now, thresholds });
        let role = if self.workers.contains(&session) { Role::Worker } else { Role::Main };
        let standing = Standing { session, reading: &reading, life, role, context: None };
        let found = fold.findings(&standing, now, &Thresholds::default());
        found.iter().map(|it| it.kind.as_str().to_owned()).collect()
    }
}

fn files_below(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files_below(&path, out) } else { out.push(path) }
    }
    out.sort();
}

fn reader(adapter: &dyn Adapter, path: &str) -> Box<dyn Reader> {
    adapter.reader(&Source { path, key: "", scope: "", beside: &[], written: None }, None)
}

#[test]
fn every_recording_brings_what_is_right_and_no_more() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replay");
    let (mut met, mut all_found) = (0, BTreeMap::new());
    for folder in fs::read_dir(root).unwrap().map(|it| it.unwrap().path()) {
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let adapter = adapter_of(&name);
        let mut recorder = Recorder::default();
        recorder.read(adapter.journal(), &fs::read(folder.join("journal.jsonl")).unwrap());
        let (home, mut files) = (folder.join("home"), Vec::new());
        files_below(&home, &mut files);
        for file in files {
            let path = file.strip_prefix(&home).unwrap().to_str().unwrap();
            recorder.read(reader(adapter, path), &fs::read(&file).unwrap());
        }
        met += recorder.sessions.len();
        // An unanswered dialog rightly counts as a long wait after an hour.
        let mut found = recorder.found();
        found.remove("approval_backlog");
        if !found.is_empty() {
            all_found.insert(name, found.into_iter().collect::<Vec<_>>().join(" "));
        }
    }
    assert!(met >= RIGHT.len(), "{met}");
    let right = RIGHT.map(|(name, kinds)| (name.to_owned(), kinds.join(" ")));
    assert_eq!(all_found, BTreeMap::from(right));
}

#[test]
fn every_fixture_of_every_adapter_brings_nothing_but_its_errors() {
    let (mut met, mut found) = (0, BTreeMap::new());
    for adapter in all() {
        let id = adapter.descriptor().id;
        let folder = folder_of(id).unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder).join("fixtures");
        let mut files = Vec::new();
        files_below(&root, &mut files);
        for file in files.iter().filter(|it| it.extension().is_some_and(|it| it == "jsonl")) {
            let path = file.strip_prefix(&root).unwrap().to_str().unwrap();
            let Some((fixture, below)) = path.split_once("/home/") else { continue };
            if adapter.place(below).is_none() {
                continue;
            }
            let mut recorder = Recorder::default();
            recorder.read(reader(*adapter, below), &fs::read(file).unwrap());
            met += recorder.sessions.len();
            let kinds: Vec<String> = recorder.found().into_iter().collect();
            // An open request is what such a fixture is for.
            if !kinds.is_empty() && !fixture.starts_with("asks") {
                found.insert(format!("{id} {fixture}"), kinds.join(" "));
            }
        }
    }
    assert!(met >= FEWEST, "{met}");
    let right = WRITTEN.map(|(name, kinds)| (name.to_owned(), kinds.to_owned()));
    assert_eq!(found, BTreeMap::from(right));
}

/// The findings in each transcript below a folder, by its path, and the number of sessions. The end
/// of a path identifies a transcript, wherever its home was.
fn found_below(root: &Path) -> (BTreeMap<String, String>, usize) {
    let (mut met, mut found, mut files) = (0, BTreeMap::new(), Vec::new());
    files_below(root, &mut files);
    for file in files.iter().filter(|it| it.extension().is_some_and(|it| it == "jsonl")) {
        let path = file.strip_prefix(root).unwrap().to_str().unwrap();
        let Some((adapter, below)) = placed(path) else { continue };
        let mut recorder = Recorder::default();
        recorder.read(reader(adapter, below), &fs::read(file).unwrap());
        met += recorder.sessions.len();
        let kinds: Vec<String> = recorder.found().into_iter().collect();
        if !kinds.is_empty() {
            found.insert(path.to_owned(), kinds.join(" "));
        }
    }
    (found, met)
}

/// The agent of a transcript, and its path below that agent's home.
fn placed(path: &str) -> Option<(&'static dyn Adapter, &str)> {
    let starts = path.match_indices('/').map(|(at, _)| at + 1);
    let mut ends = std::iter::once(0).chain(starts).filter_map(|at| path.get(at..));
    ends.find_map(|below| {
        let adapter = all().iter().find(|it| it.place(below).is_some())?;
        Some((*adapter, below))
    })
}

#[test]
fn every_recorded_home_brings_what_is_right_and_no_more() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../daemon/tests/recordings");
    let (found, met) = found_below(&root);
    assert!(met >= 11, "{met}");
    let right = RECORDED.map(|(path, kinds)| (path.to_owned(), kinds.to_owned()));
    assert_eq!(found, BTreeMap::from(right));
}

#[test]
fn a_folder_given_by_hand_brings_what_is_right_and_no_more() {
    let Some(root) = std::env::var_os("TAFFRAIL_RECORDINGS").map(PathBuf::from) else { return };
    let (found, met) = found_below(&root);
    assert!(met > 0, "no session of a known agent is below {}", root.display());
    let listed = fs::read_to_string(root.join("true-findings")).unwrap_or_default();
    let right = listed.lines().filter_map(|it| it.split_once(' '));
    let right: BTreeMap<_, _> = right.map(|(a, b)| (a.to_owned(), b.to_owned())).collect();
    println!("{met} sessions");
    assert_eq!(found, right);
}
