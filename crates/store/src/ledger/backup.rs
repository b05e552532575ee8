//! A copy of the ledger in one file, and the way back.

use super::Ledger;
use super::migration::newest;
use crate::db::{StoreError, WriterLock, open, schema};
use rusqlite::{Connection, params};
use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use taffrail_model::{DeviceId, SessionId};

impl Ledger {
    /// Writes everything into one new file.
    ///
    /// # Errors
    /// When the file is there or cannot be written.
    pub fn copy_to(&self, file: &Path) -> Result<(), StoreError> {
        OpenOptions::new().create_new(true).write(true).mode(0o600).open(file)?;
        let name = file.to_string_lossy();
        let copied = self.connection.execute("VACUUM INTO ?1", [&name]);
        if let Err(error) = copied {
            // The file is ours and useless; that it stays would be the smaller fault.
            if let Err(error) = std::fs::remove_file(file) {
                tracing::info!(%error, "cannot remove a backup that failed");
            }
            return Err(error.into());
        }
        Ok(())
    }

    /// Puts the ledger in `file` in the place of the one in `folder`; what was forgotten in either
    /// stays forgotten, and the numbering goes on from the higher.
    ///
    /// # Errors
    /// `Lock` when another program writes; `Newer` or `Damaged` when the file is none we can read.
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
        // All of the old one is in its file, so that the new one can take its place in one step.
        remove_beside(&folder.join("ledger.db"))?;
        std::fs::rename(fresh, folder.join("ledger.db"))?;
        Ok(File::open(folder)?.sync_all()?)
    }

    /// Takes over what another ledger forgot, and how far its numbering went.
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

/// A file is a ledger of ours that this version can read.
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

/// Removes a database and what SQLite keeps beside it.
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
