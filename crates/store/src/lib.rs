//! Taffrail's memory.
//!
//! Two SQLite files. `ledger.db` holds what only we know and is never rebuildable; `index.db` holds
//! what follows from the agents' own files and may be deleted at any time. One writer, held by a
//! lock, gives every change its number; readers take no lock. No text of a transcript is stored
//! there beyond a short excerpt: it is read back from its source. Beside them, [`archive`] keeps
//! copies of whole sources as files.

pub mod archive;

mod append;
mod approvals;
mod backup;
mod bindings;
mod capturing;
mod carried;
mod codec;
mod cuts;
mod families;
mod finals;
mod folding;
mod forget;
mod given;
mod index_file;
mod ledger;
mod lock;
mod lookup;
mod messages;
mod moments;
mod notes;
mod operations;
mod outbox;
mod passes;
mod places;
mod queries;
mod reader;
mod relayed;
mod remarks;
mod repairs;
mod rows;
mod schema;
pub mod search;
mod sessions;
mod shares;
mod snapshots;
mod sources;
mod spending;
mod tally;
mod ties;
mod told;
mod walk;
mod writer;

pub use approvals::APPROVALS_KEPT;
pub use capturing::{Uncaptured, UncapturedRow};
pub use carried::Carried;
pub use finals::FinalRow;
pub use forget::Forgotten;
pub use given::{Applied, Boot, Touched};
pub use index_file::make_durable;
pub use ledger::Ledger;
pub use lock::{LockError, WriterLock};
pub use messages::{MESSAGES_KEPT, QUEUE_LIMIT};
pub use moments::HourRow;
pub use operations::{LEASE_SECONDS, OPERATIONS_KEPT, Operation};
pub use reader::{Filter, IndexReader, SourceAt};
pub use remarks::{NOTE_LIMIT, Note, TAG_LIMIT};
pub use repairs::{Joined, Repairs};
pub use rows::{AgentRow, Changes, EventRow, SessionRow, TallyRow, UnknownRow};
pub use shares::{Share, ShareState};
pub use snapshots::{HISTORY_LIMIT, Taken};
pub use sources::SourceRow;
pub use tally::Grouping;
pub use told::{Mark, ToldBatch, ToldCursor, ToldKind, ToldSession, ToldUpdate};
pub use writer::Writer;

/// Why memory failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database said no.
    #[error("{0}")]
    Sqlite(#[from] rusqlite::Error),
    /// The file system said no.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The search index said no.
    #[error("search: {0}")]
    Search(#[from] tantivy::TantivyError),
    /// A copy of a source could not be kept or read.
    #[error(transparent)]
    Archive(#[from] archive::ArchiveError),
    /// Another writer has the lock.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A file was written by a later version of this program.
    #[error(
        "{file} was written by a newer version of this program (schema {found}, ours is {ours})"
    )]
    Newer {
        /// Which file.
        file: String,
        /// Its schema.
        found: i64,
        /// The newest we know.
        ours: i64,
    },
    /// A row holds what no version of this program writes.
    #[error("{0}")]
    Damaged(String),
}
