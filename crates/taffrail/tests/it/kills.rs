//! `kill -9` at any moment of reading: nothing is lost and nothing is duplicated.
//!
//! Each round kills the program four times at random moments and then lets it finish. The result
//! must equal a run without kills. `TAFFRAIL_FULL=1` kills twelve hundred times, `TAFFRAIL_SEED`
//! chooses the moments.
#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "helpers of tests fail the test they help"
)]

mod kept;

use kept::Sources;
use serde_json::Value;
use std::time::{Duration, Instant};
use taffrail_testkit::corpus::{Corpus, Written};
use taffrail_testkit::{Chance, Fate, Home, SavedData, Scale, canonical_view, check_same, goose};

const PROGRAM: &str = env!("CARGO_BIN_EXE_taffrail");
/// Enough for several batches: one is closed every 250 ms or 16,384 changes.
const BYTES: usize = 16_000_000;
const KILLS_A_ROUND: usize = 4;
const LAST: usize = KILLS_A_ROUND - 1;
/// How many rounds are added until a kill hits between two batches.
const MORE_ROUNDS: usize = 20;
/// The index's WAL, and a growth of it that proves a batch.
const LOG: &str = ".local/share/taffrail/index.db-wal";
const BATCH_BYTES: u64 = 1_000_000;

#[test]
fn a_first_read_survives_kills() {
    let kit = Kit::new("first");
    kit.rounds(&["index"], kit.scale.pick(2, 100), || kit.home.restore_data(&kit.blank));
}

#[test]
fn a_first_run_of_all_survives_kills() {
    let kit = Kit::new("nothing");
    // Its ids depend on the device name, which is random in every first run.
    kit.home.remove(goose::DATABASE);
    kit.rounds(&["index"], kit.scale.pick(2, 25), || kit.home.drop_data());
}

#[test]
fn a_second_read_of_changed_files_survives_kills() {
    let mut kit = Kit::new("again");
    kit.home.index();
    let before = kit.home.save_data();
    kit.change_files();
    kit.rounds(&["index"], kit.scale.pick(2, 75), || kit.home.restore_data(&before));
}

#[test]
fn a_rebuild_survives_kills() {
    let kit = Kit::new("rebuild");
    kit.home.index();
    let whole = kit.home.save_data();
    kit.rounds(&["rebuild", "--yes"], kit.scale.pick(2, 50), || kit.home.restore_data(&whole));
}

#[test]
fn a_first_search_survives_kills() {
    let kit = Kit::new("search");
    let ask = ["search", "größe"];
    kit.rounds(&ask, kit.scale.pick(2, 50), || kit.home.restore_data(&kit.blank));
}

/// A home with a history, and the result of an undisturbed run.
struct Kit {
    scale: Scale,
    home: Home,
    written: Written,
    /// Our own files with a device name and nothing else, because ids depend on the name.
    blank: SavedData,
    /// What copies may contain.
    sources: Sources,
    chance: Chance,
}

/// The result of a run without kills.
struct Undisturbed {
    view: Vec<String>,
    found: Vec<usize>,
    bytes: u64,
    time: Duration,
}

impl Kit {
    fn new(purpose: &str) -> Self {
        let scale = Scale::from_env();
        let home = Home::new(PROGRAM);
        home.index();
        let blank = home.save_data();
        let written = Corpus { seed: scale.seed, bytes: BYTES }.write(&home);
        let sources = Sources::of(&home, &written);
        Self { scale, home, written, blank, sources, chance: scale.chance(purpose) }
    }

    /// Runs undisturbed, once to measure the time and once to count.
    fn undisturbed(&self, command: &[&str], prepare: &impl Fn()) -> Undisturbed {
        prepare();
        let began = Instant::now();
        self.home.ok(command);
        let time = began.elapsed();
        prepare();
        let read = if command[0] == "rebuild" { command } else { &["index"] };
        let read: Vec<_> = read.iter().copied().chain(["--json"]).collect();
        let bytes = bytes_read(&self.home.json(&read));
        self.sources.check_whole("undisturbed", &self.home);
        let (view, found) = (canonical_view(&self.home), kept::found(&self.home));
        Undisturbed { view, found, bytes, time }
    }

