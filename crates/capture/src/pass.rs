//! One pass over a source: from its cursor to its end, in pieces.

use crate::discover::Found;
use crate::gather::{Gathered, Habits, Texts};
use crate::lines::{LINE_LIMIT, Line, LineReader};
use crate::plan::Job;
use crate::taker::{Flow, Taker};
use crate::{ReadError, journal, open_below, sqlite};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use taffrail_adapters::{Encoding, Reader, Shape, Source};
use taffrail_model::hash;
use taffrail_model::observed::{Fingerprint, Held, Kept, LastLine, Observed, Pass, SourceState};
use taffrail_model::{AgentId, Cursor, Record};

/// A piece ends after this many events or bytes.
const PIECE_EVENTS: usize = 2048;
const PIECE_BYTES: u64 = 4 * 1024 * 1024;
/// So much is read at a time of what a taker lacks.
const AGAIN_BYTES: usize = 1024 * 1024;
/// The largest document and the largest side file that are read.
const DOCUMENT_LIMIT: u64 = 256 * 1024 * 1024;
const SIDE_FILE_LIMIT: u64 = 64 * 1024;
/// The largest memory of a reader that is kept; a source that needs more is read from its start.
const MEMORY_LIMIT: usize = 1024 * 1024;
/// The largest window a compressed file may ask the reader to hold, as a power of two.
const ZSTD_WINDOW_LOG: u32 = 25;

/// How a job is to be read.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reading<'a> {
    /// Where the agent's session ids are unique.
    pub scope: &'a str,
    /// Which texts go along.
    pub texts: Texts,
}

/// Reads what a job asks for and hands over each piece.
///
/// # Errors
/// When the source cannot be read; pieces handed over before that stand.
pub fn read(job: &Job, how: Reading<'_>, taker: &mut dyn Taker) -> Result<(), ReadError> {
    let result = match job.found.place.shape {
        Shape::Lines(encoding) => lines(job, encoding, how, taker),
        Shape::Document => document(job, how, taker),
        Shape::Sqlite(plan) => return sqlite::read(job, plan, how, taker),
    };
    result.map_err(|error| ReadError::Io { path: job.found.path.clone(), error })
}

/// A pass under way.
pub(crate) struct Passing<'a> {
    found: &'a Found,
    key: &'a str,
    pass: Pass,
    pub(crate) state: SourceState,
    habits: Habits,
    pub(crate) gathered: Gathered,
    pub(crate) reader: Box<dyn Reader>,
}

impl<'a> Passing<'a> {
    /// Begins a pass, or goes on from a known state.
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

