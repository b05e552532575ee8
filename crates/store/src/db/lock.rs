//! Who may write: one at a time, held by the system and never by a file's content.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Why the lock was not given.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another program is writing.
    #[error("another taffrail is writing to the index")]
    Taken,
    /// The lock file could not be opened.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// The right to write, given up when dropped or when the process ends in any way.
///
/// Two locks: `writer.lock` is the right itself; `writer.wanted` is held by whoever waits for it,
/// so that a command in the middle of a long run can see that it should yield.
#[derive(Debug)]
pub struct WriterLock {
    _held: File,
    wanted: File,
}

impl WriterLock {
    /// Takes the lock if it is free.
    ///
    /// # Errors
    /// `Taken` when another program writes.
    pub fn try_take(folder: &Path) -> Result<Self, LockError> {
        let held = open(folder, "writer.lock")?;
        match held.try_lock() {
            Ok(()) => Ok(Self { _held: held, wanted: open(folder, "writer.wanted")? }),
            Err(TryLockError::WouldBlock) => Err(LockError::Taken),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }

    /// Asks for the lock and waits until its holder yields.
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

    /// Someone waits for the lock: finish the batch and give it up.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        match self.wanted.try_lock() {
            Ok(()) => {
                // Unlocking a lock just taken fails only with the file system itself.
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
