//! Recorded sessions of real agents, replayed instant by instant: the status never contradicts
//! what was on the screen.
//!
//! `replay/<name>/home` has the agent's files, `journal.jsonl` the reports of its hooks and its
//! list of live sessions, both without any text by a vendor; `truth.jsonl` has the true status of a
//! session between two instants, from the recorded screens and the scripts that pressed the keys.
//! Where `only` is `transcript`, only the transcript shows it.

use serde::Deserialize;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use taffrail_adapters::maturity::ASK_ON_DISK;
use taffrail_adapters::{Adapter, Reader, Source, by_id};
use taffrail_model::evidence::{EventHead, Evidence, Life, of_event};
use taffrail_model::observed::Marks;
use taffrail_model::status::{Given, Reading, Status, Thresholds, WaitingKind, Worker, read};
use taffrail_model::{
    Confidence, Cursor, Draft, EventId, Kind, NewUsage, Origin, Record, RuntimeIdentity, SessionId,
    Sink, Timestamp, TurnId, text,
};

/// The minimum number of recordings: losing any must fail the test.
const FEWEST: usize = 18;

/// The true status of a session.
#[derive(Deserialize)]
struct Truth {
    of: String,
    from: Timestamp,
    to: Timestamp,
    is: Vec<String>,
    only: Option<String>,
}

/// Evidence about a session.
#[derive(Clone)]
struct SessionEvidence {
    session: SessionId,
    evidence: Evidence,
}

#[derive(Default)]
struct Recorder {
    evidence: Vec<SessionEvidence>,
    unknown: Vec<String>,
}

impl Sink for Recorder {
    fn event(&mut self, who: &RuntimeIdentity, draft: Draft<'_>) {
        let words = draft.text.as_deref().unwrap_or_default();
        let excerpt = match draft.kind {
            Kind::ToolCall | Kind::ToolResult => text::tool_excerpt(words),
            _ => text::excerpt(words),
        };
        let ends = if draft.ends_turn { Marks::ENDS_TURN } else { Marks::default() };
        let seen = EventHead {
            id: EventId::of(who.session(), &draft.key, draft.part),
            parent: draft.parent,
            kind: &draft.kind,
            origin: &draft.origin,
            signal: draft.signal.as_ref(),
            marks: ends,
            label: draft.detail.label(),
            excerpt: &excerpt,
            at: draft.at.unwrap(),
            confidence: &draft.confidence,
        };
        let session = who.session();
        self.evidence.extend(of_event(&seen).map(|evidence| SessionEvidence { session, evidence }));
    }

    fn remove(&mut self, _: &RuntimeIdentity, _: EventId) {}
    fn remove_turn(&mut self, _: &RuntimeIdentity, _: TurnId) {}
    fn usage(&mut self, _: &RuntimeIdentity, _: NewUsage) {}
    fn unknown(&mut self, raw_type: &str, _: Option<&str>) {
        self.unknown.push(raw_type.to_owned());
    }
}

/// A parsed recording.
struct Recording {
    name: String,
    evidence: Vec<SessionEvidence>,
    truth: Vec<Truth>,
    /// Sessions by the agent's id; sub-agents include their parent.
    sessions: HashMap<String, SessionId>,
    parents: HashMap<SessionId, SessionId>,
}

fn recordings() -> Vec<Recording> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replay");
    let mut folders: Vec<_> = fs::read_dir(root).unwrap().map(|it| it.unwrap().path()).collect();
    folders.sort();
    assert!(folders.len() >= FEWEST, "{folders:?}");
    folders.iter().map(|folder| recording(folder)).collect()
}

