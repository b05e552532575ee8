//! Damaged records through every adapter's reader: no panic, no slow record, no growing memory.
//!
//! The records of all fixtures are damaged by a seed and fed to readers that are begun anew, saved,
//! restored, and restored from damaged memories. `TAFFRAIL_FULL=1` feeds a million to each adapter,
//! `TAFFRAIL_SEED` chooses which.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]
#![expect(clippy::disallowed_methods, reason = "fixtures are files, and slowness is measured")]

use serde_json::Value;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use taffrail_adapters::{Adapter, Reader, Shape, Source, all, by_id};
use taffrail_model::{
    Cursor, Draft, EventId, NewUsage, Record, RuntimeIdentity, Sink, Timestamp, TurnId, text,
};
use taffrail_testkit::mutate::{Lengths, Mutator};
use taffrail_testkit::{Chance, Scale, private_kib};

/// A reader is begun anew after so many records.
const RECORDS_A_READER: usize = 1_000;
/// No record below `SMALL` may take longer.
const SLOW: Duration = Duration::from_millis(100);
const SMALL: usize = 1_000_000;
/// A noisy machine is asked again so often before a record counts as slow.
const TRIES: usize = 5;
/// The most private memory above that at the start.
const MEMORY_KIB: u64 = 150 * 1024;
/// The largest memory a reader may save: it is written with every checkpoint.
const SAVED_BYTES: usize = 4 * 1024 * 1024;
/// A string no id is as long as.
const LONG_STRING: usize = 100_000;

#[test]
fn claude_code_survives() {
    check("claude-code");
}

#[test]
fn codex_survives() {
    check("codex");
}

#[test]
fn gemini_cli_survives() {
    check("gemini-cli");
}

#[test]
fn goose_survives() {
    check("goose");
}

#[test]
fn a_reader_remembers_no_long_string() {
    let saved = all().iter().map(|adapter| (adapter.descriptor().id, most_saved(*adapter)));
    let saved: Vec<_> = saved.collect();
    println!("the most bytes to save: {saved:?}");
    assert!(saved.iter().all(|(_, bytes)| *bytes <= SAVED_BYTES), "{saved:?}");
}

/// The largest memory after records in which one member is a long string that never was before.
fn most_saved(adapter: &dyn Adapter) -> usize {
    let mut mutator = Mutator::new(Chance::new(1), Lengths { usual: (1, 4), extreme: None });
    let fixtures = fixtures_of(adapter);
    let mut most = 0;
    for fixture in &fixtures {
        let mut reader = fixture.reader(adapter, None);
        for (number, (at, bytes)) in fixture.records.iter().cycle().take(600).enumerate() {
            let value = format!("\"{number} {}\"", "x".repeat(LONG_STRING));
            let bytes = mutator.replace_member(bytes, value.as_bytes());
            let record = Record { bytes: &bytes, at: at.clone() };
            reader.read(&record, &mut Heard::default());
        }
        most = most.max(reader.save().len());
    }
    most
}

/// A source of a fixture.
struct Fixture {
    path: String,
    key: String,
    beside: Vec<(String, Vec<u8>)>,
    records: Vec<(Cursor, Vec<u8>)>,
}

/// What a run came to.
#[derive(Debug, Default)]
struct Tally {
    records: usize,
    bytes: usize,
    said: usize,
    unknown: usize,
    slowest: Duration,
    most_saved: usize,
    most_kib: u64,
}

