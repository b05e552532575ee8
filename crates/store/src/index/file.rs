//! The index as a file: creates, opens and removes it.

use crate::db::schema::{INDEX, INDEX_VERSION};
use crate::db::{StoreError, open};
use crate::ledger::Ledger;
use rusqlite::Connection;
use std::path::Path;

/// Pages of the write-ahead log after which it is checkpointed.
pub(crate) const CHECKPOINT_PAGES: u32 = 4000;
/// Page cache, large enough that a batch is not written in pieces.
const CACHE_KIB: i64 = 32 * 1024;

/// Opens the index; an index of another schema version is removed, because it can be rebuilt.
pub(crate) fn open_index(folder: &Path, ledger: &Ledger) -> Result<Connection, StoreError> {
    let path = folder.join("index.db");
    let mut connection = open::writable(&path)?;
    let found = open::version(&connection)?;
    if found != 0 && found != INDEX_VERSION {
        tracing::info!(
            from = found,
            to = INDEX_VERSION,
            "the index has another schema and is rebuilt"
        );
        drop(connection);
        remove_index(folder)?;
        connection = open::writable(&path)?;
    }
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    if open::version(&connection)? == 0 {
        let generation = ledger.next_generation()?;
        connection.execute_batch(&format!(
            "BEGIN IMMEDIATE; {INDEX} PRAGMA user_version = {INDEX_VERSION}; \
             INSERT INTO meta VALUES ('generation', '{generation}'), ('born', '{generation}'); \
             COMMIT;"
        ))?;
    }
    Ok(connection)
}

/// Makes everything committed to the index survive a power cut, without its writer. It syncs the
/// log; a checkpoint syncs the pages that it moves.
///
/// # Errors
/// When a sync fails.
pub fn make_durable(folder: &Path) -> Result<(), StoreError> {
    match std::fs::File::open(folder.join("index.db-wal")) {
        Ok(log) => Ok(log.sync_data()?),
        // Without a log everything is in the index file, which was synced when the log was removed.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Removes the index and SQLite's files next to it.
pub(crate) fn remove_index(folder: &Path) -> Result<(), StoreError> {
    for name in ["index.db", "index.db-wal", "index.db-shm"] {
        match std::fs::remove_file(folder.join(name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}