fn recording(folder: &Path) -> Recording {
    let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
    let adapter = adapter_of(&name);
    let truth = fs::read_to_string(folder.join("truth.jsonl")).unwrap();
    let truth = truth.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (sessions, parents) = (HashMap::new(), HashMap::new());
    let mut out = Recording { name, evidence: Vec::new(), truth, sessions, parents };
    let journal = fs::read(folder.join("journal.jsonl")).unwrap();
    out.read(adapter.journal(), &journal);
    let home = folder.join("home");
    let mut files = Vec::new();
    files_below(&home, &mut files);
    for file in files {
        let path = file.strip_prefix(&home).unwrap().to_str().unwrap();
        out.read(reader(adapter, path), &fs::read(&file).unwrap());
    }
    out
}

/// The agent of a recording, by the first word of its name.
pub(crate) fn adapter_of(name: &str) -> &'static dyn Adapter {
    let agent = match name.split('_').next() {
        Some("codex") => "codex",
        Some("gemini") => "gemini-cli",
        Some("copilot") => "copilot-cli",
        Some("qwen") => "qwen-code",
        _ => "claude-code",
    };
    by_id(agent).unwrap()
}

fn reader(adapter: &dyn Adapter, path: &str) -> Box<dyn Reader> {
    assert!(adapter.place(path).is_some(), "{path}");
    adapter.reader(&Source { path, key: "", scope: "", beside: &[], written: None }, None)
}

fn files_below(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files_below(&path, out) } else { out.push(path) }
    }
    out.sort();
}

impl Recording {
    fn read(&mut self, mut reader: Box<dyn Reader>, bytes: &[u8]) {
        let mut recorder = Recorder::default();
        for line in bytes.split(|byte| *byte == b'\n') {
            let at = Cursor::Bytes { byte_offset: 0, length: line.len() as u64 };
            reader.read(&Record { bytes: line, at }, &mut recorder);
        }
        assert!(recorder.unknown.is_empty(), "{}: {:?}", self.name, recorder.unknown);
        self.evidence.extend(recorder.evidence);
        for (who, facts) in reader.facts() {
            self.sessions.insert(who.id.as_str().to_owned(), who.session());
            let parent = facts.parent.map(|parent| (who.session(), parent.session()));
            self.parents.extend(parent);
        }
    }

    /// The status of a session by the evidence that has arrived.
    fn reading(&self, session: SessionId, how: &How, now: Timestamp) -> Reading {
        let workers = self.parents.iter().filter(|(_, parent)| **parent == session);
        let workers: Vec<_> = workers.map(|(it, _)| worker(self.reading(*it, how, now))).collect();
        let here = self.evidence.iter().filter(|it| it.session == session);
        let here = here.filter(|it| how.arrival(&it.evidence).is_some_and(|at| at <= now));
        let evidence: Vec<_> = here.map(|it| it.evidence.clone()).collect();
        let (life, thresholds) = (how.life, Thresholds::default());
        read(&Given { evidence: &evidence, life, workers: &workers, now, thresholds })
    }

    /// Whether some evidence was written and has not arrived.
    fn is_behind(&self, how: &How, now: Timestamp) -> bool {
        self.evidence.iter().any(|it| {
            let at = it.evidence.at;
            at <= now && how.arrival(&it.evidence).is_some_and(|arrival| arrival > now)
        })
    }

    /// The instants of a span at which something may change, and some between them.
    fn instants(&self, truth: &Truth, how: &How) -> Vec<Timestamp> {
        let span = truth.to.as_millisecond() - truth.from.as_millisecond();
        let even = (0..=8).map(|step| truth.from.as_millisecond() + span * step / 8);
        let arrivals = self.evidence.iter().filter_map(|it| how.arrival(&it.evidence));
        let arrivals = arrivals.filter(|at| (truth.from..=truth.to).contains(at));
        let all = arrivals.map(Timestamp::as_millisecond).chain(even);
        all.map(|ms| Timestamp::from_millisecond(ms).unwrap()).collect()
    }
}

fn worker(reading: Reading) -> Worker {
    let Reading { status, since, confidence, waiting_for, .. } = reading;
    Worker { status, since, confidence, waiting_for }
}

/// Which sources are read, and how late.
#[derive(Debug, Clone, Copy)]
struct How {
    life: Life,
    hooks: bool,
    registry: bool,
    /// How many milliseconds after its own time a transcript record arrives.
    transcript: Option<i64>,
}

