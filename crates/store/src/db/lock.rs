//! The lock for the single writer. The operating system holds it, not the content of a file.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Why the lock could not be acquired.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another program is writing.
    #[error("another taffrail is writing to the index")]
    Taken,
    /// The lock file could not be opened.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// The right to write, released on drop or when the process ends.
///
/// There are two locks: `writer.lock` is the right itself; whoever waits for it holds
/// `writer.wanted`, so that a command in the middle of a long run can see that it should yield.
#[derive(Debug)]
pub struct WriterLock {
    _held: File,
    wanted: File,
}

impl WriterLock {
    /// Acquires the lock if it is free.
    ///
    /// # Errors
    /// `Taken` when another program holds it.
    pub fn try_take(folder: &Path) -> Result<Self, LockError> {
        let held = open(folder, "writer.lock")?;
        match held.try_lock() {
            Ok(()) => Ok(Self { _held: held, wanted: open(folder, "writer.wanted")? }),
            Err(TryLockError::WouldBlock) => Err(LockError::Taken),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }

    /// Requests the lock and waits until its holder yields.
    ///
    /// # Errors
    /// When the lock files cannot be opened or locked.
    pub fn wait(folder: &Path) -> Result<Self, LockError> {
        let wanted = open(folder, "writer.wanted")?;
        wanted.lock()?;
        let held = open(folder, "writer.lock")?;
        held.lock()?;
        wanted.unlock()?;
        Ok(Self { _held: held, wanted })
    }

    /// Whether another process waits for the lock: finish the batch and release it.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        match self.wanted.try_lock() {
            Ok(()) => {
                // Unlocking a lock that was just acquired fails only if the file system does.
                self.wanted.unlock().ok();
                false
            }
            Err(TryLockError::WouldBlock) => true,
            Err(TryLockError::Error(_)) => false,
        }
    }
}

fn open(folder: &Path, name: &str) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(false).read(true).write(true).mode(0o600);
    options.open(folder.join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_writer_at_a_time_and_it_is_told_when_another_waits() {
        let folder = tempfile::tempdir().unwrap();
        let first = WriterLock::try_take(folder.path()).unwrap();
        assert!(matches!(WriterLock::try_take(folder.path()), Err(LockError::Taken)));
        assert!(!first.is_wanted());
        let path = folder.path().to_owned();
        let waiting = std::thread::spawn(move || WriterLock::wait(&path).unwrap());
        while !first.is_wanted() {
            std::thread::yield_now();
        }
        drop(first);
        let second = waiting.join().unwrap();
        assert!(!second.is_wanted());
    }
}
