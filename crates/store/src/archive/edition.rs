//! Writes archive files: a new edition under a temporary name first, more frames at the end of an
//! existing one.

use super::ArchiveError;
use super::frames::{self, Frame};
use super::label::Written;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A file under a temporary name. Dropping it removes the file unless it was renamed.
#[derive(Debug)]
pub(super) struct NewFile {
    out: BufWriter<File>,
    passing: PathBuf,
    path: PathBuf,
    length: u64,
}

impl NewFile {
    /// Creates the temporary file next to its final path and writes the label.
    pub(super) fn begin(path: PathBuf, written: &Written) -> Result<Self, ArchiveError> {
        if let Some(folder) = path.parent() {
            make_folder(folder)?;
        }
        let mut passing = path.clone().into_os_string();
        passing.push(".part");
        let passing = PathBuf::from(passing);
        let mut options = OpenOptions::new();
        options.create(true).truncate(true).read(true).write(true).mode(0o600);
        let out = BufWriter::new(options.open(&passing)?);
        let mut file = Self { out, passing, path, length: 0 };
        file.put(&frames::label_frame(written)?)?;
        Ok(file)
    }

    /// Adds frames.
    pub(super) fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.length += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    /// Copies frames of another file unchanged.
    pub(super) fn put_kept(&mut self, from: &File, kept: &[Frame]) -> io::Result<()> {
        let mut bytes = Vec::new();
        for frame in kept {
            let length = frame.file_end() - frame.at;
            bytes.resize(usize::try_from(length).unwrap_or_default(), 0);
            from.read_exact_at(&mut bytes, frame.at)?;
            self.put(&bytes)?;
        }
        Ok(())
    }

    /// Syncs the file before it replaces another.
    pub(super) fn settle(&mut self) -> io::Result<()> {
        self.out.flush()?;
        self.out.get_ref().sync_data()
    }

    /// Renames the file to its final path.
    pub(super) fn name(mut self) -> io::Result<Appender> {
        self.out.flush()?;
        let file = self.out.get_ref().try_clone()?;
        std::fs::rename(&self.passing, &self.path)?;
        Ok(Appender::at(file, self.length))
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // A renamed file is not found here; the next attempt overwrites any other.
        std::fs::remove_file(&self.passing).ok();
    }
}

/// Appends to a file.
#[derive(Debug)]
pub(super) struct Appender {
    file: File,
    end: u64,
    /// Bytes to write before the first append.
    preface: Vec<u8>,
}

impl Appender {
    /// Appends at `end`; the first write truncates the file there.
    pub(super) fn at(file: File, end: u64) -> Self {
        Self { file, end, preface: Vec::new() }
    }

    /// Sets the bytes to write before the first append.
    pub(super) fn after(self, preface: Vec<u8>) -> Self {
        Self { preface, ..self }
    }

    /// Appends all the bytes; after a failure the caller may retry with the same bytes.
    pub(super) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        if self.file.metadata()?.len() > self.end {
            self.file.set_len(self.end)?;
        }
        for piece in [self.preface.as_slice(), bytes] {
            self.file.write_all_at(piece, self.end)?;
            self.end += piece.len() as u64;
        }
        self.preface.clear();
        Ok(())
    }
}

/// Creates a folder that only this user can read, with its parents.
pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}