    /// Begins a pass over a source nothing is known of.
    pub(crate) fn fresh(
        found: &'a Found,
        (key, pass): (&'a str, Pass),
        how: Reading<'_>,
        side_files: &SideFiles,
    ) -> Self {
        Self::with(found, fresh(found, key), (key, pass), (how, side_files))
    }

    fn with(
        found: &'a Found,
        state: SourceState,
        (key, pass): (&'a str, Pass),
        (how, side_files): (Reading<'_>, &SideFiles),
    ) -> Self {
        let source = Source { path: &found.path, key, scope: how.scope, beside: side_files };
        let saved: Memory = serde_json::from_str(&state.reader).unwrap_or_default();
        let reader = journal::reader(found.adapter, &source, saved.reader.as_deref());
        let rewrites_records = found.adapter.descriptor().rewrites_records;
        let habits = Habits { rewrites_records, texts: how.texts };
        let gathered = Gathered::after(saved.time, habits);
        Self { found, key, pass, state, habits, gathered, reader }
    }

    pub(crate) fn record(&mut self, record: &Record<'_>) {
        self.gathered.begin(record);
        if let Cursor::Bytes { byte_offset, length } = record.at {
            let hash = self.gathered.raw();
            self.state.last_line = Some(LastLine { offset: byte_offset, length, hash });
        }
        self.reader.read(record, &mut self.gathered);
    }

    fn is_full(&self) -> bool {
        let gathered = &self.gathered;
        (gathered.events.len() >= PIECE_EVENTS || gathered.outcome.bytes_read >= PIECE_BYTES)
            && !gathered.waits_for_time()
    }

    /// Closes the piece gathered so far. Its fingerprint is that of a file which ends here, so that
    /// a pass cut off in the middle goes on where it was.
    fn part(&mut self) -> Observed {
        let now = self.found.fingerprint;
        self.state.fingerprint = Fingerprint { size: self.state.offset, modified_ns: 0, ..now };
        self.piece(false)
    }

    fn piece(&mut self, ends_pass: bool) -> Observed {
        let time = self.gathered.time();
        self.state.read_whole_next = self.gathered.waits_for_time();
        let memory = Memory { time, reader: Some(self.reader.save()) };
        // Two strings and a time can always be written.
        let memory = serde_json::to_string(&memory).unwrap_or_default();
        if memory.len() > MEMORY_LIMIT {
            self.state.read_whole_next = true;
            self.state.reader = String::new();
        } else {
            self.state.reader = memory;
        }
        for (who, facts) in self.reader.facts() {
            let index = self.gathered.index(&who);
            if let Some(slot) = self.gathered.sessions.get_mut(index) {
                slot.1 = facts.bounded();
            }
        }
        let next = Gathered::after(time, self.habits);
        let mut gathered = std::mem::replace(&mut self.gathered, next);
        Observed {
            source: self.state.clone(),
            pass: self.pass,
            ends_pass,
            gone: false,
            held: Held::Source,
            unknown: gathered.take_unknown(),
            sessions: gathered.sessions,
            events: gathered.events,
            removed: gathered.removed,
            removed_turns: gathered.removed_turns,
            usage: gathered.usage,
            outcome: gathered.outcome,
        }
    }

    /// Closes the pass: from now on an equal stat means that nothing is new.
    pub(crate) fn end(&mut self) -> Observed {
        self.state.fingerprint = self.found.fingerprint;
        self.state.key = self.key.to_owned();
        self.piece(true)
    }
}

/// What is kept between two passes beside the cursor.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Memory {
    time: Option<taffrail_model::Timestamp>,
    reader: Option<String>,
}

fn fresh(found: &Found, key: &str) -> SourceState {
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
        kept: Kept::Nothing,
    }
}

/// Small files a source leans on, by path.
pub type SideFiles = Vec<(String, Vec<u8>)>;

/// What a source leans on, as far as it can be read.
#[must_use]
pub fn side_files(found: &Found) -> SideFiles {
    let read = |path: &String| {
        let file = open_below(Path::new(&found.home), path).ok()?;
        let mut bytes = Vec::new();
        // A side file is a help, never a need: without it the adapter knows less.
        file.take(SIDE_FILE_LIMIT).read_to_end(&mut bytes).ok()?;
        Some((path.clone(), bytes))
    };
    found.place.beside.iter().filter_map(read).collect()
}

fn lines(job: &Job, encoding: Encoding, how: Reading<'_>, taker: &mut dyn Taker) -> io::Result<()> {
    let mut file = open_below(Path::new(&job.found.home), &job.found.path)?;
    let pass = match encoding {
        Encoding::Plain => continued(job, &mut file)?,
        // There is no way into the middle of a compressed file.
        Encoding::Zstd if job.known.is_some() => Pass::Again,
        Encoding::Zstd => Pass::Append,
    };
    let mut passing = Passing::begin(job, "", pass, how);
    let offset = passing.state.offset;
    match encoding {
        Encoding::Plain => {
            hand_over_again(&mut file, offset, taker)?;
            file.seek(SeekFrom::Start(offset))?;
            pump(LineReader::new(file, offset, LINE_LIMIT), &mut passing, taker)
        }
        Encoding::Zstd => {
            taker.lines_from(0);
            pump(LineReader::new(unzstd(file)?, 0, LINE_LIMIT), &mut passing, taker)
        }
    }
}

/// Gives bytes before the cursor to a taker that lacks them.
fn hand_over_again(file: &mut File, offset: u64, taker: &mut dyn Taker) -> io::Result<()> {
    let mut from = taker.lines_from(offset);
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = vec![0; if from < offset { AGAIN_BYTES } else { 0 }];
    while from < offset {
        let wanted = usize::try_from(offset - from).unwrap_or(AGAIN_BYTES).min(bytes.len());
        let slice = bytes.get_mut(..wanted).unwrap_or_default();
        file.read_exact(slice)?;
        taker.lines(from, slice);
        from += wanted as u64;
    }
    Ok(())
}

/// A stream of the uncompressed bytes, with a bounded window.
pub(crate) fn unzstd(file: File) -> io::Result<impl Read> {
    let mut decoder = zstd::stream::read::Decoder::new(file)?;
    decoder.window_log_max(ZSTD_WINDOW_LOG)?;
    Ok(decoder)
}

/// An append is only believed if the last consumed line still stands where it did.
fn continued(job: &Job, file: &mut File) -> io::Result<Pass> {
    let Some(known) = job.known.as_ref().filter(|_| job.pass == Pass::Append) else {
        return Ok(job.pass);
    };
    let Some(last) = known.last_line else { return Ok(Pass::Append) };
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(last.offset))?;
    Read::by_ref(file).take(last.length + 1).read_to_end(&mut bytes)?;
    let stands = bytes.pop() == Some(b'\n') && hash::checksum(&bytes) == last.hash;
    Ok(if stands { Pass::Append } else { Pass::Again })
}

pub(crate) fn pump(
    mut input: LineReader<impl Read>,
    passing: &mut Passing<'_>,
    taker: &mut dyn Taker,
) -> io::Result<()> {
    loop {
        let before = input.consumed();
        let Some(line) = input.next()? else { break };
        if let Line::Whole { offset, bytes } = line {
            taker.lines(offset, bytes);
            taker.lines(offset + bytes.len() as u64, b"\n");
        }
        match line {
            Line::Whole { bytes: [], .. } => {}
            Line::Whole { offset, bytes } => {
                let at = Cursor::Bytes { byte_offset: offset, length: bytes.len() as u64 };
                passing.record(&Record { bytes, at });
            }
            Line::TooLong => passing.gathered.outcome.skipped_records += 1,
        }
        passing.state.offset = input.consumed();
        passing.gathered.outcome.bytes_read += input.consumed() - before;
        if passing.is_full() && taker.piece(passing.part()) == Flow::Stop {
            return Ok(());
        }
    }
    taker.piece(passing.end());
    Ok(())
}

fn document(job: &Job, how: Reading<'_>, taker: &mut dyn Taker) -> io::Result<()> {
    let file = open_below(Path::new(&job.found.home), &job.found.path)?;
    let mut bytes = Vec::new();
    file.take(DOCUMENT_LIMIT + 1).read_to_end(&mut bytes)?;
    let fits = bytes.len() as u64 <= DOCUMENT_LIMIT;
    // Half a document says nothing, least of all that what it said before is gone.
    let whole = fits && serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).is_ok();
    let pass = if whole { Pass::Again } else { Pass::Append };
    let mut passing = Passing::begin(job, "", pass, how);
    passing.gathered.outcome.bytes_read = bytes.len() as u64;
    if whole {
        taker.document(&bytes);
        let at = Cursor::Pointer { pointer: String::new() };
        passing.record(&Record { bytes: &bytes, at });
    } else {
        passing.gathered.outcome.skipped_records = 1;
    }
    taker.piece(passing.end());
    Ok(())
}