fn check(id: &str) {
    let scale = Scale::from_env();
    let adapter = by_id(id).expect("an adapter of this id");
    let fixtures = fixtures_of(adapter);
    let lengths = Lengths {
        usual: (scale.pick(300, 1_000), SMALL - 20_000),
        extreme: scale.full.then_some((100_000, 100_000_000)),
    };
    let mut feeder = Feeder {
        adapter,
        mutator: Mutator::new(scale.chance(id), lengths),
        chance: scale.chance("order"),
        records: fixtures.iter().flat_map(|it| &it.records).collect(),
        tally: Tally::default(),
        start_kib: private_kib(std::process::id()).expect("our own memory"),
    };
    let began = Instant::now();
    let wanted = scale.pick(20_000, 1_000_000);
    while feeder.tally.records < wanted {
        let fixture = feeder.chance.pick(&fixtures);
        feeder.feed(fixture);
    }
    println!("{id}: {:?} in {:?}", feeder.tally, began.elapsed());
    assert!(feeder.tally.said > wanted / 20, "{id} understood next to nothing");
}

/// Feeds damaged records to readers.
struct Feeder<'a> {
    adapter: &'static dyn Adapter,
    mutator: Mutator,
    chance: Chance,
    records: Vec<&'a (Cursor, Vec<u8>)>,
    tally: Tally,
    start_kib: u64,
}

impl Feeder<'_> {
    /// Reads a source, damaged, and goes on with the records of all others.
    fn feed(&mut self, fixture: &Fixture) {
        let mut reader = fixture.reader(self.adapter, None);
        for number in 0..RECORDS_A_READER {
            let own = fixture.records.get(number);
            let (at, bytes) = own.unwrap_or_else(|| *self.chance.pick(&self.records));
            let (_, other) = self.chance.pick(&self.records);
            let damaged = self.mutator.mutate(bytes, other);
            self.read(fixture, reader.as_mut(), at, &damaged);
            if self.chance.one_in(200) {
                reader = self.restored(fixture, reader.as_ref());
            }
        }
        self.check_memory(0);
    }

    /// Goes on from the memory as it was saved, or as something made of it.
    fn restored(&mut self, fixture: &Fixture, reader: &dyn Reader) -> Box<dyn Reader> {
        let mut saved = reader.save();
        self.tally.most_saved = self.tally.most_saved.max(saved.len());
        assert!(saved.len() <= SAVED_BYTES, "{} bytes of memory to save", saved.len());
        if self.chance.one_in(3) {
            let damaged = self.mutator.mutate(saved.as_bytes(), b"{}");
            saved = String::from_utf8_lossy(&damaged).into_owned();
        }
        fixture.reader(self.adapter, Some(&saved))
    }

    fn read(&mut self, fixture: &Fixture, reader: &mut dyn Reader, at: &Cursor, bytes: &[u8]) {
        let record = Record { bytes, at: at.clone() };
        let mut heard = Heard::default();
        let took = timed(|| {
            reader.read(&record, &mut heard);
            self.adapter.extra(bytes);
        });
        self.tally.records += 1;
        self.tally.bytes += bytes.len();
        self.tally.said += heard.said;
        self.tally.unknown += heard.unknown;
        if bytes.len() >= SMALL {
            return self.check_memory(bytes.len());
        }
        if took > SLOW {
            self.check_again(fixture, &record);
        }
        self.tally.slowest = self.tally.slowest.max(took.min(SLOW));
    }

    /// A slow record must be fast on one of several tries, each by a reader of its own.
    fn check_again(&self, fixture: &Fixture, record: &Record<'_>) {
        let once = |_| {
            let mut reader = fixture.reader(self.adapter, None);
            timed(|| reader.read(record, &mut Heard::default()))
        };
        let best = (0..TRIES).map(once).min().unwrap_or_default();
        let begin = String::from_utf8_lossy(&record.bytes[..record.bytes.len().min(300)]);
        assert!(best < SLOW, "{best:?} for {} bytes: {begin}", record.bytes.len());
    }

    /// The damaged record itself is the test's, not the reader's.
    fn check_memory(&mut self, record_bytes: usize) {
        let now = private_kib(std::process::id()).expect("our own memory");
        let ours = now.saturating_sub(self.start_kib + record_bytes as u64 / 1024);
        self.tally.most_kib = self.tally.most_kib.max(ours);
        assert!(ours < MEMORY_KIB, "{ours} KiB more than at the start: {:?}", self.tally);
    }
}

