//! Folding the write-ahead log back beside the writer, so that no batch waits for the disk.

use crate::StoreError;
use crate::index_file::CHECKPOINT_PAGES;
use crate::schema::open_writable;
use rusqlite::Connection;
use std::ffi::c_int;
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

/// A log that grows so many times too long is folded by the writer itself.
const AT_MOST: c_int = 4;
/// What comes while it is folded is folded after, so often at most: a reader may hold the log.
const ROUNDS: usize = 4;

enum Ask {
    Fold,
    End,
}

/// The thread that folds; it ends when this is dropped, before the files may be removed.
#[derive(Debug)]
pub(crate) struct Folding {
    asks: SyncSender<Ask>,
    thread: Option<JoinHandle<()>>,
}

impl Folding {
    /// From now on a thread folds the log of this index.
    pub(crate) fn begin(index: &mut Connection, file: &Path) -> Result<Self, StoreError> {
        // One waits, one is under way: more would say nothing new.
        let (asks, asked) = sync_channel(1);
        let beside = open_writable(file)?;
        beside.pragma_update(None, "synchronous", "NORMAL")?;
        let folds = std::thread::Builder::new().name("folding".to_owned());
        let thread = folds.spawn(move || fold(&beside, &asked))?;
        let ask = asks.clone();
        let pages_allowed = c_int::try_from(CHECKPOINT_PAGES).unwrap_or(c_int::MAX);
        index.wal_hook(Some(move |log: &mut rusqlite::hooks::Wal, pages: c_int| {
            if pages >= pages_allowed.saturating_mul(AT_MOST) {
                return log.checkpoint();
            }
            if pages >= pages_allowed {
                // Full: it was asked already.
                ask.try_send(Ask::Fold).ok();
            }
            Ok(())
        }))?;
        Ok(Self { asks, thread: Some(thread) })
    }
}

impl Drop for Folding {
    fn drop(&mut self) {
        // A thread that is gone has nothing open.
        self.asks.send(Ask::End).ok();
        if let Some(thread) = self.thread.take() {
            thread.join().ok();
        }
    }
}

fn fold(index: &Connection, asked: &Receiver<Ask>) {
    while let Ok(Ask::Fold) = asked.recv() {
        // What could not be folded now is asked for again with the next batch.
        let _ = (0..ROUNDS).any(|_| left(index).is_ok_and(|left| left == 0));
    }
}

/// Folds what it can, and says how many pages came meanwhile.
fn left(index: &Connection) -> rusqlite::Result<i64> {
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
        let index = open_writable(file).unwrap();
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
    fn a_log_is_folded_while_nobody_writes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("index.db");
        let mut index = filled(&file);
        let _folding = Folding::begin(&mut index, &file).unwrap();
        fill(&index, CHECKPOINT_PAGES + 64);
        let deadline = Instant::now() + Duration::from_secs(20);
        let grown = u64::from(CHECKPOINT_PAGES) * PAGE;
        while std::fs::metadata(&file).unwrap().len() < grown {
            assert!(Instant::now() < deadline, "the log was not folded");
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_log_that_nobody_folds_stays_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("index.db");
        let mut index = filled(&file);
        let mut folding = Folding::begin(&mut index, &file).unwrap();
        folding.asks.send(Ask::End).unwrap();
        folding.thread.take().unwrap().join().unwrap();
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
        drop(Folding::begin(&mut index, &file).unwrap());
        fill(&index, CHECKPOINT_PAGES + 64);
        drop(index);
        assert!(!folder.path().join("index.db-wal").exists(), "the last to close folds");
    }
}
