//! What is known of the limits of accounts.

use super::IndexReader;
use crate::db::rows::quota;
use crate::db::{StoreError, meta};
use crate::index::LAST_QUOTAS;
use taffrail_model::quota::Observation;

impl IndexReader {
    /// Every observation that is kept: of each limit those of two windows.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn quotas(&self) -> Result<Vec<Observation>, StoreError> {
        quota::all(&self.connection)
    }

    /// The last batch that wrote observations: while it is the same, so are they.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn quotas_batch(&self) -> Result<Option<String>, StoreError> {
        meta::get(&self.connection, LAST_QUOTAS)
    }
}
