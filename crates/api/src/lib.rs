//! The contract between Taffrail and everything that looks at it.
//!
//! Requests and replies as they are written in JSON. Every reply document carries
//! `schema_version`; lines of a stream do not.

mod error;
mod hooks;
mod keep;
mod reply;
mod request;
mod search;
mod stats;

pub use error::{Envelope, ErrorBody, ErrorKind};
pub use hooks::{HookEdit, HookList, HookReport, HookRow, HookState};
pub use keep::{
    ArchiveCheck, ArchiveEntry, ArchiveReport, ForgetReport, ForgottenSession, PruneReport,
};
pub use reply::{
    AgentHome, AgentList, AgentRow, Check, CheckStatus, Doctor, EventLine, IndexReport, Removed,
    Session, SessionList, Usage,
};
pub use request::{EventsRequest, ListRequest};
pub use search::{SearchHit, SearchReply, SearchRequest};
pub use stats::{KeyedTally, Stats, Tally};

/// The version of every reply document.
pub const SCHEMA_VERSION: u32 = 1;
