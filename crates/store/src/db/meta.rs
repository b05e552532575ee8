//! The table `meta` of both databases: values by name.

use super::error::StoreError;
use rusqlite::{Connection, OptionalExtension};

/// Reads the value of a name.
pub(crate) fn get(connection: &Connection, name: &str) -> Result<Option<String>, StoreError> {
    let query = "SELECT value FROM meta WHERE name = ?1";
    Ok(connection.prepare_cached(query)?.query_row([name], |row| row.get(0)).optional()?)
}

/// Writes the value of a name.
pub(crate) fn set(connection: &Connection, name: &str, value: &str) -> Result<(), StoreError> {
    let query = "INSERT INTO meta (name, value) VALUES (?1, ?2) \
                 ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    connection.prepare_cached(query)?.execute([name, value])?;
    Ok(())
}

/// The number of the last batch that was closed.
pub(crate) fn last_batch(index: &Connection) -> Result<i64, StoreError> {
    Ok(get(index, "batch")?.and_then(|text| text.parse().ok()).unwrap_or(0))
}
