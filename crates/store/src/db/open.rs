//! Opens database files and our folder so that only this user can read them.

use super::error::StoreError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::fs::{DirBuilder, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// The number of prepared statements to cache.
const STATEMENTS: usize = 64;

/// Creates a folder that only this user can read.
pub(crate) fn private_folder(path: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Opens a database file for writing and makes it private first.
pub(crate) fn writable(path: &Path) -> Result<Connection, StoreError> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    let connection = Connection::open(path)?;
    connection.busy_timeout(std::time::Duration::from_secs(5))?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // SQLite overwrites deleted content, so that forgetting is complete.
    connection.pragma_update(None, "secure_delete", "ON")?;
    prepare_once(&connection)?;
    Ok(connection)
}

/// Opens a database file for reading only.
pub(crate) fn readable(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(std::time::Duration::from_secs(2))?;
    prepare_once(&connection)?;
    Ok(connection)
}

/// Caches prepared statements: the cache is large enough, and query plans do not depend on bound
/// values.
fn prepare_once(connection: &Connection) -> Result<(), StoreError> {
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// The schema version of a file; 0 for a new one.
pub(crate) fn version(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.pragma_query_value(None, "user_version", |row| row.get(0))?)
}

/// Truncates the write-ahead log, which may hold older pages.
pub(crate) fn truncate_log(connection: &Connection) -> Result<(), StoreError> {
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}
