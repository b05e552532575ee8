//! What only we know: this device, its numbering, and what was forgotten.

use crate::codec::{blob, micros};
use crate::forget::truncate_log;
use crate::schema::{self, LEDGER_STEPS};
use crate::{Forgotten, StoreError};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use std::path::{Path, PathBuf};
use taffrail_model::{DeviceId, SessionId, Timestamp, hash};

/// The ledger, open for writing by the one writer.
#[derive(Debug)]
pub struct Ledger {
    pub(crate) connection: Connection,
}

impl Ledger {
    /// Opens the ledger, making or bringing it up as needed. `new_device` names this device if it
    /// has no name yet.
    ///
    /// # Errors
    /// `Newer` when a later version wrote it; it is then left as it is.
    pub fn open(folder: &Path, new_device: &DeviceId) -> Result<Self, StoreError> {
        schema::private_folder(folder)?;
        Self::open_file(&folder.join("ledger.db"), new_device)
    }

    pub(crate) fn open_file(path: &Path, new_device: &DeviceId) -> Result<Self, StoreError> {
        let connection = schema::open_writable(path)?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        migrate(&connection, path)?;
        let ledger = Self { connection };
        if ledger.meta("device_id")?.is_none() {
            let query = "INSERT OR IGNORE INTO meta (name, value) VALUES ('device_id', ?1)";
            ledger.connection.execute(query, [new_device.as_str()])?;
        }
        Ok(ledger)
    }

    /// The ledger for reading, if there is one of our schema.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn open_read_only(folder: &Path) -> Result<Option<Self>, StoreError> {
        let path = folder.join("ledger.db");
        if !path.exists() {
            return Ok(None);
        }
        let connection = schema::open_readable(&path)?;
        let version = schema::version(&connection)?;
        Ok((version == newest()).then_some(Self { connection }))
    }

    /// This device.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn device(&self) -> Result<DeviceId, StoreError> {
        Ok(DeviceId::new(self.meta("device_id")?.unwrap_or_default()))
    }

    /// A numbering no follower has seen: derived from the device and a counter that only rises.
    pub(crate) fn next_generation(&self) -> Result<String, StoreError> {
        let count = self.meta("generations")?.and_then(|text| text.parse::<u64>().ok());
        let next = count.unwrap_or(0) + 1;
        self.set_meta("generations", &next.to_string())?;
        let device = self.device()?;
        let digest = hash::digest("generation", &[device.as_str().as_bytes(), &next.to_le_bytes()]);
        Ok(hash::to_hex(&digest).chars().take(10).collect())
    }

    /// Sessions that were forgotten and must not come back.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn forgotten(&self) -> Result<Forgotten, StoreError> {
        let mut statement = self.connection.prepare("SELECT session_id FROM tombstones")?;
        let rows = statement.query_map([], |row| Ok(SessionId::from_bytes(blob(row, 0)?)))?;
        Ok(Forgotten(rows.collect::<Result<_, _>>()?))
    }

    /// Marks sessions as forgotten and drops all that is said of them here.
    pub(crate) fn bury(
        &mut self,
        sessions: &[SessionId],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let transaction = self.connection.transaction()?;
        for session in sessions {
            transaction.execute(
                "INSERT OR IGNORE INTO tombstones (session_id, forgotten_at) VALUES (?1, ?2)",
                params![session.as_bytes(), micros(now)],
            )?;
        }
        transaction.execute_batch(schema::FORGET)?;
        transaction.commit()?;
        Ok(())
    }

    /// Empties the write-ahead log.
    pub(crate) fn truncate_log(&self) -> Result<(), StoreError> {
        truncate_log(&self.connection)
    }

    pub(crate) fn meta(&self, name: &str) -> Result<Option<String>, StoreError> {
        let query = "SELECT value FROM meta WHERE name = ?1";
        Ok(self.connection.query_row(query, [name], |row| row.get(0)).optional()?)
    }

    pub(crate) fn set_meta(&self, name: &str, value: &str) -> Result<(), StoreError> {
        let query = "INSERT INTO meta (name, value) VALUES (?1, ?2) \
                     ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        self.connection.execute(query, [name, value])?;
        Ok(())
    }
}

pub(crate) fn newest() -> i64 {
    i64::try_from(LEDGER_STEPS.len()).unwrap_or(i64::MAX)
}

fn migrate(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let found = schema::version(connection)?;
    if found > newest() {
        let file = path.display().to_string();
        return Err(StoreError::Newer { file, found, ours: newest() });
    }
    if found > 0 && found < newest() {
        back_up(connection, path, found)?;
    }
    for (number, step) in (1..).zip(LEDGER_STEPS) {
        if number > found {
            let behavior = TransactionBehavior::Immediate;
            let transaction = Transaction::new_unchecked(connection, behavior)?;
            // Another program may have done it while we waited.
            if schema::version(&transaction)? < number {
                let version = format!("PRAGMA user_version = {number};");
                transaction.execute_batch(&format!("{step} {version}"))?;
            }
            transaction.commit()?;
        }
    }
    Ok(())
}

fn back_up(connection: &Connection, path: &Path, version: i64) -> Result<(), StoreError> {
    let copy = PathBuf::from(format!("{}.schema{version}.backup", path.display()));
    if !copy.exists() {
        connection.execute("VACUUM INTO ?1", [copy.to_string_lossy()])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_ledger_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let device = DeviceId::new("d");
        Ledger::open(folder.path(), &device).unwrap();
        let path = folder.path().join("ledger.db");
        Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
        let before = std::fs::read(&path).unwrap();
        let error = Ledger::open(folder.path(), &device).unwrap_err();
        assert!(matches!(error, StoreError::Newer { found: 99, .. }), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }

    #[test]
    fn the_device_keeps_its_name_and_generations_never_repeat() {
        let folder = tempfile::tempdir().unwrap();
        let first = Ledger::open(folder.path(), &DeviceId::new("one")).unwrap();
        let generation = first.next_generation().unwrap();
        drop(first);
        let again = Ledger::open(folder.path(), &DeviceId::new("two")).unwrap();
        assert_eq!(again.device().unwrap().as_str(), "one");
        assert_ne!(again.next_generation().unwrap(), generation);
    }
}
