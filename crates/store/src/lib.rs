//! Taffrail's memory.
//!
//! Two SQLite files. `ledger.db` holds what only we know and is never rebuildable; `index.db` holds
//! what follows from the agents' own files and may be deleted at any time. One writer, held by a
//! lock, gives every change its number; readers take no lock. No text of a transcript is stored
//! there beyond a short excerpt: it is read back from its source. Beside them, [`archive`] keeps
//! copies of whole sources as files.

pub mod archive;
mod db;
mod index;
mod ledger;
mod query;
pub mod search;

pub use db::rows::{EventRow, SessionRow, SourceRow};
pub use db::{LockError, StoreError, WriterLock};
pub use index::{Applied, Boot, FinalRow, Touched, Writer, make_durable};
pub use ledger::{
    APPROVALS_KEPT, Begun, Carried, Chain, DEEDS_KEPT, End, Forgotten, HELD_SECONDS, HISTORY_LIMIT,
    Joined, LEASE_SECONDS, Ledger, MESSAGES_KEPT, Mark, NOTE_LIMIT, Note, OPERATIONS_KEPT,
    Operation, QUEUE_LIMIT, Repairs, Share, ShareState, TAG_LIMIT, Taken, ToldBatch, ToldCursor,
    ToldKind, ToldSession, ToldUpdate, Uncaptured, UncapturedRow,
};
pub use query::{
    AgentRow, Changes, Filter, Grouping, HourRow, IndexReader, SourceAt, TallyRow, UnknownRow,
};
