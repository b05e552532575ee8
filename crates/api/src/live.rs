//! Replies about live sessions and the daemon.

use crate::schema;
use crate::{EventLine, SCHEMA_VERSION, Session};
use serde::{Deserialize, Serialize};
use taffrail_model::evidence::Life;
use taffrail_model::findings::Finding;
use taffrail_model::status::{Group, Status, WaitingFor};
use taffrail_model::{
    Confidence, EventId, Kind, Origin, Provenance, RuntimeSessionId, SessionId, Timestamp, TurnId,
};
use utoipa::ToSchema;

/// All recent sessions with their status.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct StatusList {
    /// Of this document.
    pub schema_version: u32,
    /// The numbering of sequences in force.
    pub generation: String,
    /// The sessions, the latest first, workers too.
    pub sessions: Vec<Session>,
    /// How far the daemon is in reading history; nothing once all of it is read.
    #[serde(default)]
    pub reading: Option<HistoryProgress>,
}

/// The recent events of a session, or what changed after a cursor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct StreamReply {
    /// Of this document.
    pub schema_version: u32,
    /// The session.
    pub session: Session,
    /// Where to go on.
    pub cursor: String,
    /// These are the latest events; otherwise what changed after the cursor that was given.
    pub snapshot: bool,
    /// The events.
    pub events: Vec<EventLine>,
}

/// How a stream of one session begins; its events follow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct StreamBegin {
    /// The session.
    pub session: Session,
    /// Where to go on after the events that follow at once.
    pub cursor: String,
    /// The latest events follow; otherwise what changed after the cursor that was given.
    pub snapshot: bool,
}

/// Changes of a session in their order, page by page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct CapturePage {
    /// Of this document.
    pub schema_version: u32,
    /// The session.
    #[schema(value_type = schema::SessionId)]
    pub session_id: SessionId,
    /// The numbering of sequences in force.
    pub generation: String,
    /// The cursor was not known: this begins with the first change.
    pub snapshot: bool,
    /// The changes.
    pub events: Vec<EventLine>,
    /// Where to go on.
    pub cursor: String,
    /// There is more after it.
    pub more: bool,
}

/// What a session is about, in three lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Summary {
    /// Of this document.
    pub schema_version: u32,
    /// The session.
    #[schema(value_type = schema::SessionId)]
    pub session_id: SessionId,
    /// What it does now.
    pub current: String,
    /// What it did recently.
    pub recent: String,
    /// What it was last asked.
    pub last_prompt: String,
    /// The three as lines.
    pub text: String,
    /// What it was about, once it is over.
    pub topics: Vec<String>,
    /// What kind of work it was, once it is over.
    pub category: Option<String>,
    /// The lines are the words of the user's own command.
    #[serde(default)]
    pub by_command: bool,
}

/// Who said something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// A person, or a parent agent.
    User,
    /// The agent.
    Assistant,
    /// A tool.
    Tool,
    /// The agent program itself.
    System,
}

/// Something that was said in a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Message {
    /// The event.
    #[schema(value_type = String)]
    pub id: EventId,
    /// Who said it.
    pub role: Role,
    /// What it says.
    #[schema(value_type = schema::Kind)]
    pub kind: Kind,
    /// The text.
    pub text: String,
    /// The tool, where it is one.
    pub tool: Option<String>,
    /// When.
    #[schema(value_type = schema::Instant)]
    pub created_at: Timestamp,
    /// Its turn.
    #[schema(value_type = Option<String>)]
    pub turn_id: Option<TurnId>,
    /// Its change number.
    pub sequence: u64,
    /// Where it came from.
    #[schema(value_type = schema::Provenance)]
    pub provenance: Provenance,
}

/// What was said in a session: prompts and answers, and in a transcript calls and results.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Messages {
    /// Of this document.
    pub schema_version: u32,
    /// The session.
    #[schema(value_type = schema::SessionId)]
    pub session_id: SessionId,
    /// Its agent's id for it.
    #[schema(value_type = String)]
    pub runtime_session_id: RuntimeSessionId,
    /// Where its history is.
    pub runtime_source_uri: String,
    /// The messages.
    pub messages: Vec<Message>,
    /// Where to go on.
    pub cursor: String,
    /// There is more after it.
    pub more: bool,
}

/// One thing a status rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EvidenceRow {
    /// Who said it.
    #[schema(value_type = schema::Origin)]
    pub source: Origin,
    /// The event's kind, or the hook's own name.
    pub kind: String,
    /// When.
    #[schema(value_type = schema::Instant)]
    pub at: Timestamp,
    /// How long ago that is.
    pub age_ms: i64,
    /// How far to trust it.
    #[schema(value_type = schema::Confidence)]
    pub confidence: Confidence,
    /// What follows from it, in a word.
    pub says: String,
    /// What it is about: a command, a question, a reason.
    pub detail: String,
    /// The status rests on it.
    pub decided: bool,
}

