//! The log file: of limited size, for its owner only, one write per line.

use super::old_path;
use rustix::fs::OFlags;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::PathBuf;

/// A log that would exceed this size is renamed, and a new one begins.
const LIMIT: u64 = 5_000_000;
/// Only the owner may read and write.
const MODE: u32 = 0o600;

/// A file that lines are appended to. Created again if somebody removed or renamed it.
///
/// Threads that read agents' files are confined and may be unable to rename or create files here.
/// Their lines go to the open file; if that is full, the line is lost.
#[derive(Debug)]
pub(super) struct LogFile {
    path: PathBuf,
    limit: u64,
    open: Option<Open>,
}

#[derive(Debug)]
struct Open {
    file: File,
    /// The file's device and inode.
    identity: (u64, u64),
}

impl LogFile {
    pub(super) fn new(path: PathBuf) -> Self {
        Self { path, limit: LIMIT, open: None }
    }

    /// The file for the next bytes.
    fn target(&mut self, bytes: u64) -> io::Result<&mut File> {
        let open = self.open.take();
        let found = fs::symlink_metadata(&self.path).ok();
        let found = found.map(|it| ((it.dev(), it.ino()), it.len()));
        let next = match (open, found) {
            (Some(it), Some((identity, length))) if it.identity == identity => {
                if length + bytes > self.limit { self.renew()? } else { it }
            }
            // The file is gone, or another one is in its place.
            (Some(it), _) => self.open().unwrap_or(it),
            (None, Some((_, length))) if length + bytes > self.limit => self.renew()?,
            (None, _) => self.open()?,
        };
        Ok(&mut self.open.insert(next).file)
    }

    fn renew(&self) -> io::Result<Open> {
        fs::rename(&self.path, old_path(&self.path))?;
        self.open()
    }

    fn open(&self) -> io::Result<Open> {
        let mut options = OpenOptions::new();
        let no_follow = i32::try_from(OFlags::NOFOLLOW.bits()).unwrap_or_default();
        options.create(true).append(true).mode(MODE).custom_flags(no_follow);
        let file = options.open(&self.path)?;
        let metadata = file.metadata()?;
        if metadata.mode() & 0o077 != 0 {
            file.set_permissions(Permissions::from_mode(MODE))?;
        }
        Ok(Open { file, identity: (metadata.dev(), metadata.ino()) })
    }
}

impl Write for LogFile {
    /// Writes a line with one call, so that other writers cannot split it.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let bytes = u64::try_from(line.len()).unwrap_or(u64::MAX);
        self.target(bytes)?.write(line)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn log(folder: &Path, limit: u64) -> LogFile {
        LogFile { limit, ..LogFile::new(folder.join("daemon.log")) }
    }

    fn read(folder: &Path, name: &str) -> String {
        fs::read_to_string(folder.join(name)).unwrap_or_default()
    }

    #[test]
    fn the_log_and_one_old_one_are_all_there_is() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = log(folder.path(), 64);
        for number in 0..100 {
            file.write_all(format!("line {number:>4}\n").as_bytes()).unwrap();
            assert!(read(folder.path(), "daemon.log").len() <= 64);
        }
        // Six lines of ten bytes fit.
        let lines = |name| read(folder.path(), name).lines().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(
            lines("daemon.log"),
            (96..100).map(|it| format!("line {it:>4}")).collect::<Vec<_>>()
        );
        assert_eq!(
            lines("daemon.log.1"),
            (90..96).map(|it| format!("line {it:>4}")).collect::<Vec<_>>()
        );
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn a_log_that_is_full_at_the_start_is_renamed_first() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("daemon.log"), "x".repeat(100)).unwrap();
        log(folder.path(), 64).write_all(b"a line\n").unwrap();
        assert_eq!(read(folder.path(), "daemon.log"), "a line\n");
        assert_eq!(read(folder.path(), "daemon.log.1").len(), 100);
    }

    #[test]
    fn only_the_owner_reads_it_whoever_made_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("daemon.log");
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
        let mut file = log(folder.path(), 8);
        file.write_all(b"a line\n").unwrap();
        assert_eq!(mode(&path), 0o600);
        file.write_all(b"a line\n").unwrap();
        assert_eq!((mode(&path), mode(&old_path(&path))), (0o600, 0o600));
    }

    #[test]
    fn a_log_that_was_removed_or_replaced_is_made_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("daemon.log");
        let mut file = log(folder.path(), 64);
        file.write_all(b"one\n").unwrap();
        fs::remove_file(&path).unwrap();
        file.write_all(b"two\n").unwrap();
        assert_eq!(read(folder.path(), "daemon.log"), "two\n");
        fs::rename(&path, folder.path().join("kept")).unwrap();
        file.write_all(b"three\n").unwrap();
        assert_eq!(read(folder.path(), "daemon.log"), "three\n");
        assert_eq!(read(folder.path(), "kept"), "two\n");
    }

    #[test]
    fn a_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let other = folder.path().join("other");
        fs::write(&other, "").unwrap();
        std::os::unix::fs::symlink(&other, folder.path().join("daemon.log")).unwrap();
        assert!(log(folder.path(), 64).write_all(b"one\n").is_err());
        assert_eq!(read(folder.path(), "other"), "");
    }
}
