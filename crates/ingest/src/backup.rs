//! A copy of the ledger, and the way back.

use std::path::Path;
use taffrail_context::{Error, Settings};
use taffrail_store::Ledger;

/// Writes the ledger into one new file.
///
/// # Errors
/// When there is no ledger, or the file is there or cannot be written.
pub fn backup(settings: &Settings, file: &Path) -> Result<(), Error> {
    if file.exists() {
        return Err(Error::Exists(file.display().to_string()));
    }
    let ledger = Ledger::open(&settings.data, &settings.new_device)?;
    Ok(ledger.copy_to(file)?)
}

/// Puts a ledger in the place of the one there is. What was forgotten in either stays forgotten.
///
/// # Errors
/// When another program writes, or the file is not a ledger this version can read.
pub fn restore(settings: &Settings, file: &Path) -> Result<(), Error> {
    Ok(Ledger::replace(&settings.data, file, &settings.new_device)?)
}