/// The status of a session, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Explanation {
    /// Of this document.
    pub schema_version: u32,
    /// The session.
    #[schema(value_type = schema::SessionId)]
    pub session_id: SessionId,
    /// Its status.
    #[schema(value_type = schema::Status)]
    pub status: Status,
    /// Its group on every screen.
    #[schema(value_type = schema::Group)]
    pub group: Group,
    /// It broke down: killed in the middle of a turn, lost, or given up after an error.
    #[serde(default)]
    pub failed: bool,
    /// Since when.
    #[schema(value_type = schema::Instant)]
    pub since: Timestamp,
    /// How sure that is.
    #[schema(value_type = schema::Confidence)]
    pub confidence: Confidence,
    /// What it waits for.
    #[schema(value_type = Option<schema::WaitingFor>)]
    pub waiting_for: Option<WaitingFor>,
    /// The rule that won, in words.
    pub rule: String,
    /// `alive`, `dead` or `unknown`: the process that runs it.
    #[schema(value_type = String)]
    pub life: LifeWord,
    /// That process.
    pub pid: Option<u32>,
    /// Where commands for it could go.
    pub executor: Option<String>,
    /// When it would change by time alone.
    #[schema(value_type = Option<schema::Instant>)]
    pub until: Option<Timestamp>,
    /// What was said, the latest first.
    pub evidence: Vec<EvidenceRow>,
    /// What is remarked on it.
    #[serde(default)]
    #[schema(value_type = Vec<schema::Finding>)]
    pub findings: Vec<Finding>,
    /// Other devices that also reported it.
    #[serde(default)]
    pub also_on: Vec<String>,
}

/// Whether a process lives, as a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LifeWord {
    /// No process is known.
    Unknown,
    /// It lives.
    Alive,
    /// It was known and is gone.
    Dead,
}

impl From<Life> for LifeWord {
    fn from(life: Life) -> Self {
        match life {
            Life::Unknown => Self::Unknown,
            Life::Alive => Self::Alive,
            Life::Dead => Self::Dead,
        }
    }
}

/// What a wait came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct WaitReply {
    /// Of this document.
    pub schema_version: u32,
    /// The time was up first.
    pub timed_out: bool,
    /// The session that reached the awaited status.
    pub session: Option<Session>,
}

/// How the daemon is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Health {
    /// Of this document.
    pub schema_version: u32,
    /// It answers.
    pub ok: bool,
    /// Its version.
    pub version: String,
    /// Its process.
    pub pid: u32,
    /// When it was started.
    #[schema(value_type = schema::Instant)]
    pub started_at: Timestamp,
    /// The numbering of sequences in force.
    pub generation: String,
    /// Sources that are known.
    pub sources: u64,
    /// Sessions that are known, workers included.
    pub sessions: u64,
    /// Recent sessions.
    pub live_sessions: u64,
    /// Streams that are open.
    pub streams: u64,
    /// How far the daemon is in reading history; nothing once all of it is read.
    #[serde(default)]
    pub reading: Option<HistoryProgress>,
    /// Places that are looked at, and how that goes.
    #[serde(default)]
    pub places: Vec<PlaceHealth>,
    /// Agents, and what is known of them.
    #[serde(default)]
    pub adapters: Vec<AdapterHealth>,
    /// What could not be read, and why.
    pub problems: Vec<String>,
}

/// How far the daemon is in reading the history it did not know.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct HistoryProgress {
    /// Bytes that are read.
    pub bytes: u64,
    /// Bytes there are to read.
    pub of_bytes: u64,
    /// The same in percent; 100 is never reached, because what is read is over.
    pub percent: u8,
}

impl HistoryProgress {
    /// So many bytes of so many.
    #[must_use]
    pub fn new(bytes: u64, of_bytes: u64) -> Self {
        let percent = bytes.saturating_mul(100) / of_bytes.max(1);
        Self { bytes, of_bytes, percent: u8::try_from(percent.min(99)).unwrap_or(99) }
    }
}

/// How looking at one place goes. Counts begin with the daemon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlaceHealth {
    /// The place.
    pub root: String,
    /// The agents that are looked for there.
    pub agents: Vec<String>,
    /// Sources there are.
    pub sources: u64,
    /// Milliseconds from the latest change to its being written down.
    pub lag_ms: Option<u64>,
    /// When something was last read.
    #[schema(value_type = Option<schema::Instant>)]
    pub read_at: Option<Timestamp>,
    /// Notifications of changes.
    pub told: u64,
    /// Those of places that already waited to be looked at.
    pub coalesced: u64,
    /// Times the system dropped notifications, and everything was looked at instead.
    pub dropped: u64,
    /// What could not be read, and why.
    pub problems: Vec<String>,
}

/// What is known of one agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AdapterHealth {
    /// The agent.
    pub agent: String,
    /// Its sessions, workers included.
    pub sessions: u64,
    /// When anything was last said in one.
    #[schema(value_type = Option<schema::Instant>)]
    pub last_event_at: Option<Timestamp>,
    /// Types of records this version does not know.
    pub unknown_types: Vec<String>,
    /// Records of such types.
    pub unknown_records: u64,
}

/// Something was done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Done {
    /// Of this document.
    pub schema_version: u32,
    /// It was done.
    pub done: bool,
}

impl Done {
    /// It was.
    #[must_use]
    pub fn yes() -> Self {
        Self { schema_version: SCHEMA_VERSION, done: true }
    }
}
