//! Migrates an older ledger, after making a copy of it.

use super::remote_import;
use crate::db::StoreError;
use crate::db::open::version;
use crate::db::schema::LEDGER_STEPS;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::path::{Path, PathBuf};

/// The schema version of an up-to-date ledger.
pub(super) fn newest() -> i64 {
    i64::try_from(LEDGER_STEPS.len()).unwrap_or(i64::MAX)
}

/// The step that makes the tables for requests of other devices.
const REMOTE_REQUESTS: i64 = 15;

/// Runs the migrations that a file lacks.
pub(super) fn migrate(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let (found, folder) = (version(connection)?, path.parent().unwrap_or(path));
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
            let mut replaced = Vec::new();
            // Another program may have migrated the file while we waited.
            if version(&transaction)? < number {
                let version = format!("PRAGMA user_version = {number};");
                transaction.execute_batch(&format!("{step} {version}"))?;
                if number == REMOTE_REQUESTS {
                    replaced = remote_import::import(&transaction, folder)?;
                }
            }
            transaction.commit()?;
            replaced.iter().for_each(|it| remove(it));
        }
    }
    if found > 0 && found < newest() {
        tracing::info!(from = found, to = newest(), "the ledger has a new schema");
    }
    Ok(())
}

/// Removes a file whose content is in the ledger now. A file that stays is never read again.
fn remove(file: &Path) {
    if let Err(error) = std::fs::remove_file(file) {
        tracing::info!(%error, "cannot remove a file that the ledger replaces");
    }
}

fn back_up(connection: &Connection, path: &Path, version: i64) -> Result<(), StoreError> {
    let copy = PathBuf::from(format!("{}.schema{version}.backup", path.display()));
    if !copy.exists() {
        connection.execute("VACUUM INTO ?1", [copy.to_string_lossy()])?;
    }
    Ok(())
}