    /// Cuts files, extends them, and replaces them: all must be read again.
    fn change_files(&mut self) {
        for path in self.written.files.iter().filter(|path| path.ends_with(".jsonl")) {
            let mut bytes = std::fs::read(self.home.path(path)).unwrap();
            match self.chance.below(3) {
                0 => bytes.truncate(bytes.len() * 7 / 8),
                1 => {}
                _ => bytes.extend_from_within(..bytes.len() / 9),
            }
            self.home.remove(path);
            self.home.write(path, &bytes);
        }
        self.sources.change(&self.home, &self.written);
    }

    /// Kills repeatedly, lets the program finish, and compares. Adds rounds until a kill hits
    /// between two batches.
    fn rounds(&self, command: &[&str], count: usize, prepare: impl Fn()) {
        let whole = self.undisturbed(command, &prepare);
        let mut chance = self.chance.clone();
        let (mut round, mut killed, mut half_done) = (0, 0, 0);
        while round < count || (half_done == 0 && round < count + MORE_ROUNDS) {
            prepare();
            killed += self.kills(command, Aim::of(round), whole.time, &mut chance);
            let when = format!("{command:?}, round {round}");
            self.sources.check_parts(&when, &self.home);
            let left = bytes_read(&self.home.index());
            half_done += usize::from(0 < left && left < whole.bytes);
            self.sources.check_whole(&when, &self.home);
            check_same(&when, &canonical_view(&self.home), &whole.view);
            assert_eq!(kept::found(&self.home), whole.found, "{when}");
            round += 1;
        }
        println!(
            "{command:?}: {killed} of {} killed, {half_done} of {round} rounds half done; \
             undisturbed {} bytes in {:?}, {} lines of view, {:?} found",
            round * KILLS_A_ROUND,
            whole.bytes,
            whole.time,
            whole.view.len(),
            whole.found
        );
        assert!(half_done > 0, "no kill fell into the work");
    }

    /// Starts and kills four times; returns how many kills came before the end.
    fn kills(&self, command: &[&str], aim: Aim, time: Duration, chance: &mut Chance) -> usize {
        let mut delay = |longest: Duration| longest.mul_f64(chance.below(1_000) as f64 / 1_000.0);
        let fates = (0..KILLS_A_ROUND).map(|number| match (aim, number) {
            (Aim::Anywhere, _) => self.home.spawn(command).kill_after(delay(time)),
            (Aim::AfterABatch, LAST) => self.kill_after_a_batch(command, delay(time / 10)),
            (Aim::AfterABatch, _) => self.home.spawn(command).kill_after(delay(time / 10)),
        });
        fates.filter(|fate| *fate == Fate::Killed).count()
    }

    /// Waits until a batch was surely written, and a little longer.
    fn kill_after_a_batch(&self, command: &[&str], delay: Duration) -> Fate {
        let log = self.home.path(LOG);
        let size = || std::fs::metadata(&log).map_or(0, |it| it.len());
        let run = self.home.spawn(command);
        let (before, mut grown) = (size(), None);
        run.kill_when(|| {
            // A rebuild truncates the WAL.
            if grown.is_none() && size().abs_diff(before) >= BATCH_BYTES {
                grown = Some(Instant::now());
            }
            grown.is_some_and(|grown| grown.elapsed() >= delay)
        })
    }
}

/// When a round kills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aim {
    /// At any moment of the whole run.
    Anywhere,
    /// Soon after each start, and the last time when a batch is surely written.
    AfterABatch,
}

impl Aim {
    fn of(round: usize) -> Self {
        if round.is_multiple_of(2) { Self::AfterABatch } else { Self::Anywhere }
    }
}

fn bytes_read(report: &Value) -> u64 {
    report["bytes_read"].as_u64().expect("a count")
}
