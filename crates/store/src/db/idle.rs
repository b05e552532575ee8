//! Connections for reading that wait for their next use.
//!
//! A request opens the index and the ledger several times, and to open one SQLite reads its whole schema, which took a
//! quarter of the processor time of a small request. Each thread keeps a few; they close when it ends.

use super::error::StoreError;
use super::open;
use rusqlite::Connection;
use std::cell::RefCell;
use std::ops::{Deref, DerefMut};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// How many connections a thread keeps: two of the index and two of the ledger.
const KEPT: usize = 4;

thread_local! {
    static IDLE: RefCell<Vec<(FileId, Connection)>> = const { RefCell::new(Vec::new()) };
}

/// What tells a file from one that took its place. The number of an open file is not given to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct FileId {
    device: u64,
    number: u64,
}

impl FileId {
    fn of(path: &Path) -> std::io::Result<Self> {
        let metadata = path.metadata()?;
        Ok(Self { device: metadata.dev(), number: metadata.ino() })
    }
}

/// A connection in use. One for reading goes back to its thread afterwards.
#[derive(Debug)]
pub(crate) struct Used {
    /// Empty only while it is dropped.
    connection: Option<Connection>,
    /// The file, if the connection may be used again.
    file: Option<FileId>,
}

impl Used {
    /// Opens a database file for reading only, or takes the connection to it that waits.
    pub(crate) fn reading(path: &Path) -> Result<Self, StoreError> {
        let file = FileId::of(path)?;
        let waiting = IDLE.with_borrow_mut(|all| {
            let at = all.iter().position(|(known, _)| *known == file)?;
            Some(all.swap_remove(at).1)
        });
        let connection = match waiting {
            Some(connection) => connection,
            None => open::readable(path)?,
        };
        // Another file may have taken the place meanwhile.
        let file = FileId::of(path).ok().filter(|it| *it == file);
        Ok(Self { connection: Some(connection), file })
    }

    fn connection(&self) -> &Connection {
        #[expect(clippy::expect_used, reason = "only `drop` takes it")]
        self.connection.as_ref().expect("a connection in use")
    }
}

/// One that closes when it is dropped, such as that of a writer.
impl From<Connection> for Used {
    fn from(connection: Connection) -> Self {
        Self { connection: Some(connection), file: None }
    }
}

impl Deref for Used {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection()
    }
}

impl DerefMut for Used {
    fn deref_mut(&mut self) -> &mut Connection {
        #[expect(clippy::expect_used, reason = "only `drop` takes it")]
        self.connection.as_mut().expect("a connection in use")
    }
}

impl Drop for Used {
    fn drop(&mut self) {
        let (Some(connection), Some(file)) = (self.connection.take(), self.file) else { return };
        // One that holds a moment of the database would hold the next reader there, too.
        if !connection.is_autocommit() {
            return;
        }
        // A thread that ends closes it.
        let kept = IDLE.try_with(|all| {
            let mut all = all.borrow_mut();
            all.push((file, connection));
            if all.len() > KEPT {
                all.remove(0);
            }
        });
        kept.ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(connection: &Connection) -> i64 {
        connection.query_row("SELECT value FROM it", [], |row| row.get(0)).unwrap()
    }

    fn made(path: &Path, value: i64) {
        let connection = open::writable(path).unwrap();
        connection.execute_batch("CREATE TABLE it (value INTEGER)").unwrap();
        connection.execute("INSERT INTO it VALUES (?1)", [value]).unwrap();
    }

    fn is_marked(connection: &Connection) -> bool {
        connection.prepare("SELECT * FROM temp.mark").is_ok()
    }

    #[test]
    fn a_connection_is_used_again_and_sees_what_was_written_meanwhile() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("one.db");
        made(&path, 1);
        let first = Used::reading(&path).unwrap();
        let second = Used::reading(&path).unwrap();
        first.execute_batch("CREATE TEMP TABLE mark (it)").unwrap();
        assert!(!is_marked(&second), "two readers at once");
        assert_eq!(value(&first), 1);
        drop((first, second));
        open::writable(&path).unwrap().execute("UPDATE it SET value = 2", []).unwrap();
        let again = [Used::reading(&path).unwrap(), Used::reading(&path).unwrap()];
        assert_eq!(again.iter().filter(|it| is_marked(it)).count(), 1);
        assert_eq!(again.each_ref().map(|it| value(it)), [2, 2]);
    }

    #[test]
    fn a_file_that_took_the_place_of_another_is_read_itself() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("one.db"), folder.path().join("other.db"));
        made(&path, 1);
        made(&other, 2);
        drop(Used::reading(&path).unwrap());
        std::fs::rename(&other, &path).unwrap();
        assert_eq!(value(&Used::reading(&path).unwrap()), 2);
    }

    #[test]
    fn a_moment_that_a_reader_held_does_not_hold_the_next_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("one.db");
        made(&path, 1);
        let held = Used::reading(&path).unwrap();
        held.execute_batch("BEGIN").unwrap();
        assert_eq!(value(&held), 1);
        open::writable(&path).unwrap().execute("UPDATE it SET value = 2", []).unwrap();
        assert_eq!(value(&held), 1);
        drop(held);
        assert_eq!(value(&Used::reading(&path).unwrap()), 2);
    }
}
