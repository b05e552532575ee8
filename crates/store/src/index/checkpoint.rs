//! Checkpoints the write-ahead log on its own thread so that no batch waits for fsync.

use super::file::CHECKPOINT_PAGES;
use crate::db::{StoreError, open};
use rusqlite::Connection;
use std::ffi::c_int;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// The writer itself checkpoints a log that is this many times too long.
const AT_MOST: c_int = 4;
/// How often one request checkpoints pages that arrive meanwhile; a reader may hold the log.
const ROUNDS: usize = 4;

enum Request {
    Checkpoint,
    End,
}

/// The thread that checkpoints; it ends when this is dropped, before the files may be removed.
#[derive(Debug)]
pub(crate) struct Checkpointer {
    requests: SyncSender<Request>,
    thread: Option<JoinHandle<()>>,
}

impl Checkpointer {
    /// Starts the thread for the log of this index.
    pub(crate) fn begin(index: &mut Connection, file: &Path) -> Result<Self, StoreError> {
        // One request waits while one is under way: more would add nothing.
        let (requests, received) = sync_channel(1);
        let beside = open::writable(file)?;
        beside.pragma_update(None, "synchronous", "NORMAL")?;
        let builder = std::thread::Builder::new().name("checkpoint".to_owned());
        let thread = builder.spawn(move || run(&beside, &received))?;
        let sender = requests.clone();
        let pages_allowed = c_int::try_from(CHECKPOINT_PAGES).unwrap_or(c_int::MAX);
        index.wal_hook(Some(move |log: &mut rusqlite::hooks::Wal, pages: c_int| {
            if pages >= pages_allowed.saturating_mul(AT_MOST) {
                return log.checkpoint();
            }
            if pages >= pages_allowed {
                // A full channel already holds this request.
                sender.try_send(Request::Checkpoint).ok();
            }
            Ok(())
        }))?;
        Ok(Self { requests, thread: Some(thread) })
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        // A thread that is gone has nothing open.
        self.requests.send(Request::End).ok();
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has ended too.
            thread.join().ok();
        }
    }
}

fn run(index: &Connection, received: &Receiver<Request>) {
    while let Ok(Request::Checkpoint) = received.recv() {
        // The next batch requests a checkpoint again for pages that could not be written now.
        let _ = (0..ROUNDS).any(|_| {
            let left = checkpoint(index).inspect_err(|error| {
                tracing::warn!(%error, "cannot checkpoint the index");
            });
            left.is_ok_and(|left| left == 0)
        });
    }
}

/// Writes the pages that can be written, and returns the number of pages left.
fn checkpoint(index: &Connection) -> rusqlite::Result<i64> {
    index.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| {
        Ok(row.get::<_, i64>(1)? - row.get::<_, i64>(2)?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    const PAGE: u64 = 4096;

    fn filled(file: &Path) -> Connection {
        let index = open::writable(file).unwrap();
        index.execute_batch("CREATE TABLE t (body BLOB)").unwrap();
        index
    }

    fn fill(index: &Connection, pages: u32) {
        for _ in 0..pages / 8 {
            let size = 8 * PAGE - 100;
            index.execute("INSERT INTO t VALUES (zeroblob(?1))", [size.cast_signed()]).unwrap();
        }
    }

    #[test]
    fn a_log_is_checkpointed_while_nobody_writes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("index.db");
        let mut index = filled(&file);
        let _checkpointer = Checkpointer::begin(&mut index, &file).unwrap();
        fill(&index, CHECKPOINT_PAGES + 64);
        let deadline = Instant::now() + Duration::from_secs(20);
        let grown = u64::from(CHECKPOINT_PAGES) * PAGE;
        while std::fs::metadata(&file).unwrap().len() < grown {
            assert!(Instant::now() < deadline, "the log was not checkpointed");
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_log_that_nobody_checkpoints_stays_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("index.db");
        let mut index = filled(&file);
        let mut checkpointer = Checkpointer::begin(&mut index, &file).unwrap();
        checkpointer.requests.send(Request::End).unwrap();
        checkpointer.thread.take().unwrap().join().unwrap();
        fill(&index, 3 * AT_MOST.unsigned_abs() * CHECKPOINT_PAGES);
        let log = std::fs::metadata(folder.path().join("index.db-wal")).unwrap().len();
        let bound = u64::from((AT_MOST.unsigned_abs() + 1) * CHECKPOINT_PAGES) * PAGE;
        assert!(log < bound, "{log}");
    }

    #[test]
    fn an_end_leaves_no_second_connection() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("index.db");
        let mut index = filled(&file);
        drop(Checkpointer::begin(&mut index, &file).unwrap());
        fill(&index, CHECKPOINT_PAGES + 64);
        drop(index);
        assert!(
            !folder.path().join("index.db-wal").exists(),
            "the last connection to close checkpoints"
        );
    }
}
