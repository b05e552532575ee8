//! Copies the ledger to one file, and restores it.

use super::Ledger;
use super::migration::newest;
use crate::db::{StoreError, WriterLock, open, schema};
use rusqlite::{Connection, params};
use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use taffrail_model::{DeviceId, SessionId};

impl Ledger {
    /// Writes the whole ledger to a new file.
    ///
    /// # Errors
    /// When the file exists or cannot be written.
    pub fn copy_to(&self, file: &Path) -> Result<(), StoreError> {
        OpenOptions::new().create_new(true).write(true).mode(0o600).open(file)?;
        let name = file.to_string_lossy();
        let copied = self.connection.execute("VACUUM INTO ?1", [&name]);
        if let Err(error) = copied {
            // The file is ours and useless; failing to remove it is the lesser problem.
            if let Err(error) = std::fs::remove_file(file) {
                tracing::info!(%error, "cannot remove a backup that failed");
            }
            return Err(error.into());
        }
        Ok(())
    }

    /// Replaces the ledger in `folder` by the one in `file`. Sessions forgotten in either stay
    /// forgotten, and the generation continues from the higher one.
    ///
    /// # Errors
    /// `Lock` when another program writes; `Newer` or `Damaged` when this version cannot read the
    /// file.
    pub fn replace(folder: &Path, file: &Path, new_device: &DeviceId) -> Result<(), StoreError> {
        open::private_folder(folder)?;
        let _lock = WriterLock::try_take(folder)?;
        let given = open::readable(file)?;
        check_ledger(&given, file)?;
        let before = Self::open(folder, new_device)?;
        let (forgotten, generations) = (before.tombstones()?, before.meta("generations")?);
        before.truncate_log()?;
        drop(before);
        let fresh = folder.join("ledger.db.new");
        remove_all(&fresh)?;
        OpenOptions::new().create_new(true).write(true).mode(0o600).open(&fresh)?;
        given.execute("VACUUM INTO ?1", [fresh.to_string_lossy()])?;
        drop(given);
        let mut ledger = Self::open_file(&fresh, new_device)?;
        ledger.join(&forgotten, generations.and_then(|it| it.parse().ok()).unwrap_or(0))?;
        ledger.truncate_log()?;
        drop(ledger);
        File::open(&fresh)?.sync_all()?;
        // The old ledger is entirely in its main file, so that a rename can replace it atomically.
        remove_beside(&folder.join("ledger.db"))?;
        std::fs::rename(fresh, folder.join("ledger.db"))?;
        Ok(File::open(folder)?.sync_all()?)
    }

    /// Takes over the tombstones of another ledger and its generation counter.
    fn join(&mut self, forgotten: &[(SessionId, i64)], count: u64) -> Result<(), StoreError> {
        let own = self.meta("generations")?.and_then(|it| it.parse().ok()).unwrap_or(0);
        self.set_meta("generations", &count.max(own).to_string())?;
        let transaction = self.connection.transaction()?;
        for (session, at) in forgotten {
            transaction.execute(
                "INSERT OR IGNORE INTO tombstones (session_id, forgotten_at) VALUES (?1, ?2)",
                params![session.as_bytes(), at],
            )?;
        }
        transaction.execute_batch(schema::FORGET)?;
        transaction.commit()?;
        Ok(())
    }
}

/// Checks that a file is a ledger that this version can read.
fn check_ledger(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let file = path.display().to_string();
    let found = open::version(connection);
    let found = found.map_err(|_| StoreError::Damaged(format!("{file} is not a ledger")))?;
    if found > newest() {
        return Err(StoreError::Newer { file, found, ours: newest() });
    }
    let query = "SELECT count(*) FROM sqlite_master WHERE name IN ('meta', 'bindings')";
    let tables: i64 = connection.query_row(query, [], |row| row.get(0))?;
    if found < 1 || tables != 2 {
        return Err(StoreError::Damaged(format!("{file} is not a ledger")));
    }
    Ok(())
}

/// Removes a database and SQLite's files next to it.
fn remove_all(path: &Path) -> Result<(), StoreError> {
    remove_if_there(path)?;
    remove_beside(path)
}

fn remove_beside(path: &Path) -> Result<(), StoreError> {
    for ending in ["-wal", "-shm"] {
        remove_if_there(Path::new(&format!("{}{ending}", path.display())))?;
    }
    Ok(())
}

fn remove_if_there(path: &Path) -> Result<(), StoreError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        _ => Ok(()),
    }
}
