//! One pass over a source, from its cursor to its end, in pieces.

use crate::collector::{Collector, Habits, Texts};
use crate::open_below;
use crate::plan::Job;
use crate::source::{self, SourceFile};
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::path::Path;
use taffrail_adapters::{Reader, Source};
use taffrail_model::observed::{
    ArchiveState, Fingerprint, Held, LastLine, Observed, Pass, SourceState,
};
use taffrail_model::{AgentId, Cursor, Record, Timestamp};

/// A piece ends after this many events or bytes.
const PIECE_EVENTS: usize = 2048;
const PIECE_BYTES: u64 = 4 * 1024 * 1024;
/// The largest side file that is read.
const SIDE_FILE_LIMIT: u64 = 64 * 1024;
/// The largest reader state that is saved; a source that needs more is read from its start.
const MEMORY_LIMIT: usize = 1024 * 1024;

/// How a job is read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reading<'a> {
    /// The scope in which the agent's session ids are unique.
    pub scope: &'a str,
    /// Which texts are included.
    pub texts: Texts,
}

/// A pass in progress.
pub(crate) struct SourcePass<'a> {
    found: &'a SourceFile,
    key: &'a str,
    pass: Pass,
    pub(crate) state: SourceState,
    habits: Habits,
    pub(crate) collector: Collector,
    pub(crate) reader: Box<dyn Reader>,
}

impl<'a> SourcePass<'a> {
    /// Begins a pass, or continues from a known state.
    pub(crate) fn begin(job: &'a Job, key: &'a str, pass: Pass, how: Reading<'_>) -> Self {
        let found = &job.found;
        let state = match (&job.known, pass) {
            (Some(known), Pass::Append) => {
                SourceState { path: found.path.clone(), ..known.clone() }
            }
            (Some(known), Pass::Again) => SourceState { kept: known.kept, ..fresh(found, key) },
            (None, _) => fresh(found, key),
        };
        Self::with(found, state, (key, pass), (how, &side_files(found)))
    }

    /// Begins a pass over an unknown source.
    pub(crate) fn fresh(
        found: &'a SourceFile,
        (key, pass): (&'a str, Pass),
        how: Reading<'_>,
        side_files: &SideFiles,
    ) -> Self {
        Self::with(found, fresh(found, key), (key, pass), (how, side_files))
    }

    fn with(
        found: &'a SourceFile,
        state: SourceState,
        (key, pass): (&'a str, Pass),
        (how, side_files): (Reading<'_>, &SideFiles),
    ) -> Self {
        let written = written(found.fingerprint.modified_ns);
        let described =
            Source { path: &found.path, key, scope: how.scope, beside: side_files, written };
        let saved = Memory::saved(&state.reader);
        let reader = source::reader(found.adapter, &described, saved.reader.as_deref());
        let rewrites_records = found.adapter.descriptor().rewrites_records;
        let habits = Habits { rewrites_records, texts: how.texts };
        let collector = Collector::after(saved.time, habits);
        Self { found, key, pass, state, habits, collector, reader }
    }

    pub(crate) fn record(&mut self, record: &Record<'_>) {
        self.collector.begin(record);
        if let Cursor::Bytes { byte_offset, length } = record.at {
            let hash = self.collector.raw();
            self.state.last_line = Some(LastLine { offset: byte_offset, length, hash });
        }
        self.reader.read(record, &mut self.collector);
    }

    pub(crate) fn is_full(&self) -> bool {
        let collector = &self.collector;
        (collector.events.len() >= PIECE_EVENTS || collector.outcome.bytes_read >= PIECE_BYTES)
            && !collector.waits_for_time()
    }

    /// Closes the current piece. Its fingerprint is that of a file that ends here, so that an interrupted
    /// pass continues at this offset.
    pub(crate) fn part(&mut self) -> Observed {
        let now = self.found.fingerprint;
        self.state.fingerprint = Fingerprint { size: self.state.offset, modified_ns: 0, ..now };
        self.piece(false)
    }

    fn piece(&mut self, ends_pass: bool) -> Observed {
        let time = self.collector.time();
        self.state.read_whole_next = self.collector.waits_for_time();
        let memory = Memory { time, reader: Some(self.reader.save()) };
        // Two strings and a time always serialize.
        let memory = serde_json::to_string(&memory).unwrap_or_default();
        if memory.len() > MEMORY_LIMIT {
            self.state.read_whole_next = true;
            self.state.reader = String::new();
        } else {
            self.state.reader = memory;
        }
        for (who, mut facts) in self.reader.facts() {
            if facts.project_path.is_none() && self.found.adapter.descriptor().in_projects {
                facts.project_path = Some(self.found.home.clone());
            }
            let index = self.collector.index(&who);
            if let Some(slot) = self.collector.sessions.get_mut(index) {
                slot.1 = facts.bounded();
            }
        }
        let next = Collector::after(time, self.habits);
        let mut collector = std::mem::replace(&mut self.collector, next);
        Observed {
            source: self.state.clone(),
            pass: self.pass,
            ends_pass,
            gone: false,
            held: Held::Source,
            unknown: collector.take_unknown(),
            sessions: collector.sessions,
            events: collector.events,
            removed: collector.removed,
            removed_turns: collector.removed_turns,
            usage: collector.usage,
            quotas: collector.quotas,
            outcome: collector.outcome,
        }
    }

    /// Closes the pass: from now on an equal stat means that nothing changed.
    pub(crate) fn end(&mut self) -> Observed {
        self.state.fingerprint = self.found.fingerprint;
        self.state.key = self.key.to_owned();
        self.piece(true)
    }
}

/// The state that is saved between two passes besides the cursor.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Memory {
    time: Option<taffrail_model::Timestamp>,
    reader: Option<String>,
}

impl Memory {
    /// What was saved; nothing for a source that is read for the first time.
    fn saved(text: &str) -> Self {
        if text.is_empty() {
            return Self::default();
        }
        serde_json::from_str(text).unwrap_or_else(|error| {
            tracing::warn!(column = error.column(), "cannot read the memory of a source's reader");
            Self::default()
        })
    }
}

/// When a file was last written, to the second; `None` for one that does not exist.
fn written(modified_ns: i64) -> Option<Timestamp> {
    let seconds = modified_ns / 1_000_000_000;
    Timestamp::from_second(seconds).ok().filter(|_| seconds > 0)
}

fn fresh(found: &SourceFile, key: &str) -> SourceState {
    let suffix = if key.is_empty() { String::new() } else { format!("#{key}") };
    SourceState {
        agent: AgentId::new(found.adapter.descriptor().id),
        home: found.home.clone(),
        path: found.path.clone(),
        key: key.to_owned(),
        locator: found.place.locator.clone() + &suffix,
        rank: found.place.rank,
        fingerprint: Fingerprint::default(),
        offset: 0,
        last_line: None,
        reader: String::new(),
        read_whole_next: false,
        kept: ArchiveState::Nothing,
    }
}

/// Small files that a source depends on, by path.
pub type SideFiles = Vec<(String, Vec<u8>)>;

/// The side files of a source that can be read.
#[must_use]
pub fn side_files(found: &SourceFile) -> SideFiles {
    let read = |path: &String| {
        let file = open_below(Path::new(&found.home), path).ok()?;
        let mut bytes = Vec::new();
        // Side files are optional: without one the adapter only knows less.
        file.take(SIDE_FILE_LIMIT).read_to_end(&mut bytes).ok()?;
        Some((path.clone(), bytes))
    };
    found.place.beside.iter().filter_map(read).collect()
}
