//! Damaged records through every adapter's reader: no panic, no slow record, no growing memory.
//!
//! The test damages the records of all fixtures by a seed and feeds them to readers that are
//! started, saved, restored, and restored from damaged memories. `TAFFRAIL_FULL=1` feeds a hundred
//! thousand to each adapter, `TAFFRAIL_SEED` selects them.

use crate::fixtures;

use fixtures::{Fixture, fixtures_of};
use std::hint::black_box;
use std::time::{Duration, Instant};
use taffrail_adapters::{Adapter, Reader, Shape, all};
use taffrail_model::{
    Cursor, Draft, EventId, NewUsage, Record, RuntimeIdentity, Sink, Timestamp, TurnId, text,
};
use taffrail_testkit::mutate::{Lengths, Mutator};
use taffrail_testkit::{Chance, Scale, private_kib};

/// The number of records per reader.
const RECORDS_A_READER: usize = 1_000;
/// A small record that takes longer is compared with [`bare`]; an unoptimized build is slower.
const SLOW: Duration = Duration::from_millis(if cfg!(debug_assertions) { 500 } else { 100 });
const SMALL: usize = 1_000_000;
/// How many times a record is read again on a noisy machine before it counts as slow.
const TRIES: usize = 5;
/// How much longer than [`bare`] a slow record may take.
const OVER_BARE: u32 = 4;
/// The most private memory above that at the start.
const MEMORY_KIB: u64 = 150 * 1024;
/// The largest memory a reader may save: it is written with every checkpoint.
const SAVED_BYTES: usize = 4 * 1024 * 1024;
/// A string longer than any id.
const LONG_STRING: usize = 100_000;

/// One test for each adapter of the registry, named like its folder.
mod survives {
    macro_rules! tests {
        ($($name:ident),+) => {
            $(#[test]
            fn $name() {
                super::check(&taffrail_adapters::$name::ADAPTER);
            })+
        };
    }

    taffrail_adapters::for_each_adapter!(tests);
}

#[test]
fn a_reader_remembers_no_long_string() {
    let saved = all().iter().map(|adapter| (adapter.descriptor().id, most_saved(*adapter)));
    let saved: Vec<_> = saved.collect();
    println!("the most bytes to save: {saved:?}");
    assert!(saved.iter().all(|(_, bytes)| *bytes <= SAVED_BYTES), "{saved:?}");
}

/// The largest memory after records in which one member is a new long string.
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
            reader.read(&record, &mut CountingSink::default());
        }
        most = most.max(reader.save().len());
    }
    most
}

/// The result of a run.
#[derive(Debug, Default)]
struct Tally {
    records: usize,
    bytes: usize,
    events: usize,
    unknown: usize,
    slowest: Duration,
    most_saved: usize,
    most_kib: u64,
}

fn check(adapter: &'static dyn Adapter) {
    let scale = Scale::from_env();
    let id = adapter.descriptor().id;
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
    let wanted = scale.pick(4_000, 100_000);
    while feeder.tally.records < wanted {
        let fixture = feeder.chance.pick(&fixtures);
        feeder.feed(fixture);
    }
    println!("{id}: {:?} in {:?}", feeder.tally, began.elapsed());
    assert!(feeder.tally.events > wanted / 50, "{id} understood next to nothing");
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
    /// Reads a damaged source, and continues with the records of all others.
    fn feed(&mut self, fixture: &Fixture) {
        let mut reader = fixture.reader(self.adapter, None);
        let place = self.adapter.place(&fixture.path);
        // A text of many lines is one record.
        let is_text = place.is_some_and(|it| it.shape == Shape::Text);
        for number in 0..RECORDS_A_READER {
            let own = fixture.records.get(number);
            let (at, bytes) = own.unwrap_or_else(|| *self.chance.pick(&self.records));
            let (_, other) = self.chance.pick(&self.records);
            let damaged = match is_text {
                true => self.mutator.mutate_text(bytes, other),
                false => self.mutator.mutate(bytes, other),
            };
            self.read(fixture, reader.as_mut(), at, &damaged);
            if self.chance.one_in(200) {
                reader = self.restored(fixture, reader.as_ref());
            }
        }
        self.check_memory(0);
    }

    /// Continues from the saved memory, or from a damaged copy of it.
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
        let mut sink = CountingSink::default();
        let took = timed(|| {
            reader.read(&record, &mut sink);
            self.adapter.extra(bytes);
        });
        self.tally.records += 1;
        self.tally.bytes += bytes.len();
        self.tally.events += sink.events;
        self.tally.unknown += sink.unknown;
        if bytes.len() >= SMALL {
            return self.check_memory(bytes.len());
        }
        if took > SLOW {
            self.check_again(fixture, &record);
        }
        self.tally.slowest = self.tally.slowest.max(took.min(SLOW));
    }

    /// A slow record must be fast on one of several tries, each with its own reader, or the machine
    /// itself must be slow.
    fn check_again(&self, fixture: &Fixture, record: &Record<'_>) {
        let best = best_of(|| {
            let mut reader = fixture.reader(self.adapter, None);
            timed(|| reader.read(record, &mut CountingSink::default()))
        });
        let allowed = SLOW.max(best_of(|| timed(|| bare(record.bytes))) * OVER_BARE);
        let begin = String::from_utf8_lossy(&record.bytes[..record.bytes.len().min(300)]);
        let bytes = record.bytes.len();
        assert!(best < allowed, "{best:?} for {bytes} bytes, {allowed:?} allowed: {begin}");
    }

    /// The damaged record itself belongs to the test, not to the reader.
    fn check_memory(&mut self, record_bytes: usize) {
        let now = private_kib(std::process::id()).expect("our own memory");
        let ours = now.saturating_sub(self.start_kib + record_bytes as u64 / 1024);
        self.tally.most_kib = self.tally.most_kib.max(ours);
        assert!(ours < MEMORY_KIB, "{ours} KiB more than at the start: {:?}", self.tally);
    }
}

/// What `serde_json` itself does with a record that it rejects: it parses the bytes and writes
/// them, escaped, into its error message. A record of one long string costs little else.
fn bare(bytes: &[u8]) {
    black_box(serde_json::from_slice::<serde_json::Value>(bytes).ok());
    black_box(format!("{:?}", String::from_utf8_lossy(bytes)));
}

fn best_of(once: impl Fn() -> Duration) -> Duration {
    (0..TRIES).map(|_| once()).min().unwrap_or_default()
}

fn timed(work: impl FnOnce()) -> Duration {
    taffrail_testkit::fuzz::timed(work).0
}

/// Processes a draft as capture and reading back do, and keeps nothing.
#[derive(Default)]
struct CountingSink {
    events: usize,
    unknown: usize,
}

impl Sink for CountingSink {
    fn event(&mut self, who: &RuntimeIdentity, draft: Draft<'_>) {
        self.events += 1;
        black_box(EventId::of(who.session(), &draft.key, draft.part));
        black_box(draft.content(draft.at.unwrap_or(Timestamp::UNIX_EPOCH), None));
        black_box(draft.detail.label().map(text::excerpt));
        black_box(draft.text.as_deref().map(text::excerpt));
        black_box(draft.detail.to_json());
    }

    fn remove(&mut self, _: &RuntimeIdentity, _: EventId) {
        self.events += 1;
    }

    fn remove_turn(&mut self, _: &RuntimeIdentity, _: TurnId) {
        self.events += 1;
    }

    fn usage(&mut self, _: &RuntimeIdentity, _: NewUsage) {
        self.events += 1;
    }

    fn unknown(&mut self, _: &str, _: Option<&str>) {
        self.unknown += 1;
    }
}
