//! Removes items that other devices published and retracted.

use super::Writer;
use crate::db::StoreError;
use crate::db::rows::{SourceRow, source};
use taffrail_model::SessionId;

impl Writer {
    /// The sources that hold items of other devices.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn relayed_sources(&self) -> Result<Vec<SourceRow>, StoreError> {
        source::relayed(&self.index)
    }

    /// The sessions that only this source mentions, by row and id.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn told_by_alone(&self, source: i64) -> Result<Vec<(i64, SessionId)>, StoreError> {
        let mut statement = self.index.prepare_cached(
            "SELECT id, uuid FROM sessions WHERE \
             id IN (SELECT session FROM source_sessions WHERE source = ?1) AND \
             id NOT IN (SELECT session FROM source_sessions WHERE source <> ?1)",
        )?;
        let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, SessionId::from_bytes(row.get(1)?)));
        let rows = statement.query_map([source], read)?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// Removes a retracted source, and the bindings of the sessions that went with it.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn drop_relayed(&mut self, source: i64, gone: &[SessionId]) -> Result<(), StoreError> {
        for session in gone {
            self.ledger.unbind(*session)?;
        }
        let left = "SELECT EXISTS (SELECT 1 FROM source_sessions WHERE source = ?1)";
        let is_left: bool = self.index.query_row(left, [source], |row| row.get(0))?;
        if !is_left {
            self.index.execute("DELETE FROM unknown_records WHERE source = ?1", [source])?;
            self.index.execute("DELETE FROM readers WHERE source = ?1", [source])?;
            self.index.execute("DELETE FROM sources WHERE id = ?1", [source])?;
        }
        Ok(())
    }
}
