//! Words, times and ids for generated sessions.

use crate::Chance;
use jiff::Timestamp;
use serde_json::Value;

/// 2026-10-01T00:00:00Z.
const BEGINNING: i64 = 1_790_812_800_000;
const WORDS: [&str; 24] = [
    "the",
    "parser",
    "drops",
    "a",
    "byte",
    "at",
    "end",
    "of",
    "every",
    "line",
    "fix",
    "test",
    "build",
    "read",
    "index",
    "größe",
    "漢字",
    "🎉",
    "cache",
    "src/lib.rs",
    "cargo",
    "run",
    "session",
    "\"quoted\"",
];

/// Generates one agent's sessions, one after another.
#[derive(Debug)]
pub(super) struct Generator {
    pub(super) chance: Chance,
    milliseconds: i64,
}

impl Generator {
    pub(super) fn new(chance: Chance) -> Self {
        Self { chance, milliseconds: BEGINNING }
    }

    /// Advances to a later minute, for another session.
    pub(super) fn pause(&mut self) {
        self.milliseconds += i64::try_from(self.chance.between(60_000, 900_000)).unwrap();
    }

    /// The current time, a little later than before.
    pub(super) fn time(&mut self) -> String {
        self.milliseconds += i64::try_from(self.chance.between(1, 6_000)).unwrap();
        let at = Timestamp::from_millisecond(self.milliseconds).unwrap();
        format!("{at:.3}")
    }

    /// The current time in seconds since 1970.
    pub(super) fn seconds(&mut self) -> i64 {
        self.time();
        self.milliseconds / 1000
    }

    /// The current time as in file names, to the minute or to the second.
    pub(super) fn stamp(&mut self, length: usize) -> String {
        let mut text = self.time().replace(':', "-");
        text.truncate(length);
        text
    }

    /// At most about this many words.
    pub(super) fn words(&mut self, most: usize) -> String {
        let count = self.chance.between(1, most);
        let words: Vec<_> = (0..count).map(|_| *self.chance.pick(&WORDS)).collect();
        words.join(" ")
    }

    /// The output of a tool: several lines, sometimes very many.
    pub(super) fn output(&mut self) -> String {
        let most = if self.chance.one_in(400) { 2_000 } else { 6 };
        let count = self.chance.between(1, most);
        let lines: Vec<_> = (0..count).map(|_| self.words(10)).collect();
        lines.join("\n")
    }

    /// The project folder of a session.
    pub(super) fn project(&mut self) -> &'static str {
        const PROJECTS: [&str; 4] =
            ["/home/dev/app", "/home/dev/api", "/home/dev/src/parser", "/srv/größe"];
        PROJECTS[self.chance.below(PROJECTS.len())]
    }
}

/// Records as lines.
pub(super) fn lines_of(records: &[Value]) -> Vec<u8> {
    let mut out = Vec::new();
    for record in records {
        out.extend_from_slice(record.to_string().as_bytes());
        out.push(b'\n');
    }
    out
}

/// The size of records as lines, in bytes.
pub(super) fn weight(records: &[Value]) -> usize {
    records.iter().map(|record| record.to_string().len() + 1).sum()
}
