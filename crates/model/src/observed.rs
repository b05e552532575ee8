//! The unit that capture hands to a store: events, facts and the cursor they belong to.
//!
//! A store writes one `Observed` in one transaction, so that a kill at any point neither loses nor
//! duplicates anything.

use crate::hash::Digest16;
use crate::quota::Observation;
use crate::{
    AgentId, Confidence, Cursor, EventId, Facts, Kind, Origin, RuntimeIdentity, SessionId, Signal,
    Timestamp, Tokens, TurnId, prompt_history,
};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// A file's metadata: if all of it is equal, the file was not written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fingerprint {
    /// The device it is on.
    pub device: u64,
    /// The inode number.
    pub inode: u64,
    /// The size in bytes.
    pub size: u64,
    /// The modification time, in nanoseconds since 1970.
    pub modified_ns: i64,
    /// The same for the files it depends on (side files, WALs), hashed together.
    pub beside: u64,
}

/// The last consumed line, to detect a file that was rewritten in place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LastLine {
    /// Its first byte.
    pub offset: u64,
    /// Its length, without the line feed.
    pub length: u64,
    /// Its hash.
    pub hash: Digest16,
}

/// A source and its read position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceState {
    /// The agent that owns the source.
    pub agent: AgentId,
    /// The agent's home that contains it.
    pub home: String,
    /// The path below that home.
    pub path: String,
    /// The part of the file, for files that hold many sessions; otherwise empty.
    pub key: String,
    /// The locator URI.
    pub locator: String,
    /// The rank: if two sources disagree about an event, the higher rank wins.
    pub rank: u8,
    /// The file's metadata at the last read.
    pub fingerprint: Fingerprint,
    /// The first unconsumed byte.
    pub offset: u64,
    /// The last line consumed.
    pub last_line: Option<LastLine>,
    /// The reader's state, as the adapter serialized it.
    pub reader: String,
    /// The next change must be read from the start (an event got a substitute time).
    pub read_whole_next: bool,
    /// How much of the source our archive has.
    pub kept: ArchiveState,
}

/// How much of a source our archive has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ArchiveState {
    /// Nothing so far.
    #[default]
    Nothing,
    /// This many bytes.
    Bytes(u64),
    /// Nothing: the copy was dropped, and is not made again.
    Dropped,
}

/// Where a piece was read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Held {
    /// The source itself.
    Source,
    /// The copy in our archive, because the source is gone.
    Copy,
}

/// How a pass over a source relates to the known data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// The events follow the known ones.
    Append,
    /// The source is read from its start; known events that do not appear again are removed.
    Again,
}

/// The stored part of an event: everything but its full text.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    /// Index into [`Observed::sessions`].
    pub session: usize,
    /// Computed, never random.
    pub id: EventId,
    /// The agent's own id of the record.
    pub source_event_id: Option<String>,
    /// The event's index in the record.
    pub part: u32,
    /// The kind.
    pub kind: Kind,
    /// The source of the event.
    pub origin: Origin,
    /// The confidence.
    pub confidence: Confidence,
    /// The time the agent recorded.
    pub at: Timestamp,
    /// The turn.
    pub turn: Option<TurnId>,
    /// Flags.
    pub marks: Marks,
    /// The event this one answers.
    pub parent: Option<EventId>,
    /// The tool's name, the model, ...
    pub label: Option<String>,
    /// The beginning of its text.
    pub excerpt: String,
    /// The effect on the status.
    pub signal: Option<Signal>,
    /// A hash of the content.
    pub content: Digest16,
    /// A hash of the record's raw bytes.
    pub raw: Digest16,
    /// The position of the record.
    pub cursor: Cursor,
    /// The text for the search index; empty unless requested.
    pub searched: String,
}

/// Flags of an event that folds need and the text does not show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Marks(u8);

impl Marks {
    /// The prompt opens its turn.
    pub const OPENS_TURN: Self = Self(1);
    /// The event ends its turn.
    pub const ENDS_TURN: Self = Self(2);
    /// The tool failed.
    pub const FAILED: Self = Self(4);
    /// Somebody refused the call: the decision, and the result of the call that did not run.
    pub const DENIED: Self = Self(8);

    /// The union of both sets.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all of `other`'s flags are set.
    #[must_use]
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The stored form.
    #[must_use]
    pub fn bits(self) -> u8 {
        self.0
    }

    /// Restores the stored form.
    #[must_use]
    pub fn from_bits(bits: u8) -> Self {
        Self(bits)
    }
}

/// The cost of one model answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewUsage {
    /// Identifies the answer in every session that repeats it.
    pub key: Digest16,
    /// When it was written.
    pub at: Option<Timestamp>,
    /// The model.
    pub model: Option<String>,
    /// The token counts.
    pub tokens: Tokens,
    /// The part of the cache writes that is kept for an hour, which costs more.
    pub cache_write_1h: u64,
    /// The cost the agent reports, in millionths of a dollar.
    pub cost_microdollars: Option<i64>,
}

/// Records of a type the adapter does not know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownRecords {
    /// The type in the agent's terms.
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
    /// How the pass relates to the known data.
    pub pass: Pass,
    /// This is the last piece of the pass.
    pub ends_pass: bool,
    /// The source no longer exists.
    pub gone: bool,
    /// Where the piece was read from.
    pub held: Held,
    /// The sessions in this piece, with the facts the source reports.
    pub sessions: Vec<(RuntimeIdentity, Facts)>,
    /// The events.
    pub events: Vec<NewEvent>,
    /// Removed events, by index into `sessions`.
    pub removed: Vec<(usize, EventId)>,
    /// Turns whose only remaining events are in `events`, by index into `sessions`.
    pub removed_turns: Vec<(usize, TurnId)>,
    /// Usage, by index into `sessions`.
    pub usage: Vec<(usize, NewUsage)>,
    /// Limits of the account that sessions report.
    pub quotas: Vec<Observation>,
    /// Records the adapter did not understand.
    pub unknown: Vec<UnknownRecords>,
    /// Counts of what was read.
    pub outcome: Outcome,
}

impl Observed {
    /// Removes everything about some sessions, including the reader's state about them.
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
        self.name_only_the_rest();
        self.events.retain_mut(|it| place(it.session).map(|at| it.session = at).is_some());
        retain(&mut self.removed, place);
        retain(&mut self.removed_turns, place);
        retain(&mut self.usage, place);
        // The readers of the journal and of prompt histories are stateless.
        if !prompt_history::is_shared(&self.source.locator) {
            self.source.reader.clear();
            self.source.read_whole_next = true;
        }
    }

    /// A limit is the account's: the figure stays, without the session that was left out.
    fn name_only_the_rest(&mut self) {
        let rest: HashSet<SessionId> = self.sessions.iter().map(|(who, _)| who.session()).collect();
        for quota in &mut self.quotas {
            quota.session = quota.session.filter(|it| rest.contains(it));
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
    /// The sum of both.
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
