//! Taffrail's domain types and the pure functions over them.
//!
//! Everything here is data or a pure function of data: ids that are computed and never random,
//! events with their provenance, bindings, and folds such as turns, usage and copies. Nothing in
//! this crate reads a file, a clock or the environment, and nothing names a coding agent.

mod ahead;
pub mod answer;
pub mod approval;
pub mod audit;
pub mod binding;
pub mod budget;
pub mod caller;
pub mod conclusion;
pub mod copies;
pub mod cost;
pub mod cursor;
pub mod draft;
pub mod event;
pub mod evidence;
pub mod exchange;
pub mod facts;
pub mod findings;
pub mod hash;
pub mod ids;
mod imported;
pub mod journal;
pub mod message;
pub mod notices;
pub mod observed;
pub mod process;
pub mod prompt_history;
pub mod quota;
pub mod record;
pub mod replication;
pub mod search_forms;
pub mod search_text;
pub mod search_words;
pub mod signal;
pub mod spans;
pub mod status;
pub mod summary;
pub mod terminal;
pub mod text;
pub mod turn;
pub mod usage;
pub mod when;
mod words;

pub use binding::{Binding, Lifecycle, Lineage, LineageKind};
pub use cursor::{Cursor, ResumeCursor};
pub use draft::{Detail, Draft, Sink};
pub use event::{Confidence, Event, Kind, Origin, Provenance};
pub use facts::{Facts, Title, TitleRank};
pub use ids::{
    AgentId, ApprovalId, DeviceId, EventId, MessageId, RuntimeIdentity, RuntimeSessionId,
    SessionId, StreamName, TurnId,
};
pub use imported::Imported;
pub use observed::{NewEvent, NewUsage, Observed, Outcome};
pub use process::Process;
pub use record::{Record, RecordKey};
pub use signal::Signal;
pub use usage::Tokens;

/// Detection and redaction of secrets.
pub use taffrail_redact as redact;
/// Rules for approvals, and the parser of shell commands.
pub use taffrail_rules as rules;

/// An instant, as every crate of this workspace writes it.
pub use ahead::Ahead;
pub use jiff::Timestamp;
