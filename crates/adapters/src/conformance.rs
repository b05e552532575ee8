//! One suite for all adapters. A fixture is a piece of an agent's home and its expected events.
//!
//! `fixtures/<case>/home/...` is laid out as on disk; `fixtures/<case>/expected.jsonl` holds what
//! the readers emit, one event a line. A database is given as its rows, one JSON object a line, in
//! `<path of the database>.rows/<session key>.jsonl`. `UPDATE_FIXTURES=1` writes the expectations
//! again; read the difference before you keep it.
#![expect(clippy::disallowed_methods, reason = "fixtures are files")]

use crate::all;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use taffrail_kit::prompt_history::PromptHistoryReader;
use taffrail_kit::{Adapter, Reader, Shape, Source};
use taffrail_model::{
    Cursor, Draft, EventId, Facts, NewUsage, Record, RuntimeIdentity, Sink, TurnId, hash,
};

/// A source of a fixture, taken apart into records.
struct Fixture {
    path: String,
    key: String,
    beside: Vec<(String, Vec<u8>)>,
    records: Vec<(Cursor, Vec<u8>)>,
}

#[derive(Default)]
struct Said {
    lines: Vec<Value>,
    unknown: BTreeMap<String, u64>,
}

impl Sink for Said {
    fn event(&mut self, who: &RuntimeIdentity, draft: Draft<'_>) {
        let id = EventId::of(who.session(), &draft.key, draft.part);
        let text = draft.text.as_deref().map(taffrail_model::text::excerpt);
        let mut line = json!({
            "event": draft.kind.as_str(), "in": who.id.as_str(), "id": id, "part": draft.part,
            "at": draft.at, "text": text, "data": draft.detail.to_json(),
        });
        for (name, value) in [
            ("turn", draft.turn.map(|turn| json!(turn))),
            ("parent", draft.parent.map(|parent| json!(parent))),
            ("pointer", draft.pointer.map(|pointer| json!(pointer))),
            ("opens_turn", draft.opens_turn.then_some(Value::Bool(true))),
            ("ends_turn", draft.ends_turn.then_some(Value::Bool(true))),
        ] {
            if let Some(value) = value {
                line[name] = value;
            }
        }
        self.lines.push(line);
    }

    fn remove(&mut self, who: &RuntimeIdentity, event: EventId) {
        self.lines.push(json!({"removed": event, "in": who.id.as_str()}));
    }

    fn remove_turn(&mut self, who: &RuntimeIdentity, turn: TurnId) {
        self.lines.push(json!({"removed_turn": turn, "in": who.id.as_str()}));
    }

    fn usage(&mut self, who: &RuntimeIdentity, usage: NewUsage) {
        self.lines.push(json!({
            "usage": usage.tokens, "in": who.id.as_str(), "model": usage.model,
            "key": hash::to_hex(&usage.key), "at": usage.at,
        }));
    }

    fn unknown(&mut self, raw_type: &str, _version: Option<&str>) {
        *self.unknown.entry(raw_type.to_owned()).or_default() += 1;
    }
}

fn fixtures_of(adapter: &dyn Adapter) -> Vec<PathBuf> {
    let folder = crate::folder_of(adapter.descriptor().id).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder).join("fixtures");
    let mut cases: Vec<_> = std::fs::read_dir(&root)
        .unwrap_or_else(|error| panic!("{}: {error}", root.display()))
        .map(|entry| entry.unwrap().path())
        .collect();
    cases.sort();
    cases
}

fn files_below(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files_below(&path, out) } else { out.push(path) }
    }
    out.sort();
}

fn sources_of(adapter: &dyn Adapter, case: &Path) -> Vec<Fixture> {
    let home = case.join("home");
    let mut files = Vec::new();
    files_below(&home, &mut files);
    files.iter().filter_map(|file| source_of(adapter, &home, file)).collect()
}

fn source_of(adapter: &dyn Adapter, home: &Path, file: &Path) -> Option<Fixture> {
    let below = file.strip_prefix(home).unwrap().to_str().unwrap().to_owned();
    let (path, key) = match below.split_once(".rows/") {
        Some((database, rows)) => (database.to_owned(), rows.trim_end_matches(".jsonl").to_owned()),
        None => (below, String::new()),
    };
    let Some(place) = adapter.place(&path) else { return history_of(adapter, path, file) };
    let bytes = std::fs::read(file).unwrap();
    let beside = place.beside.iter();
    let beside = beside.filter_map(|p| Some((p.clone(), std::fs::read(home.join(p)).ok()?)));
    let beside = beside.collect();
    let records = match place.shape {
        Shape::Lines(_) => lines_of(&bytes),
        Shape::Document | Shape::Text => vec![(Cursor::Pointer { pointer: String::new() }, bytes)],
        Shape::Sqlite(_) | Shape::Folder(_) => {
            lines_of(&bytes).into_iter().map(|(_, line)| row_of(&line)).collect()
        }
    };
    Some(Fixture { path, key, beside, records })
}

