//! The error of reading a source.

/// Why a source could not be read. Other sources are not affected.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// An error of the file system.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: String,
        /// The error.
        error: std::io::Error,
    },
    /// An error of SQLite on the agent's database.
    #[error("{path}: {error}")]
    Sqlite {
        /// The database.
        path: String,
        /// The error.
        error: rusqlite::Error,
    },
    /// The file changed while it was read; the next run reads it.
    #[error("{0}: changed while it was read")]
    Moving(String),
}
