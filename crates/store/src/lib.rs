//! Taffrail's storage.
//!
//! There are two SQLite files. `ledger.db` holds what only we know and can never be rebuilt;
//! `index.db` is derived from the agents' own files and may be deleted at any time. A single
//! writer, guarded by a lock, numbers every change; readers take no lock. The databases store no
//! transcript text beyond a short excerpt: text is read back from its source. Next to them,
//! [`archive`] stores copies of whole sources as files.

pub mod archive;
mod db;
mod index;
mod ledger;
mod query;
pub mod search;

pub use db::rows::{EventRow, SessionRow, SourceRow};
pub use db::{LockError, StoreError, WriterLock};
pub use index::{Applied, Boot, FinalRow, Pricing, Touched, Writer, make_durable};
pub use ledger::{
    ACQUIRE_EXECUTOR, APPROVALS_KEPT, Acceptance, Begun, Carried, Chain, DEEDS_KEPT, End,
    Forgotten, HELD_SECONDS, HISTORY_LIMIT, Joined, LEASE_SECONDS, Ledger, MESSAGES_KEPT, Mark,
    NOTE_LIMIT, Note, OPERATIONS_KEPT, Operation, PromptState, QUEUE_LIMIT, REMOTE_KEPT,
    RemoteAnswer, RemoteChange, RemotePrompt, RemoteRequest, Repairs, SessionMark, Share,
    ShareState, TAG_LIMIT, Taken, ToldBatch, ToldCursor, ToldKind, ToldSession, ToldUpdate,
    Uncaptured, UncapturedRow,
};
pub use query::{
    AgentRow, Changes, EditRow, Filter, Grouping, HourRow, IndexReader, Outline, ProjectSums,
    SlimRow, SourceAt, SpentBy, SpentRow, TallyRow, ToolRow, ToolTime, UnknownRow,
};
