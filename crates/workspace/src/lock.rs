//! The lock of a directory: `flock` on a dot-file, retried after pauses that double.

use crate::error::{WorkError, disk};
use crate::folder::Folder;
use rustix::fs::OFlags;
use std::fs::{File, TryLockError};
use std::time::Duration;

/// The file that is locked.
const NAME: &str = ".lock";
/// The first pause, and the longest.
const FIRST: Duration = Duration::from_millis(1);
const LONGEST: Duration = Duration::from_millis(32);
/// The total time to wait.
const PATIENCE: Duration = Duration::from_secs(60);

/// The lock. It is released on drop or when the process ends.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: File,
}

/// Takes a shared lock. `None` if there is no lock file: a reader creates none.
pub(crate) fn share(folder: &Folder) -> Result<Option<Lock>, WorkError> {
    let Some(file) = folder.file(NAME, OFlags::RDONLY)? else { return Ok(None) };
    waited(folder, file, File::try_lock_shared).map(Some)
}

/// Takes an exclusive lock. `None` on a read-only file system, where no process can write.
pub(crate) fn take(folder: &Folder) -> Result<Option<Lock>, WorkError> {
    let file = match folder.file(NAME, OFlags::RDWR | OFlags::CREATE) {
        Ok(Some(file)) => file,
        Ok(None) => return Ok(None),
        Err(WorkError::Disk { error, .. }) if is_read_only(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    waited(folder, file, File::try_lock).map(Some)
}

fn waited(
    folder: &Folder,
    file: File,
    lock: impl Fn(&File) -> Result<(), TryLockError>,
) -> Result<Lock, WorkError> {
    let path = folder.path().join(NAME);
    let mut waited = Duration::ZERO;
    for pause in pauses() {
        match lock(&file) {
            Ok(()) => return Ok(Lock { _file: file }),
            Err(TryLockError::Error(error)) => return Err(disk(&path)(error)),
            Err(TryLockError::WouldBlock) => {}
        }
        if waited >= PATIENCE {
            break;
        }
        std::thread::sleep(pause);
        waited += pause;
    }
    Err(WorkError::Busy(path))
}

fn is_read_only(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
    matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem)
}

/// Pauses that double, up to the longest.
fn pauses() -> impl Iterator<Item = Duration> {
    std::iter::successors(Some(FIRST), |pause| Some((*pause * 2).min(LONGEST)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_limit() {
        let millis: Vec<_> = pauses().take(8).map(|it| it.as_millis()).collect();
        assert_eq!(millis, [1, 2, 4, 8, 16, 32, 32, 32]);
    }

    #[test]
    fn readers_stand_beside_each_other_and_make_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Folder::open(folder.path()).unwrap();
        assert!(share(&open()).unwrap().is_none());
        assert!(!folder.path().join(NAME).exists());
        drop(take(&open()).unwrap());
        let first = share(&open()).unwrap();
        let second = share(&open()).unwrap();
        assert!(first.is_some() && second.is_some());
        let other = File::open(folder.path().join(NAME)).unwrap();
        assert!(matches!(other.try_lock(), Err(TryLockError::WouldBlock)));
    }

    #[test]
    fn one_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Folder::open(folder.path()).unwrap();
        let first = take(&open()).unwrap();
        let other = File::open(folder.path().join(NAME)).unwrap();
        assert!(matches!(other.try_lock(), Err(TryLockError::WouldBlock)));
        drop(first);
        assert!(other.try_lock().is_ok());
    }
}
