//! What capture hands over in one piece: events, facts and the cursor they belong to.
//!
//! A store writes one `Observed` in one transaction, so that at any kill point nothing is lost or
//! doubled.

use crate::hash::Digest16;
use crate::{
    AgentId, Confidence, Cursor, EventId, Facts, Kind, Origin, RuntimeIdentity, Signal, Timestamp,
    Tokens, TurnId, journal,
};
use serde::{Deserialize, Serialize};

/// A file as the file system told it: when all of it is equal, nothing was written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fingerprint {
    /// The device it is on.
    pub device: u64,
    /// Its number there.
    pub inode: u64,
    /// Its size in bytes.
    pub size: u64,
    /// Its last change, in nanoseconds since 1970.
    pub modified_ns: i64,
    /// The same of all it leans on (side files, write-ahead logs), hashed together.
    pub beside: u64,
}

/// The last line that was consumed, to notice a file rewritten in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LastLine {
    /// Its first byte.
    pub offset: u64,
    /// Its length, without the line feed.
    pub length: u64,
    /// Its hash.
    pub hash: Digest16,
}

/// A source and how far it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceState {
    /// Whose it is.
    pub agent: AgentId,
    /// The agent's home it was found in.
    pub home: String,
    /// Its path below that home.
    pub path: String,
    /// Which part of the file, for files that hold many sessions; otherwise empty.
    pub key: String,
    /// The locator URI others know it by.
    pub locator: String,
    /// Of two sources that say different things about one event, the higher is believed.
    pub rank: u8,
    /// The file when it was last read.
    pub fingerprint: Fingerprint,
    /// The first byte not yet consumed.
    pub offset: u64,
    /// The last line consumed.
    pub last_line: Option<LastLine>,
    /// The reader's memory, as the adapter wrote it.
    pub reader: String,
    /// The next change must be read from the start (an event had to be given a stand-in time).
    pub read_whole_next: bool,
    /// How much of it our archive holds.
    pub kept: ArchiveState,
}

/// How much of a source our archive holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ArchiveState {
    /// Nothing, so far.
    #[default]
    Nothing,
    /// So many bytes.
    Bytes(u64),
    /// Nothing any more: it was dropped, and is not kept again.
    Dropped,
}

/// Where a piece was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// The source itself.
    Source,
    /// The copy in our archive: the source is gone.
    Copy,
}

/// How a pass over a source relates to what is known of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// What follows comes after what is known.
    Append,
    /// The source is read again from its start; what is not met again has vanished.
    Again,
}

/// The stored part of an event: everything but its whole text.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    /// Index into [`Observed::sessions`].
    pub session: usize,
    /// Computed, never drawn.
    pub id: EventId,
    /// The agent's own id of the record.
    pub source_event_id: Option<String>,
    /// Which of the record's events.
    pub part: u32,
    /// What it says.
    pub kind: Kind,
    /// Where it was seen.
    pub origin: Origin,
    /// How far to trust it.
    pub confidence: Confidence,
    /// The agent's time.
    pub at: Timestamp,
    /// The turn.
    pub turn: Option<TurnId>,
    /// What else is true of it.
    pub marks: Marks,
    /// The event it answers.
    pub parent: Option<EventId>,
    /// The tool's name, the model, ...
    pub label: Option<String>,
    /// The beginning of its text.
    pub excerpt: String,
    /// What follows for the status.
    pub signal: Option<Signal>,
    /// A mark of all it says.
    pub content: Digest16,
    /// Hash of the record's raw bytes.
    pub raw: Digest16,
    /// Where the record stands.
    pub cursor: Cursor,
    /// The text it is found by; empty unless it was asked for.
    pub searched: String,
}

/// Small truths about an event that folds need and text does not tell.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Marks(u8);

impl Marks {
    /// The prompt that opens its turn.
    pub const OPENS_TURN: Self = Self(1);
    /// Says that its turn is over.
    pub const ENDS_TURN: Self = Self(2);
    /// A tool that failed.
    pub const FAILED: Self = Self(4);

