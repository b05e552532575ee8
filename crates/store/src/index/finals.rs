//! Writes the final summaries of sessions.

use super::Writer;
use crate::db::StoreError;
use crate::db::codec::signed;
use rusqlite::params;
use taffrail_model::SessionId;
use taffrail_model::summary::Final;

/// The final summary of a session, and the change up to which it is valid.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinalRow {
    /// The session's row.
    pub row: i64,
    /// The session.
    pub id: SessionId,
    /// Its last change number when the summary was made.
    pub sequence: u64,
    /// The summary.
    pub told: Final,
}

impl Writer {
    /// Stores final summaries; returns how many. Skips sessions that changed since or are gone.
    ///
    /// # Errors
    /// When the index cannot be written.
    pub fn keep_finals(&mut self, finals: &[FinalRow]) -> Result<usize, StoreError> {
        let batch = self.index.unchecked_transaction()?;
        let mut kept = 0;
        for it in finals {
            let told = serde_json::to_string(&it.told);
            let told = told.map_err(|error| StoreError::Damaged(error.to_string()))?;
            let category = it.told.category.as_str();
            let wrote = batch
                .prepare_cached(
                    "INSERT OR REPLACE INTO finals (session, sequence, category, told) \
                     SELECT id, sequence, ?4, ?5 FROM sessions \
                     WHERE id = ?1 AND uuid = ?2 AND sequence = ?3",
                )?
                .execute(params![it.row, it.id.as_bytes(), signed(it.sequence), category, told])?;
            if wrote == 0 {
                continue;
            }
            kept += wrote;
            batch.prepare_cached("DELETE FROM topics WHERE session = ?1")?.execute([it.row])?;
            for topic in &it.told.topics {
                batch
                    .prepare_cached(
                        "INSERT OR IGNORE INTO topics (topic, session) VALUES (?1, ?2)",
                    )?
                    .execute(params![topic.to_lowercase(), it.row])?;
            }
        }
        batch.commit()?;
        Ok(kept)
    }
}
