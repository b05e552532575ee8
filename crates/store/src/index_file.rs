//! The index as a file: made, opened, thrown away.

use crate::schema::{self, INDEX, INDEX_VERSION};
use crate::{Ledger, StoreError};
use rusqlite::{Connection, OptionalExtension};
use std::path::Path;

/// Pages of the write-ahead log after which it is folded back.
pub(crate) const CHECKPOINT_PAGES: u32 = 4000;
/// Pages kept in memory, so that a batch need not be written in pieces.
const CACHE_KIB: i64 = 32 * 1024;

/// Opens the index; one of another schema is thrown away, because it can be made again.
pub(crate) fn open_index(folder: &Path, ledger: &Ledger) -> Result<Connection, StoreError> {
    let path = folder.join("index.db");
    let mut connection = schema::open_writable(&path)?;
    let found = schema::version(&connection)?;
    if found != 0 && found != INDEX_VERSION {
        drop(connection);
        remove_index(folder)?;
        connection = schema::open_writable(&path)?;
    }
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    if schema::version(&connection)? == 0 {
        let generation = ledger.next_generation()?;
        connection.execute_batch(&format!(
            "BEGIN IMMEDIATE; {INDEX} PRAGMA user_version = {INDEX_VERSION}; \
             INSERT INTO meta VALUES ('generation', '{generation}'), ('born', '{generation}'); \
             COMMIT;"
        ))?;
    }
    Ok(connection)
}

/// Makes all that was committed to the index survive a power cut, from beside its writer: what is
/// in its log is written there before the log is folded, and what was folded was written before.
///
/// # Errors
/// When the disk refuses.
pub fn make_durable(folder: &Path) -> Result<(), StoreError> {
    match std::fs::File::open(folder.join("index.db-wal")) {
        Ok(log) => Ok(log.sync_data()?),
        // Without a log everything is in the index, which was written to the disk for it.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Removes the index and what SQLite keeps beside it.
pub(crate) fn remove_index(folder: &Path) -> Result<(), StoreError> {
    for name in ["index.db", "index.db-wal", "index.db-shm"] {
        match std::fs::remove_file(folder.join(name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}

/// A word the index keeps about itself.
pub(crate) fn meta(index: &Connection, name: &str) -> Result<Option<String>, StoreError> {
    let query = "SELECT value FROM meta WHERE name = ?1";
    Ok(index.prepare_cached(query)?.query_row([name], |row| row.get(0)).optional()?)
}

/// Keeps a word.
pub(crate) fn set_meta(index: &Connection, name: &str, value: &str) -> Result<(), StoreError> {
    let query = "INSERT INTO meta (name, value) VALUES (?1, ?2) \
                 ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    index.prepare_cached(query)?.execute([name, value])?;
    Ok(())
}
