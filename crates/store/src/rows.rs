//! What the index knows, row by row.

use taffrail_model::observed::Marks;
use taffrail_model::{
    Confidence, Cursor, EventId, Kind, Lifecycle, Lineage, Origin, Process, RuntimeSessionId,
    SessionId, Signal, Timestamp, Tokens, TurnId,
};

/// A session as the index knows it.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionRow {
    /// The row's number.
    pub row: i64,
    /// The durable session.
    pub id: SessionId,
    /// Its agent.
    pub agent: String,
    /// Its agent's id for it.
    pub runtime_id: RuntimeSessionId,
    /// Its title.
    pub title: Option<String>,
    /// The title is the beginning of its first prompt.
    pub title_derived: bool,
    /// Where it works.
    pub project_path: Option<String>,
    /// The branch last seen.
    pub git_branch: Option<String>,
    /// The model last seen.
    pub model: Option<String>,
    /// Where it is in its life.
    pub lifecycle: Lifecycle,
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// Its latest event.
    pub last_event_at: Option<Timestamp>,
    /// Turns.
    pub turns: u64,
    /// Prompts.
    pub prompts: u64,
    /// Tool calls.
    pub tool_calls: u64,
    /// What it spent itself.
    pub tokens: Tokens,
    /// What its agent says it cost.
    pub cost_microdollars: Option<i64>,
    /// The session it works for.
    pub parent: Option<SessionId>,
    /// Where it comes from.
    pub lineage: Option<Lineage>,
    /// Where its history is.
    pub source_uri: String,
    /// The last change number.
    pub sequence: u64,
    /// The process that runs it, last seen.
    pub process: Option<Process>,
    /// What is new in it is captured.
    pub captured: bool,
}

/// An event as the index knows it: everything but its whole text.
#[derive(Debug, Clone, PartialEq)]
pub struct EventRow {
    /// Computed, never drawn.
    pub id: EventId,
    /// Its change number.
    pub sequence: u64,
    /// The batch it last changed in.
    pub batch: i64,
    /// One more with every change.
    pub revision: u32,
    /// It no longer stands.
    pub removed: bool,
    /// What it says.
    pub kind: Kind,
    /// Where it was seen.
    pub origin: Origin,
    /// How far to trust it.
    pub confidence: Confidence,
    /// The agent's time.
    pub at: Timestamp,
    /// Our time.
    pub observed_at: Timestamp,
    /// Its turn.
    pub turn: Option<TurnId>,
    /// The event it answers.
    pub parent: Option<EventId>,
    /// What else is true of it.
    pub marks: Marks,
    /// Where its record stands.
    pub cursor: Cursor,
    /// Which of the record's events.
    pub part: u32,
    /// The agent's id of the record.
    pub source_event_id: Option<String>,
    /// The tool, the model, ...
    pub label: Option<String>,
    /// The beginning of its text.
    pub excerpt: String,
    /// What follows for the status, where the kind does not say it.
    pub signal: Option<Signal>,
    /// The record's hash.
    pub raw: [u8; 16],
    /// A mark of all it says.
    pub content: [u8; 16],
    /// The session that owns the record this one is a copy of.
    pub inherited_from: Option<SessionId>,
    /// The home of its source.
    pub home: String,
    /// The path of its source below that.
    pub path: String,
    /// The session's key in the source.
    pub key: String,
    /// The source's locator.
    pub locator: String,
    /// The source is there.
    pub present: bool,
}

/// What a follower gets.
#[derive(Debug, Clone, PartialEq)]
pub enum Changes {
    /// The cursor was known: what changed after it, in the order of the changes, with removals.
    Since(Vec<EventRow>),
    /// It was not: everything that stands, in canonical order.
    Snapshot(Vec<EventRow>),
}

/// What is known of one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentRow {
    /// The agent.
    pub agent: String,
    /// Its sessions, workers included.
    pub sessions: u64,
    /// When anything was last said in one.
    pub last_event_at: Option<Timestamp>,
}

/// Records of a type no adapter knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownRow {
    /// Whose they are.
    pub agent: String,
    /// The agent's version, or empty.
    pub version: String,
    /// The type in the agent's word.
    pub raw_type: String,
    /// How many.
    pub count: u64,
}

/// What several sessions come to; what cannot be known for this key is `None`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TallyRow {
    /// What they have in common, where it is known.
    pub key: Option<String>,
    /// How many.
    pub sessions: u64,
    /// Turns.
    pub turns: Option<u64>,
    /// Prompts.
    pub prompts: Option<u64>,
    /// Tool calls.
    pub tool_calls: Option<u64>,
    /// What they spent, each answer counted once.
    pub tokens: Tokens,
    /// The sum of the costs that are known.
    pub cost_microdollars: Option<i64>,
}
