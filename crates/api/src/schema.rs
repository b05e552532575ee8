//! Schema descriptions of the types in `model`: shapes without content.
//!
//! No value of these types is ever created; a test compares them with the JSON that is really
//! written.

use crate::usage::Usage;
use utoipa::ToSchema;

/// An instant, as RFC 3339 in UTC.
#[derive(Debug, serde::Serialize, ToSchema)]
#[schema(value_type = String, format = DateTime, example = "2026-11-15T12:00:00Z")]
pub struct Instant(pub String);

/// The durable session, as a UUID.
#[derive(Debug, ToSchema)]
#[schema(value_type = String, format = "uuid", example = "8f31c2a9-5d6e-4c1b-9a0f-2b7c61d3e4f5")]
pub struct SessionId(pub String);

/// What an event says, as `user.prompt`; kinds may be added.
#[derive(Debug, ToSchema)]
#[schema(value_type = String, example = "user.prompt")]
pub struct Kind(pub String);

/// Where a fact was seen: `transcript`, `hook`, `pty`, `ctm-input`, `telemetry`, `registry`, `process` or `derived`.
#[derive(Debug, ToSchema)]
#[schema(value_type = String, example = "transcript")]
pub struct Origin(pub String);

/// Where a session is in its durable life: `active`, `detached`, `resumable`, `archived`, `lost` or
/// `superseded`.
#[derive(Debug, ToSchema)]
#[schema(value_type = String, example = "resumable")]
pub struct Lifecycle(pub String);

/// How far a fact can be trusted: `high`, `medium` or `low`.
#[derive(Debug, ToSchema)]
#[schema(value_type = String, example = "high")]
pub struct Confidence(pub String);

/// The status of a session.
#[derive(Debug, ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum Status {
    /// It is over.
    Exited,
    /// It waits to be allowed something.
    WaitingApproval,
    /// It works.
    Running,
    /// It waits for a person: for a prompt, or for an answer to a question.
    Waiting,
    /// It is there and nothing happens.
    Idle,
    /// The evidence does not tell.
    Unknown,
}

/// The group of a session on every screen.
#[derive(Debug, ToSchema)]
#[schema(rename_all = "snake_case")]
pub enum Group {
    /// A person must decide or answer.
    NeedsYou,
    /// It works.
    Working,
    /// The turn is over.
    YourTurn,
    /// It broke down: killed in the middle of a turn, lost, or given up after an error.
    Failed,
    /// Nothing happens.
    Idle,
    /// It is over.
    Done,
}

/// What a session waits for.
#[derive(Debug, ToSchema)]
pub struct WaitingFor {
    /// `approval`, `question` or `prompt`.
    pub kind: String,
    /// The command, the question; empty where it is not known.
    pub text: String,
    /// The answers a question offers; absent where there are none.
    pub options: Option<Vec<String>>,
}

/// Where a session comes from.
#[derive(Debug, ToSchema)]
pub struct Lineage {
    /// `fork`, `resume`, `clear`, `compact`, `subagent`, `handoff` or `teleport`.
    pub kind: String,
    /// From which session.
    pub session_id: SessionId,
}

/// The status of the work in an imported document, in the document's own words.
#[derive(Debug, ToSchema)]
pub struct Imported {
    /// As `in_progress`, `paused`, `completed`, `error` or `aborted`; `null` if the document has none.
    pub status: Option<String>,
    /// The completed part, from 0 to 1; `null` if the document has none.
    pub progress: Option<f64>,
}

/// A place inside a source: bytes, a row, or a pointer into a document.
#[derive(Debug, serde::Serialize, ToSchema)]
pub struct SourceCursor {
    /// First byte, where it is a file of lines.
    pub byte_offset: Option<u64>,
    /// Number of bytes.
    pub length: Option<u64>,
    /// The table, where it is a database.
    pub table: Option<String>,
    /// The row's own number.
    pub rowid: Option<i64>,
    /// RFC 6901, where it is a document.
    pub pointer: Option<String>,
    /// In a binding: how many times the source was read again from an earlier place.
    pub generation: Option<u64>,
}

/// A pointer back to where a fact came from.
#[derive(Debug, ToSchema)]
pub struct Provenance {
    /// `runtime_transcript`, or what else the source is.
    pub source_kind: String,
    /// The agent.
    pub backend: String,
    /// The agent's own session id.
    pub runtime_session_id: String,
    /// The source's locator.
    pub runtime_source_uri: String,
    /// Where in the source.
    pub source_cursor: SourceCursor,
    /// The agent's own id of the record, where it has one.
    pub source_event_id: Option<String>,
    /// This device.
    pub observed_by_peer_id: String,
    /// When we saw it.
    pub observed_at: Instant,
}

