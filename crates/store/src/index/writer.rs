//! The one writer: it holds the lock and both files.

use super::checkpoint::Checkpointer;
use super::file::{open_index, remove_index};
use super::passes::PassRecord;
use super::quotas::Latest;
use super::slots::Slot;
use super::writer_io::Boot;
use crate::db::rows::{SourceRow, source};
use crate::db::{StoreError, WriterLock, meta, open};
use crate::ledger::{Forgotten, Ledger};
use rusqlite::Connection;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use taffrail_model::facts::Projects;
use taffrail_model::{DeviceId, EventId, SessionId};

/// A log of more bytes than this is written back when the writer ends. A process that opens a database which no other has
/// open reads the whole log: 16 MB of it took a search 10 ms.
const LONG_LOG: u64 = 512 * 1024;

/// Holds the lock and both files. There is at most one.
#[derive(Debug)]
pub struct Writer {
    lock: WriterLock,
    folder: PathBuf,
    /// Dropped before the index, whose file may be removed afterwards.
    checkpointer: Option<Checkpointer>,
    pub(crate) index: Connection,
    pub(crate) ledger: Ledger,
    pub(super) boot: Boot,
    /// The number of the batch under way.
    pub(crate) batch: i64,
    /// Events that changed, vanished or became copies since they were last taken.
    pub(crate) changed: Vec<(i64, EventId)>,
    /// Sessions touched in the open transaction.
    pub(crate) slots: HashMap<SessionId, Slot>,
    /// Passes from the start that are under way.
    pub(crate) passes: HashMap<i64, PassRecord>,
    /// A source was marked to be read from its start.
    pub(crate) marked: bool,
    /// The latest observations of limits, once they were needed.
    pub(super) quotas: Option<Latest>,
    /// Projects that the user left out.
    pub(super) left_out: Projects,
}

impl Writer {
    /// Takes the lock if it is free and opens both files.
    ///
    /// # Errors
    /// `Lock` when another program holds the lock; `Newer` when a later version wrote the ledger.
    pub fn open(folder: &Path, boot: Boot) -> Result<Self, StoreError> {
        open::private_folder(folder)?;
        let lock = WriterLock::try_take(folder)?;
        Self::with_lock(folder, boot, lock)
    }

    /// Requests the lock, waits until its holder yields, and opens both files.
    ///
    /// # Errors
    /// As `open`, except that the lock being held is not an error.
    pub fn wait(folder: &Path, boot: Boot) -> Result<Self, StoreError> {
        open::private_folder(folder)?;
        let lock = WriterLock::wait(folder)?;
        Self::with_lock(folder, boot, lock)
    }

    /// Opens both files with a lock already held.
    ///
    /// # Errors
    /// As `open`.
    pub fn with_lock(folder: &Path, boot: Boot, lock: WriterLock) -> Result<Self, StoreError> {
        let ledger = Ledger::open(folder, &boot.new_device)?;
        let index = open_index(folder, &ledger)?;
        let mut writer = Self {
            lock,
            folder: folder.to_owned(),
            checkpointer: None,
            index,
            ledger,
            boot,
            batch: 0,
            changed: Vec::new(),
            slots: HashMap::new(),
            passes: HashMap::new(),
            quotas: None,
            marked: false,
            left_out: Projects::default(),
        };
        writer.note_boot()?;
        writer.note_unbound()?;
        writer.reprice()?;
        Ok(writer)
    }

    /// Starts a thread that checkpoints the log, so that no batch waits for it.
    ///
    /// # Errors
    /// When the index cannot be opened again, or the thread cannot be started.
    pub fn fold_beside(&mut self) -> Result<(), StoreError> {
        self.checkpointer =
            Some(Checkpointer::begin(&mut self.index, &self.folder.join("index.db"))?);
        Ok(())
    }

    /// Leaves out sessions of these projects, including those that only the ledger knows.
    pub fn leave_out(&mut self, projects: Projects) {
        self.left_out = projects;
    }

    /// Whether another process waits for the lock.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        self.lock.is_wanted()
    }

    /// The id of this device.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn device(&self) -> Result<DeviceId, StoreError> {
        self.ledger.device()
    }

    /// Sessions that were forgotten.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn forgotten(&self) -> Result<Forgotten, StoreError> {
        self.ledger.forgotten()
    }

    /// Every source that is known.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn sources(&self) -> Result<Vec<SourceRow>, StoreError> {
        source::all(&self.index)
    }

    /// The saved state of a source's reader.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn memory(&self, source: i64) -> Result<String, StoreError> {
        source::memory(&self.index, source)
    }

    /// Whether a source was marked since the last call to be read from its start, because another
    /// one lost events that it may hold. A mark that stays on a source that cannot be read is
    /// reported once.
    pub fn wants_another_round(&mut self) -> bool {
        std::mem::take(&mut self.marked)
    }

    /// Removes the index and creates a new one under a new generation.
    ///
    /// # Errors
    /// When the file cannot be removed or created.
    pub fn reset(&mut self) -> Result<(), StoreError> {
        let checkpoints_beside = self.checkpointer.take().is_some();
        self.index = Connection::open_in_memory()?;
        remove_index(&self.folder)?;
        self.index = open_index(&self.folder, &self.ledger)?;
        if checkpoints_beside {
            self.fold_beside()?;
        }
        self.slots.clear();
        self.passes.clear();
        self.quotas = None;
        self.note_boot()?;
        self.reprice()
    }

    /// The id of the machine's current boot.
    pub(crate) fn boot_id(&self) -> &str {
        &self.boot.id
    }

    fn note_boot(&mut self) -> Result<(), StoreError> {
        let unclean = meta::get(&self.index, "clean")?.as_deref() == Some("0");
        let rebooted = meta::get(&self.index, "boot")?.is_some_and(|boot| boot != self.boot.id);
        if unclean && rebooted {
            meta::set(&self.index, "generation", &self.ledger.next_generation()?)?;
        }
        meta::set(&self.index, "boot", &self.boot.id)?;
        meta::set(&self.index, "clean", "0")
    }
}

impl Drop for Writer {
    /// SQLite does this only with the last connection, and readers that wait for their next use are connections.
    fn drop(&mut self) {
        self.checkpointer = None;
        for (log, connection) in
            [("index.db-wal", &self.index), ("ledger.db-wal", &*self.ledger.connection)]
        {
            if let Err(error) = shorten(&self.folder.join(log), connection) {
                tracing::debug!(%error, log, "a log stays long");
            }
        }
    }
}

/// Writes a long log back. While another process reads an older state, the log stays as it is: nothing in it is lost.
fn shorten(log: &Path, connection: &Connection) -> Result<(), StoreError> {
    if std::fs::metadata(log).is_ok_and(|it| it.len() > LONG_LOG) {
        connection.busy_timeout(Duration::ZERO)?;
        open::truncate_log(connection)?;
    }
    Ok(())
}
