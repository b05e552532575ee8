//! Taffrail's words and what follows from them.
//!
//! Everything here is data and pure functions of data: ids that are computed and never drawn,
//! events with their provenance, bindings, and folds such as turns, usage and copies. Nothing in
//! this crate reads a file, a clock or the environment, and no coding agent is named in it.

pub mod approval;
pub mod binding;
pub mod copies;
pub mod cursor;
pub mod draft;
pub mod event;
pub mod evidence;
pub mod exchange;
pub mod facts;
pub mod findings;
pub mod hash;
pub mod ids;
pub mod journal;
pub mod message;
pub mod notices;
pub mod observed;
pub mod redact;
pub mod relay;
pub mod rules;
pub mod searched;
pub mod signal;
pub mod spans;
pub mod status;
pub mod summary;
pub mod terminal;
pub mod text;
pub mod turn;
pub mod usage;
pub mod when;

pub use binding::{Binding, Lifecycle, Lineage, LineageKind};
pub use cursor::{Cursor, ResumeCursor};
pub use draft::{Detail, Draft, Record, RecordKey, Sink};
pub use event::{Confidence, Event, Kind, Origin, Provenance};
pub use facts::{Facts, Title, TitleRank};
pub use ids::{
    AgentId, DeviceId, EventId, RuntimeIdentity, RuntimeSessionId, SessionId, StreamName, TurnId,
};
pub use journal::Process;
pub use observed::{NewEvent, NewUsage, Observed, Outcome};
pub use signal::Signal;
pub use usage::Tokens;

/// A moment, as every crate of this workspace writes it.
pub use jiff::Timestamp;
