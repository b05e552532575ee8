//! The database of what only we know: this device, its generation counter, and what people and
//! devices recorded about sessions.

mod annotations;
mod approvals;
mod audit;
mod backup;
mod bindings;
mod imports;
mod messages;
mod migration;
mod operations;
mod outbox;
mod published;
mod remote_import;
mod remote_orders;
mod remote_requests;
mod repairs;
mod scheduled;
mod session_marks;
mod shares;
mod snapshots;
mod tombstones;
mod uncaptured;

pub use annotations::{NOTE_LIMIT, Note, TAG_LIMIT};
pub use approvals::APPROVALS_KEPT;
pub use audit::{Chain, DEEDS_KEPT, End};
pub(crate) use bindings::{BOUND, BindingDraft, is_exposed};
pub use imports::Carried;
pub(crate) use imports::ImportPlace;
pub use messages::{MESSAGES_KEPT, QUEUE_LIMIT};
pub use operations::{
    ACQUIRE_EXECUTOR, Begun, HELD_SECONDS, LEASE_SECONDS, OPERATIONS_KEPT, Operation,
};
pub use published::{Mark, ToldBatch, ToldCursor, ToldKind, ToldSession, ToldUpdate};
pub use remote_orders::{PromptState, RemoteAnswer, RemotePrompt};
pub use remote_requests::{REMOTE_KEPT, RemoteChange, RemoteRequest};
pub use repairs::{Joined, Repairs};
pub use scheduled::Acceptance;
pub use session_marks::SessionMark;
pub use shares::{Share, ShareState};
pub use snapshots::{HISTORY_LIMIT, Taken};
pub use tombstones::Forgotten;
pub use uncaptured::{Uncaptured, UncapturedRow};

use crate::db::{StoreError, Used, meta, open};
use std::path::Path;
use taffrail_model::{DeviceId, hash};

/// The ledger, open for writing by the one writer.
#[derive(Debug)]
pub struct Ledger {
    pub(crate) connection: Used,
}

impl Ledger {
    /// Opens the ledger, and creates or migrates it as needed. `new_device` becomes the id of this
    /// device if it has none yet.
    ///
    /// # Errors
    /// `Newer` when a later version wrote it; the file is left unchanged.
    pub fn open(folder: &Path, new_device: &DeviceId) -> Result<Self, StoreError> {
        open::private_folder(folder)?;
        Self::open_file(&folder.join("ledger.db"), new_device)
    }

    pub(crate) fn open_file(path: &Path, new_device: &DeviceId) -> Result<Self, StoreError> {
        let connection = open::writable(path)?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        migration::migrate(&connection, path)?;
        let ledger = Self { connection: connection.into() };
        if ledger.meta("device_id")?.is_none() {
            let query = "INSERT OR IGNORE INTO meta (name, value) VALUES ('device_id', ?1)";
            ledger.connection.execute(query, [new_device.as_str()])?;
        }
        Ok(ledger)
    }

    /// Opens the ledger for reading, if it exists with our schema.
    ///
    /// # Errors
    /// When the file exists and cannot be read.
    pub fn open_read_only(folder: &Path) -> Result<Option<Self>, StoreError> {
        let path = folder.join("ledger.db");
        if !path.exists() {
            return Ok(None);
        }
        let connection = Used::reading(&path)?;
        let version = open::version(&connection)?;
        Ok((version == migration::newest()).then_some(Self { connection }))
    }

    /// The id of this device.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn device(&self) -> Result<DeviceId, StoreError> {
        Ok(DeviceId::new(self.meta("device_id")?.unwrap_or_default()))
    }

    /// A generation that no follower has seen: derived from the device and a counter that only
    /// rises.
    pub(crate) fn next_generation(&self) -> Result<String, StoreError> {
        let count = self.meta("generations")?.and_then(|text| text.parse::<u64>().ok());
        let next = count.unwrap_or(0) + 1;
        self.set_meta("generations", &next.to_string())?;
        let device = self.device()?;
        let digest = hash::digest("generation", &[device.as_str().as_bytes(), &next.to_le_bytes()]);
        Ok(hash::to_hex(&digest).chars().take(10).collect())
    }

    /// Truncates the write-ahead log.
    pub(crate) fn truncate_log(&self) -> Result<(), StoreError> {
        open::truncate_log(&self.connection)
    }

    pub(crate) fn meta(&self, name: &str) -> Result<Option<String>, StoreError> {
        meta::get(&self.connection, name)
    }

    pub(crate) fn set_meta(&self, name: &str, value: &str) -> Result<(), StoreError> {
        meta::set(&self.connection, name, value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

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
