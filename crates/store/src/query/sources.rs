//! The sources of sessions.

use super::IndexReader;
use crate::db::rows::{SourceRow, source};
use crate::db::{StoreError, meta};
use std::collections::HashSet;

impl IndexReader {
    /// The sources of a session.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn sources_of(&self, session: i64) -> Result<Vec<SourceRow>, StoreError> {
        source::of_session(&self.connection, session)
    }

    /// The sources in one file.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn sources_at(&self, home: &str, path: &str) -> Result<Vec<SourceRow>, StoreError> {
        source::at(&self.connection, (home, path))
    }

    /// One source by its number.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn source(&self, id: i64) -> Result<Option<SourceRow>, StoreError> {
        source::one(&self.connection, id)
    }

    /// The sources in one home.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn sources_in(&self, home: &str) -> Result<Vec<SourceRow>, StoreError> {
        source::of_home(&self.connection, home)
    }

    /// The saved state of a source's reader.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn memory(&self, source: i64) -> Result<String, StoreError> {
        source::memory(&self.connection, source)
    }

    /// Every source that is known.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn sources(&self) -> Result<Vec<SourceRow>, StoreError> {
        source::all(&self.connection)
    }

    /// A number that grows with every change of a source.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn sources_version(&self) -> Result<u64, StoreError> {
        Ok(meta::get(&self.connection, "sources")?.and_then(|text| text.parse().ok()).unwrap_or(0))
    }

    /// The files that hold only uncaptured sessions.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn uncaptured_files(&self) -> Result<HashSet<(String, String)>, StoreError> {
        source::uncaptured_files(&self.connection)
    }
}
