//! Why the store failed.

use super::lock::LockError;
use crate::archive::ArchiveError;

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
    Archive(#[from] ArchiveError),
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
