//! Opens database files and our folder so that only this user can read them.

use super::error::StoreError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::fs::{DirBuilder, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long another writer is waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// The pause before a refused change is tried again.
const AGAIN: Duration = Duration::from_millis(5);
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
    connection.busy_timeout(PATIENCE)?;
    write_ahead(&connection)?;
    // SQLite overwrites deleted content, so that forgetting is complete.
    connection.pragma_update(None, "secure_delete", "ON")?;
    prepare_once(&connection)?;
    Ok(connection)
}

/// Turns the write-ahead log on. Of two programs that do so in a new file at once, SQLite refuses one
/// without waiting: each has what the other needs. So it is tried again.
fn write_ahead(connection: &Connection) -> Result<(), StoreError> {
    let end = Instant::now() + PATIENCE;
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error) if is_busy(&error) && Instant::now() < end => {
                std::thread::park_timeout(AGAIN);
            }
            done => return Ok(done?),
        }
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Opens a database file for reading only.
pub(crate) fn readable(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Duration::from_secs(2))?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    /// `taffrail ls` beside a daemon that starts, in a new home: the daemon ended.
    #[test]
    fn two_that_made_a_new_file_at_once_found_it_locked() {
        let folder = tempfile::tempdir().unwrap();
        for round in 0..40 {
            let path = folder.path().join(format!("{round}.db"));
            let together = Barrier::new(6);
            std::thread::scope(|all| {
                let open = || {
                    together.wait();
                    writable(&path).map(|_| ())
                };
                let opened = [(); 6].map(|()| all.spawn(open));
                for it in opened {
                    it.join().unwrap().unwrap();
                }
            });
        }
    }
}