/// One normalized fact, whole.
#[derive(Debug, ToSchema)]
#[schema(rename_all = "camelCase")]
pub struct Event {
    /// Computed, never drawn.
    pub id: String,
    /// The durable session.
    pub session_id: SessionId,
    /// The agent.
    pub provider: String,
    /// The agent's own session id.
    pub provider_session_id: String,
    /// Where it was seen.
    pub source: Origin,
    /// What it says.
    pub kind: Kind,
    /// The agent's time.
    pub created_at: Instant,
    /// Our time.
    pub observed_at: Instant,
    /// The session's change number of the latest revision.
    pub sequence: u64,
    /// Which numbering `sequence` belongs to.
    pub generation: String,
    /// One more with every change of content.
    pub revision: u32,
    /// The turn it belongs to.
    pub turn_id: Option<String>,
    /// The event it answers.
    pub parent_id: Option<String>,
    /// The tokens of the model answer that this event ends, `null` if unknown; left out of other events.
    #[schema(rename = "usage")]
    pub usage: Option<Usage>,
    /// What that answer cost, in millionths of a US dollar; `null` if unknown.
    #[schema(rename = "cost_microdollars")]
    pub cost_microdollars: Option<i64>,
    /// The context it was sent: its input, cache reads and cache writes; `null` if unknown.
    #[schema(rename = "context_tokens")]
    pub context_tokens: Option<u64>,
    /// Whole for prompts and messages, cut for tool output.
    pub text: Option<String>,
    /// What else the record said.
    #[schema(value_type = Object)]
    pub data: (),
    /// How far to trust it.
    pub confidence: Confidence,
    /// Where it came from.
    pub provenance: Provenance,
}

/// A turn: a prompt and all that followed until the agent stopped.
#[derive(Debug, ToSchema)]
pub struct Turn {
    /// Its place in its session, from 1.
    pub number: u32,
    /// Its id.
    pub id: String,
    /// What was asked.
    pub prompt: String,
    /// What was answered, the latest last, cut.
    pub text: String,
    /// How often each tool was called.
    #[schema(value_type = Object)]
    pub tools: (),
    /// Calls that failed.
    pub failed_calls: u32,
    /// Requests for approval, by decision; `pending` and `unknown` where there is none.
    #[schema(value_type = Object)]
    pub approvals: (),
    /// Errors met.
    pub errors: u32,
    /// `open`, `completed`, `superseded`, `interrupted`, `exited`, `lost` or `timed_out`.
    pub status: String,
    /// When it was asked.
    pub started_at: Instant,
    /// Its last activity.
    pub last_at: Instant,
    /// The tokens of its model answers.
    pub usage: Usage,
    /// What they cost, in millionths of a US dollar; `null` if nothing is known.
    pub cost_microdollars: Option<i64>,
    /// The input, cache reads and cache writes of its last answer; `null` if unknown.
    pub context_tokens: Option<u64>,
    /// When it ended; left out while it is open.
    pub ended_at: Option<Instant>,
}

/// A remark on a session.
#[derive(Debug, ToSchema)]
pub struct Finding {
    /// What it is about, as `stuck` or `loop`; kinds may be added.
    pub kind: String,
    /// The session.
    pub session_id: SessionId,
    /// Since when it is so.
    pub since: Instant,
    /// How sure that is.
    pub confidence: Confidence,
    /// The events it rests on, the earliest first.
    pub evidence: Vec<String>,
    /// In a sentence.
    pub says: String,
    /// A prompt that would help, for a person to accept.
    pub proposes: Option<String>,
}

/// How far a session can be resumed, and by what.
#[derive(Debug, ToSchema)]
pub struct ResumeCapability {
    /// The agent can resume it by its runtime id.
    pub by_runtime_id: bool,
    /// `native` where the agent's own command resumes it, or `unsupported`.
    pub support: String,
    /// The words of that command.
    pub command: Option<Vec<String>>,
    /// The folder to run it in, in the agent's words.
    pub cwd: Option<String>,
    /// Why it can or cannot be resumed.
    pub reason: String,
}

/// One pointer, or several: the session's own first, then those of the sessions joined to it.
#[derive(Debug, serde::Serialize, ToSchema)]
#[serde(untagged)]
pub enum BindingPointers {
    /// One.
    One(Box<BindingProvenance>),
    /// Several.
    Several(Vec<BindingProvenance>),
}

/// What a binding rests on.
#[derive(Debug, serde::Serialize, ToSchema)]
pub struct BindingProvenance {
    /// `runtime_transcript`, or `runtime_unavailable` where the agent shows no history.
    pub source_kind: String,
    /// The agent.
    pub backend: String,
    /// The agent's own session id.
    pub runtime_session_id: Option<String>,
    /// The source's locator.
    pub runtime_source_uri: Option<String>,
    /// Where in the source.
    pub source_cursor: Option<SourceCursor>,
    /// The agent's own id of the latest record, where it has one.
    pub source_event_id: Option<String>,
    /// This device.
    pub observed_by_peer_id: Option<String>,
    /// When we saw it.
    pub observed_at: Instant,
}

/// The durable tie of session, runtime session, executor and source, as `/schemas/binding-v1.json`
/// says.
#[derive(Debug, ToSchema)]
pub struct Binding {
    /// The durable session.
    pub repowire_session_id: SessionId,
    /// The executor it was last seen with.
    pub peer_id: Option<String>,
    /// The executor attached now.
    pub current_executor_peer_id: Option<String>,
    /// The agent.
    pub backend: String,
    /// The working directory.
    pub project_path: Option<String>,
    /// The agent's own session id.
    pub runtime_session_id: Option<String>,
    /// The source's locator.
    pub runtime_source_uri: Option<String>,
    /// The last position that was read.
    pub source_cursor: Option<SourceCursor>,
    /// What the row rests on: one pointer, or several once sessions were joined.
    pub provenance: Option<BindingPointers>,
    /// Whether and how it can be resumed.
    pub resume_capability: ResumeCapability,
    /// When the tie was made.
    pub created_at: Instant,
    /// When it was last confirmed.
    pub last_seen_at: Instant,
    /// Where it is in its life.
    pub status: Lifecycle,
    /// Small hints; never text of a transcript.
    #[schema(value_type = Object)]
    pub metadata: (),
}
