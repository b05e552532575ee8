//! Copies the ledger, and restores it.

use std::path::Path;
use taffrail_context::{Error, Settings};
use taffrail_store::Ledger;

/// Writes the ledger to a new file.
///
/// # Errors
/// When the ledger does not exist, or the file exists or cannot be written.
pub fn backup(settings: &Settings, file: &Path) -> Result<(), Error> {
    if file.exists() {
        return Err(Error::Exists(file.display().to_string()));
    }
    let ledger = Ledger::open(&settings.data, &settings.new_device)?;
    Ok(ledger.copy_to(file)?)
}

/// Replaces the ledger. Sessions forgotten in either ledger stay forgotten.
///
/// # Errors
/// When another program writes, or the file is not a ledger this version can read.
pub fn restore(settings: &Settings, file: &Path) -> Result<(), Error> {
    Ok(Ledger::replace(&settings.data, file, &settings.new_device)?)
}