/// A prompt history.
fn history_of(adapter: &dyn Adapter, path: String, file: &Path) -> Option<Fixture> {
    adapter.prompt_history().filter(|it| it.path == path)?;
    let records = lines_of(&std::fs::read(file).unwrap());
    Some(Fixture { path, key: String::new(), beside: Vec::new(), records })
}

fn lines_of(bytes: &[u8]) -> Vec<(Cursor, Vec<u8>)> {
    let mut offset = 0;
    let mut out = Vec::new();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        if let Some(whole) = line.strip_suffix(b"\n") {
            let cursor = Cursor::Bytes { byte_offset: offset, length: whole.len() as u64 };
            out.push((cursor, whole.to_vec()));
        }
        offset += line.len() as u64;
    }
    out
}

fn row_of(line: &[u8]) -> (Cursor, Vec<u8>) {
    let value: Value = serde_json::from_slice(line).unwrap();
    let table = value["table"].as_str().unwrap().to_owned();
    let cursor = Cursor::Row { table, rowid: value["rowid"].as_i64().unwrap() };
    (cursor, value["row"].to_string().into_bytes())
}

impl Fixture {
    fn reader(&self, adapter: &dyn Adapter, saved: Option<&str>) -> Box<dyn Reader> {
        let source = Source {
            path: &self.path,
            key: &self.key,
            scope: "fixture",
            beside: &self.beside,
            written: None,
        };
        match adapter.prompt_history().filter(|it| it.path == self.path) {
            Some(it) => Box::new(PromptHistoryReader::new(adapter.descriptor().id, it)),
            None => adapter.reader(&source, saved),
        }
    }
}

fn read(reader: &mut dyn Reader, record: &(Cursor, Vec<u8>), said: &mut Said) {
    reader.read(&Record { bytes: &record.1, at: record.0.clone() }, said);
}

/// Reads a whole source at once.
fn said_by(adapter: &dyn Adapter, source: &Fixture) -> Vec<Value> {
    let mut reader = source.reader(adapter, None);
    let mut said = Said::default();
    for record in &source.records {
        read(reader.as_mut(), record, &mut said);
    }
    let mut lines = said.lines;
    for (raw_type, count) in said.unknown {
        lines.push(json!({"unknown": raw_type, "count": count}));
    }
    for (who, facts) in reader.facts() {
        lines.push(json!({"session": who.session(), "runtime": who.id.as_str(), "facts": facts}));
    }
    lines
}

fn for_every_source(mut check: impl FnMut(&dyn Adapter, &Path, &Fixture)) {
    for adapter in all() {
        for case in fixtures_of(*adapter) {
            for source in sources_of(*adapter, &case) {
                check(*adapter, &case, &source);
            }
        }
    }
}

#[test]
fn every_fixture_says_what_is_expected() {
    for adapter in all() {
        let cases = fixtures_of(*adapter);
        assert!(!cases.is_empty(), "{} has no fixture", adapter.descriptor().id);
        for case in cases {
            check_case(*adapter, &case);
        }
    }
}

fn check_case(adapter: &dyn Adapter, case: &Path) {
    let mut got = String::new();
    for source in sources_of(adapter, case) {
        got += &format!("{}\n", json!({"source": source.path, "key": source.key}));
        for line in said_by(adapter, &source) {
            got += &format!("{line}\n");
        }
    }
    let expected = case.join("expected.jsonl");
    if std::env::var("UPDATE_FIXTURES").is_ok() {
        std::fs::write(&expected, &got).unwrap();
    }
    let wanted = std::fs::read_to_string(&expected).unwrap_or_default();
    for (number, (got, wanted)) in got.lines().zip(wanted.lines()).enumerate() {
        assert_eq!(got, wanted, "{}:{}", expected.display(), number + 1);
    }
    assert_eq!(got.lines().count(), wanted.lines().count(), "{}", expected.display());
}