    /// Both sets of marks.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// All of `other`'s marks are set.
    #[must_use]
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// As stored.
    #[must_use]
    pub fn bits(self) -> u8 {
        self.0
    }

    /// From the store.
    #[must_use]
    pub fn from_bits(bits: u8) -> Self {
        Self(bits)
    }
}

/// The cost of one model answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewUsage {
    /// Tells the answer apart, in every session that repeats it.
    pub key: Digest16,
    /// When it was written.
    pub at: Option<Timestamp>,
    /// By which model.
    pub model: Option<String>,
    /// What it cost.
    pub tokens: Tokens,
    /// What the agent says it cost, in millionths of a dollar.
    pub cost_microdollars: Option<i64>,
}

/// Records of a type the adapter does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownRecords {
    /// The type in the agent's word.
    pub raw_type: String,
    /// The agent's version, where known.
    pub version: Option<String>,
    /// How many.
    pub count: u64,
}

/// One piece of a pass over a source.
#[derive(Debug, Clone, PartialEq)]
pub struct Observed {
    /// The source after this piece.
    pub source: SourceState,
    /// How the pass relates to what is known.
    pub pass: Pass,
    /// This is the last piece of the pass.
    pub ends_pass: bool,
    /// The source is no longer there at all.
    pub gone: bool,
    /// Where this was read from.
    pub held: Held,
    /// Sessions met, with what the source knows about them.
    pub sessions: Vec<(RuntimeIdentity, Facts)>,
    /// What was said.
    pub events: Vec<NewEvent>,
    /// What no longer stands, by index into `sessions`.
    pub removed: Vec<(usize, EventId)>,
    /// Turns of which nothing stands but what `events` says, by index into `sessions`.
    pub removed_turns: Vec<(usize, TurnId)>,
    /// What it cost, by index into `sessions`.
    pub usage: Vec<(usize, NewUsage)>,
    /// What was not understood.
    pub unknown: Vec<UnknownRecords>,
    /// How much was read.
    pub outcome: Outcome,
}

impl Observed {
    /// Leaves out what is said of some sessions; what its reader remembers is left out with it.
    pub fn leave_out(&mut self, is_left_out: impl Fn(&RuntimeIdentity, &Facts) -> bool) {
        let mut next = 0;
        let places: Vec<Option<usize>> = self
            .sessions
            .iter()
            .map(|(who, facts)| {
                let stays = !is_left_out(who, facts);
                next += usize::from(stays);
                stays.then(|| next - 1)
            })
            .collect();
        if places.iter().all(Option::is_some) {
            return;
        }
        let place = |at: usize| places.get(at).copied().flatten();
        self.sessions.retain(|(who, facts)| !is_left_out(who, facts));
        self.events.retain_mut(|it| place(it.session).map(|at| it.session = at).is_some());
        retain(&mut self.removed, place);
        retain(&mut self.removed_turns, place);
        retain(&mut self.usage, place);
        // The journal's reader remembers nothing.
        if !journal::is_locator(&self.source.locator) {
            self.source.reader.clear();
            self.source.read_whole_next = true;
        }
    }
}

fn retain<T>(all: &mut Vec<(usize, T)>, place: impl Fn(usize) -> Option<usize>) {
    all.retain_mut(|it| place(it.0).map(|at| it.0 = at).is_some());
}

/// Counts of a pass or of a whole run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Bytes consumed.
    pub bytes_read: u64,
    /// Records consumed.
    pub records: u64,
    /// Of these, of unknown type.
    pub unknown_records: u64,
    /// Of these, too long to read or not readable at all.
    pub skipped_records: u64,
}

impl Outcome {
    /// Both together.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            bytes_read: self.bytes_read + other.bytes_read,
            records: self.records + other.records,
            unknown_records: self.unknown_records + other.unknown_records,
            skipped_records: self.skipped_records + other.skipped_records,
        }
    }
}
