//! Reads the log and follows what is appended to it, across its rotation.

use super::{log_path, old_path};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The lines of the old log; empty if there is none.
///
/// # Errors
/// When the old log exists and cannot be read.
pub fn old_lines(state: &Path) -> io::Result<Vec<String>> {
    match fs::read(old_path(&log_path(state))) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Reads a log from its start, and then what is appended to it.
#[derive(Debug)]
pub struct Follower {
    path: PathBuf,
    file: Option<File>,
    /// The beginning of an incomplete line.
    begun: Vec<u8>,
}

impl Follower {
    /// Follows the log in a state folder; it may not exist yet.
    #[must_use]
    pub fn new(state: &Path) -> Self {
        Self { path: log_path(state), file: None, begun: Vec::new() }
    }

    /// True if there is a log.
    #[must_use]
    pub fn has_log(&self) -> bool {
        self.path.exists() || old_path(&self.path).exists()
    }

    /// Returns the complete lines since the last call; the first call returns all of them.
    ///
    /// # Errors
    /// When the log exists and cannot be read.
    pub fn next_lines(&mut self) -> io::Result<Vec<String>> {
        self.read()?;
        if self.is_replaced() {
            // Lines written to the old file since it was read.
            self.read()?;
            self.file = opened(&self.path)?;
            self.read()?;
        }
        Ok(self.whole_lines())
    }

    fn read(&mut self) -> io::Result<()> {
        let Some(file) = &mut self.file else { return Ok(()) };
        file.read_to_end(&mut self.begun)?;
        Ok(())
    }

    /// True if another file is in the place of the open one.
    fn is_replaced(&self) -> bool {
        let Ok(found) = fs::metadata(&self.path) else { return false };
        let read = self.file.as_ref().and_then(|it| it.metadata().ok());
        read.is_none_or(|it| (it.dev(), it.ino()) != (found.dev(), found.ino()))
    }

    fn whole_lines(&mut self) -> Vec<String> {
        let end = self.begun.iter().rposition(|it| *it == b'\n').map_or(0, |it| it + 1);
        let whole: Vec<u8> = self.begun.drain(..end).collect();
        String::from_utf8_lossy(&whole).lines().map(str::to_owned).collect()
    }
}

fn opened(path: &Path) -> io::Result<Option<File>> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        // The file was renamed at this very moment; the next call finds the new one.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::OpenOptions;
    use std::io::Write;

    #[test]
    fn lines_are_followed_across_a_rename_and_none_is_torn_or_lost() {
        let folder = tempfile::tempdir().unwrap();
        let path = log_path(folder.path());
        let add = |text: &str| {
            let mut file = OpenOptions::new().create(true).append(true).open(&path).unwrap();
            file.write_all(text.as_bytes()).unwrap();
        };
        let mut follower = Follower::new(folder.path());
        let mut check = |expected: &[&str]| assert_eq!(follower.next_lines().unwrap(), expected);
        check(&[]);
        add("one\ntwo\nthr");
        check(&["one", "two"]);
        add("ee\n");
        check(&["three"]);
        check(&[]);
        add("four\n");
        fs::rename(&path, old_path(&path)).unwrap();
        check(&["four"]);
        add("five\n");
        check(&["five"]);
        fs::remove_file(&path).unwrap();
        check(&[]);
        add("six\n");
        check(&["six"]);
        assert_eq!(old_lines(folder.path()).unwrap(), ["one", "two", "three", "four"]);
    }

    #[test]
    fn no_old_log_is_no_lines() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(old_lines(folder.path()).unwrap(), [""; 0]);
        assert!(!Follower::new(folder.path()).has_log());
    }
}
