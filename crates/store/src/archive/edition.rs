//! Writes files: a new edition under a passing name first, more of one at its end.

use super::ArchiveError;
use super::frames::{self, Frame};
use super::label::Written;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A file that does not have its name yet. It vanishes unless it is given one.
#[derive(Debug)]
pub(super) struct NewFile {
    out: BufWriter<File>,
    passing: PathBuf,
    path: PathBuf,
    length: u64,
}

impl NewFile {
    /// Begins a file with its label, beside its later path.
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

    /// Adds frames of another file unchanged.
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

    /// Makes sure that it is on the disk before it takes the place of another.
    pub(super) fn settle(&mut self) -> io::Result<()> {
        self.out.flush()?;
        self.out.get_ref().sync_data()
    }

    /// Gives it its name.
    pub(super) fn name(mut self) -> io::Result<Appender> {
        self.out.flush()?;
        let file = self.out.get_ref().try_clone()?;
        std::fs::rename(&self.passing, &self.path)?;
        Ok(Appender::at(file, self.length))
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        // A file that has its name is not found here; any other is overwritten by the next.
        std::fs::remove_file(&self.passing).ok();
    }
}

/// A file at whose end something is written.
#[derive(Debug)]
pub(super) struct Appender {
    file: File,
    end: u64,
    /// What is written before the first thing that is.
    preface: Vec<u8>,
}

impl Appender {
    /// The file from `end` on is cut when something is written.
    pub(super) fn at(file: File, end: u64) -> Self {
        Self { file, end, preface: Vec::new() }
    }

    /// With this before the first thing that is written.
    pub(super) fn after(self, preface: Vec<u8>) -> Self {
        Self { preface, ..self }
    }

    /// Writes all of it; after a failure the same may be tried again.
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

/// Makes a folder that is for nobody else, with all above it.
pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}