fn timed(work: impl FnOnce()) -> Duration {
    let began = Instant::now();
    work();
    began.elapsed()
}

/// Does with a draft what gathering and reading back do, and keeps nothing.
#[derive(Default)]
struct Heard {
    said: usize,
    unknown: usize,
}

impl Sink for Heard {
    fn event(&mut self, who: &RuntimeIdentity, draft: Draft<'_>) {
        self.said += 1;
        black_box(EventId::of(who.session(), &draft.key, draft.part));
        black_box(draft.content(draft.at.unwrap_or(Timestamp::UNIX_EPOCH), None));
        black_box(draft.detail.label().map(text::excerpt));
        black_box(draft.text.as_deref().map(text::excerpt));
        black_box(draft.detail.to_json());
    }

    fn remove(&mut self, _: &RuntimeIdentity, _: EventId) {
        self.said += 1;
    }

    fn remove_turn(&mut self, _: &RuntimeIdentity, _: TurnId) {
        self.said += 1;
    }

    fn usage(&mut self, _: &RuntimeIdentity, _: NewUsage) {
        self.said += 1;
    }

    fn unknown(&mut self, _: &str, _: Option<&str>) {
        self.unknown += 1;
    }
}

fn fixtures_of(adapter: &dyn Adapter) -> Vec<Fixture> {
    let folder = adapter.descriptor().id.replace('-', "_");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(folder).join("fixtures");
    let mut files = Vec::new();
    files_below(&root, &mut files);
    files.sort();
    let fixtures = files.iter().filter_map(|file| fixture_of(adapter, file));
    fixtures.filter(|fixture| !fixture.records.is_empty()).collect()
}

fn files_below(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files_below(&path, out) } else { out.push(path) }
    }
}

/// A file below a fixture's home, if its adapter reads it.
fn fixture_of(adapter: &dyn Adapter, file: &Path) -> Option<Fixture> {
    let (case, below) = file.to_str().unwrap().split_once("/home/")?;
    let (path, key) = match below.split_once(".rows/") {
        Some((database, rows)) => (database, rows.trim_end_matches(".jsonl")),
        None => (below, ""),
    };
    let place = adapter.place(path)?;
    let bytes = std::fs::read(file).unwrap();
    let side =
        |path: &String| Some((path.clone(), std::fs::read(format!("{case}/home/{path}")).ok()?));
    let beside = place.beside.iter().filter_map(side).collect();
    let records = match place.shape {
        Shape::Lines(_) => lines_of(&bytes),
        Shape::Document => vec![(Cursor::Pointer { pointer: String::new() }, bytes)],
        Shape::Sqlite(_) => lines_of(&bytes).iter().map(|(_, line)| row_of(line)).collect(),
    };
    Some(Fixture { path: path.to_owned(), key: key.to_owned(), beside, records })
}

fn lines_of(bytes: &[u8]) -> Vec<(Cursor, Vec<u8>)> {
    let line =
        |line: &[u8]| (Cursor::Bytes { byte_offset: 0, length: line.len() as u64 }, line.to_vec());
    bytes.split(|byte| *byte == b'\n').filter(|it| !it.is_empty()).map(line).collect()
}

fn row_of(line: &[u8]) -> (Cursor, Vec<u8>) {
    let value: Value = serde_json::from_slice(line).unwrap();
    let table = value["table"].as_str().unwrap().to_owned();
    let cursor = Cursor::Row { table, rowid: value["rowid"].as_i64().unwrap() };
    (cursor, value["row"].to_string().into_bytes())
}

impl Fixture {
    fn reader(&self, adapter: &dyn Adapter, saved: Option<&str>) -> Box<dyn Reader> {
        let source =
            Source { path: &self.path, key: &self.key, scope: "fixture", beside: &self.beside };
        adapter.reader(&source, saved)
    }
}