#[test]
fn every_cut_of_every_line_is_silence() {
    for_every_source(|adapter, case, source| {
        // A text may end anywhere.
        if adapter.place(&source.path).is_some_and(|it| it.shape == Shape::Text) {
            return;
        }
        for (_, bytes) in &source.records {
            let step = (bytes.len() / 400).max(1);
            for end in (0..bytes.len()).step_by(step) {
                let mut said = Said::default();
                let cut = (source.records[0].0.clone(), bytes[..end].to_vec());
                read(source.reader(adapter, None).as_mut(), &cut, &mut said);
                assert!(said.lines.is_empty(), "{} cut at {end}: {:?}", case.display(), said.lines);
            }
        }
    });
}

#[test]
fn reading_in_pieces_says_the_same_as_reading_at_once() {
    for_every_source(|adapter, case, source| {
        let mut said = Said::default();
        let mut saved: Option<String> = None;
        let mut facts = Vec::new();
        for record in &source.records {
            let mut reader = source.reader(adapter, saved.as_deref());
            read(reader.as_mut(), record, &mut said);
            saved = Some(reader.save());
            facts = match adapter.place(&source.path) {
                Some(_) => reader.facts(),
                None => joined(facts, reader.facts()),
            };
        }
        let at_once = said_by(adapter, source);
        assert_eq!(said.lines, at_once[..said.lines.len()], "{}", case.display());
        let last: Vec<_> = facts.iter().map(|(who, facts)| (who.session(), json!(facts))).collect();
        let end: Vec<_> = at_once.iter().filter(|line| line.get("session").is_some()).collect();
        assert_eq!(last.len(), end.len(), "{}", case.display());
        for ((session, facts), line) in last.iter().zip(end) {
            assert_eq!((&json!(session), facts), (&line["session"], &line["facts"]));
        }
    });
}

/// The facts of a reader that keeps no memory, joined as the store does.
fn joined(
    mut known: Vec<(RuntimeIdentity, Facts)>,
    later: Vec<(RuntimeIdentity, Facts)>,
) -> Vec<(RuntimeIdentity, Facts)> {
    for (who, facts) in later {
        match known.iter_mut().find(|(it, _)| *it == who) {
            Some((_, before)) => *before = std::mem::take(before).joined(facts),
            None => known.push((who, facts)),
        }
    }
    known
}

#[test]
fn ids_are_unique_within_a_record_and_the_same_in_a_replay() {
    for_every_source(|adapter, case, source| {
        assert_eq!(said_by(adapter, source), said_by(adapter, source), "{}", case.display());
        let mut reader = source.reader(adapter, None);
        for record in &source.records {
            let mut said = Said::default();
            read(reader.as_mut(), record, &mut said);
            let ids: Vec<_> = said.lines.iter().filter_map(|line| line.get("id")).collect();
            let distinct: HashSet<_> = ids.iter().map(ToString::to_string).collect();
            assert_eq!(ids.len(), distinct.len(), "{}", case.display());
        }
    });
}

#[test]
fn a_record_read_alone_gives_back_the_text_of_its_events() {
    let essence = |line: &Value| {
        json!([line["event"], line["part"], line["text"], line["data"], line["pointer"]])
    };
    for_every_source(|adapter, case, source| {
        let mut reader = source.reader(adapter, None);
        for record in &source.records {
            let mut in_order = Said::default();
            read(reader.as_mut(), record, &mut in_order);
            let mut alone = Said::default();
            read(source.reader(adapter, None).as_mut(), record, &mut alone);
            let alone: Vec<_> = alone.lines.iter().map(essence).collect();
            for line in in_order.lines.iter().filter(|line| line.get("event").is_some()) {
                assert!(alone.contains(&essence(line)), "{}: {line}", case.display());
            }
        }
    });
}

#[test]
fn descriptors_are_whole() {
    let mut seen = HashSet::new();
    for adapter in all() {
        let it = adapter.descriptor();
        assert!(seen.insert(it.id) && seen.insert(it.scheme), "{} stands twice", it.id);
        assert!(it.short.len() <= 8, "{}: {} is too long", it.id, it.short);
        let is_placed = !it.homes.is_empty() || it.in_projects;
        assert!(is_placed && !it.roots.is_empty(), "{} has nowhere to look", it.id);
        assert!(adapter.place("no/such/thing.txt").is_none(), "{} takes anything", it.id);
        assert!(adapter.extra(b"not json").is_empty());
    }
}
