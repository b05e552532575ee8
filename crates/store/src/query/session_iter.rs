//! Iterates over sessions one by one, whatever their number.

use super::IndexReader;
use super::filter::{Filter, conditions};
use crate::db::StoreError;
use crate::db::rows::{SESSION, SessionRow};
use rusqlite::{OptionalExtension, ToSql};

impl IndexReader {
    /// The row numbers of sessions, the earliest first.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn session_rows(&self, filter: &Filter) -> Result<Vec<i64>, StoreError> {
        let (clause, values) = conditions(filter);
        let order = "ORDER BY coalesce(said_started_at, first_at, last_at, 0), uuid";
        let query = format!("SELECT id FROM sessions WHERE {clause} {order}");
        let mut statement = self.connection().prepare(&query)?;
        let values: Vec<&dyn ToSql> = values.iter().map(AsRef::as_ref).collect();
        let rows = statement.query_map(values.as_slice(), |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The session of a row, if it still exists.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn session_at(&self, row: i64) -> Result<Option<SessionRow>, StoreError> {
        let mut statement =
            self.connection().prepare_cached(&format!("{SESSION} WHERE id = ?1"))?;
        Ok(statement.query_row([row], |row| self.seen(row)).optional()?)
    }
}