impl How {
    fn arrival(&self, evidence: &Evidence) -> Option<Timestamp> {
        let late = match evidence.source {
            Origin::Transcript => self.transcript?,
            Origin::Registry => self.registry.then_some(0)?,
            _ => self.hooks.then_some(0)?,
        };
        Timestamp::from_millisecond(evidence.at.as_millisecond() + late).ok()
    }
}

/// Whether the status matches the truth, with what it waits for if that is given.
fn is_as(reading: &Reading, truth: &Truth) -> bool {
    let kind = reading.waiting_for.as_ref().map(|it| match it.kind {
        WaitingKind::Approval => "approval",
        WaitingKind::Question => "question",
        WaitingKind::Prompt => "prompt",
    });
    let status = reading.status.as_str();
    let whole = format!("{status}:{}", kind.unwrap_or_default());
    truth.is.iter().any(|it| *it == status || *it == whole)
}

fn for_every_instant(how: How, mut check: impl FnMut(&Recording, &Truth, Timestamp, Reading)) {
    let mut checked = 0;
    for recording in recordings() {
        for truth in &recording.truth {
            let session = recording.sessions[&truth.of];
            for now in recording.instants(truth, &how) {
                let reading = recording.reading(session, &how, now);
                check(&recording, truth, now, reading);
                checked += 1;
            }
        }
    }
    assert!(checked > 500, "{checked} instants");
}

#[test]
fn with_hooks_it_stands_as_it_stood() {
    for life in [Life::Alive, Life::Unknown] {
        for transcript in [Some(0), Some(40), Some(300), Some(3000), None] {
            let how = How { life, hooks: true, registry: true, transcript };
            for_every_instant(how, |recording, truth, now, reading| {
                let is_covered = truth.only.is_none() || transcript.is_some();
                if is_covered && !recording.is_behind(&how, now) {
                    let name = &recording.name;
                    assert!(is_as(&reading, truth), "{name} at {now}, {how:?}: {reading:?}");
                }
            });
        }
    }
}

#[test]
fn the_same_with_hooks_alone_and_no_list() {
    let how = How { life: Life::Unknown, hooks: true, registry: false, transcript: Some(0) };
    for_every_instant(how, |recording, truth, now, reading| {
        assert!(is_as(&reading, truth), "{} at {now}: {reading:?}", recording.name);
    });
}

#[test]
fn a_transcript_alone_never_claims_to_know() {
    let how = How { life: Life::Unknown, hooks: false, registry: false, transcript: Some(0) };
    for_every_instant(how, |recording, _, now, reading| {
        let name = &recording.name;
        // Such an agent writes down what it asks, and when it ends.
        if ASK_ON_DISK.contains(&adapter_of(name).descriptor().id) {
            return;
        }
        assert_eq!(reading.confidence, Confidence::Low, "{name} at {now}: {reading:?}");
        assert_ne!(reading.status, Status::WaitingApproval, "{name} at {now}: {reading:?}");
    });
}

#[test]
fn a_request_names_its_command() {
    let how = How { life: Life::Alive, hooks: true, registry: true, transcript: Some(0) };
    let mut named = 0;
    for_every_instant(how, |recording, _, now, reading| {
        let asked = reading.waiting_for.filter(|_| reading.status == Status::WaitingApproval);
        if let Some(asked) = asked {
            assert!(asked.text.starts_with("touch "), "{} at {now}: {asked:?}", recording.name);
            named += 1;
        }
    });
    assert!(named > 50, "{named}");
}

#[test]
fn a_killed_process_neither_works_nor_waits() {
    let how = How { life: Life::Dead, hooks: true, registry: true, transcript: Some(0) };
    for_every_instant(how, |recording, _, now, reading| {
        let is_over = matches!(reading.status, Status::Exited | Status::Unknown);
        assert!(is_over, "{} at {now}: {reading:?}", recording.name);
    });
}
