//! Why the store failed.

use super::lock::LockError;
use crate::archive::ArchiveError;

/// Why a store operation failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A database error.
    #[error("{0}")]
    Sqlite(#[from] rusqlite::Error),
    /// An I/O error.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// An error of the search index.
    #[error("search: {0}")]
    Search(#[from] tantivy::TantivyError),
    /// A copy of a source could not be written or read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The writer lock is not available.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// A newer version of this program wrote the file.
    #[error(
        "{file} was written by a newer version of this program (schema {found}, ours is {ours})"
    )]
    Newer {
        /// Which file.
        file: String,
        /// Its schema.
        found: i64,
        /// The newest schema this version knows.
        ours: i64,
    },
    /// A row holds a value that no version of this program writes.
    #[error("{0}")]
    Damaged(String),
}
