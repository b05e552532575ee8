//! An open folder: names are resolved inside it only, and no symbolic link is followed.

use crate::error::{WorkError, disk};
use rustix::fs::{AtFlags, FileType, Mode, OFlags, fstat, mkdirat, openat, renameat, unlinkat};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

/// The largest document that is read. A history may be larger.
pub(crate) const DOCUMENT_MAX: u64 = 8 * 1024 * 1024;

const FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// A pipe of this name must not block us.
const FILE: OFlags = OFlags::NOFOLLOW.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK);

/// An open folder.
#[derive(Debug)]
pub(crate) struct Folder {
    fd: OwnedFd,
    path: PathBuf,
}

impl Folder {
    /// Opens the folder at a path. Its last component must not be a link.
    pub(crate) fn open(path: &Path) -> Result<Self, WorkError> {
        let fd = rustix::fs::open(path, FOLDER, Mode::empty()).map_err(io::Error::from);
        Ok(Self { fd: fd.map_err(disk(path))?, path: path.to_owned() })
    }

    /// The same folder, opened again.
    pub(crate) fn again(&self) -> Result<Self, WorkError> {
        let fd = self.fd.try_clone().map_err(disk(&self.path))?;
        Ok(Self { fd, path: self.path.clone() })
    }

    /// A subfolder; `None` if it does not exist.
    pub(crate) fn sub(&self, name: &str) -> Result<Option<Self>, WorkError> {
        let path = self.path.join(name);
        match openat(&self.fd, name, FOLDER, Mode::empty()) {
            Ok(fd) => Ok(Some(Self { fd, path })),
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(error) => Err(disk(&path)(error.into())),
        }
    }

    /// A subfolder, created if it does not exist.
    pub(crate) fn make(&self, name: &str) -> Result<Self, WorkError> {
        let path = self.path.join(name);
        match mkdirat(&self.fd, name, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(disk(&path)(error.into())),
        }
        let gone = || disk(&path)(io::ErrorKind::NotFound.into());
        self.sub(name)?.ok_or_else(gone)
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a regular file with these flags; `None` if it does not exist.
    pub(crate) fn file(&self, name: &str, how: OFlags) -> Result<Option<File>, WorkError> {
        let path = self.path.join(name);
        let fd = match openat(&self.fd, name, FILE | how, Mode::from_raw_mode(0o666)) {
            Ok(fd) => fd,
            Err(rustix::io::Errno::NOENT) => return Ok(None),
            Err(error) => return Err(disk(&path)(error.into())),
        };
        let stat = fstat(&fd).map_err(|error| disk(&path)(error.into()))?;
        if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
            return Err(WorkError::refused(format!("{} is not a plain file", path.display())));
        }
        Ok(Some(File::from(fd)))
    }

    /// The content of a document; `None` if it does not exist.
    pub(crate) fn read(&self, name: &str) -> Result<Option<Vec<u8>>, WorkError> {
        let path = self.path.join(name);
        let Some(file) = self.file(name, OFlags::RDONLY)? else { return Ok(None) };
        let mut bytes = Vec::new();
        file.take(DOCUMENT_MAX + 1).read_to_end(&mut bytes).map_err(disk(&path))?;
        if bytes.len() as u64 > DOCUMENT_MAX {
            let error = io::Error::other(format!("larger than {DOCUMENT_MAX} bytes"));
            return Err(disk(&path)(error));
        }
        Ok(Some(bytes))
    }

    /// Replaces a document atomically: writes a file beside it, syncs and renames it.
    pub(crate) fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), WorkError> {
        let path = self.path.join(name);
        let beside = format!(".{name}.new");
        let mode = match self.file(name, OFlags::RDONLY)? {
            Some(file) => fstat(&file).map(|it| Mode::from_raw_mode(it.st_mode)).ok(),
            None => None,
        };
        self.remove(&beside)?;
        let new = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let gone = || disk(&path)(io::ErrorKind::NotFound.into());
        let mut file = self.file(&beside, new)?.ok_or_else(gone)?;
        if let Some(mode) = mode {
            rustix::fs::fchmod(&file, mode).map_err(|error| disk(&path)(error.into()))?;
        }
        file.write_all(bytes).and_then(|()| file.sync_all()).map_err(disk(&path))?;
        self.rename(&beside, self, name)?;
        self.sync()
    }

    /// Appends bytes to a file in one write and syncs it. A file that ends in the middle of a line
    /// gets a line end first.
    pub(crate) fn append(&self, name: &str, bytes: &[u8]) -> Result<(), WorkError> {
        let path = self.path.join(name);
        let how = OFlags::RDWR | OFlags::APPEND;
        let (mut file, is_new) = match self.file(name, how)? {
            Some(file) => (file, false),
            None => {
                let made = self.file(name, how | OFlags::CREATE)?;
                (made.ok_or_else(|| disk(&path)(io::ErrorKind::NotFound.into()))?, true)
            }
        };
        let mut whole = Vec::with_capacity(bytes.len() + 1);
        if ends_amid(&mut file).map_err(disk(&path))? {
            whole.push(b'\n');
        }
        whole.extend_from_slice(bytes);
        file.write_all(&whole).and_then(|()| file.sync_data()).map_err(disk(&path))?;
        if is_new { self.sync() } else { Ok(()) }
    }

    /// The names in the folder, with their file types.
    pub(crate) fn names(&self) -> Result<Vec<(String, FileType)>, WorkError> {
        let failed = |error: rustix::io::Errno| disk(&self.path)(error.into());
        let mut out = Vec::new();
        for entry in rustix::fs::Dir::read_from(&self.fd).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            // A name that is not UTF-8 is not one of ours.
            let Ok(name) = entry.file_name().to_str() else { continue };
            if name != "." && name != ".." {
                out.push((name.to_owned(), entry.file_type()));
            }
        }
        out.sort_by(|one, other| one.0.cmp(&other.0));
        Ok(out)
    }

    /// Whether an entry of this name exists, of any type.
    pub(crate) fn has(&self, name: &str) -> bool {
        rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW).is_ok()
    }

    /// Renames an entry, within this folder or into another one.
    pub(crate) fn rename(&self, from: &str, folder: &Self, to: &str) -> Result<(), WorkError> {
        let path = self.path.join(from);
        renameat(&self.fd, from, &folder.fd, to).map_err(|error| disk(&path)(error.into()))
    }

    /// Removes a file. A missing file is not an error.
    pub(crate) fn remove(&self, name: &str) -> Result<(), WorkError> {
        match unlinkat(&self.fd, name, AtFlags::empty()) {
            Ok(()) | Err(rustix::io::Errno::NOENT) => Ok(()),
            Err(error) => Err(disk(&self.path.join(name))(error.into())),
        }
    }

    /// Removes a folder with its content, without following links.
    pub(crate) fn remove_all(&self, name: &str) -> Result<(), WorkError> {
        let Some(sub) = self.sub(name)? else { return Ok(()) };
        for (inner, kind) in sub.names()? {
            match kind {
                FileType::Directory => sub.remove_all(&inner)?,
                _ => sub.remove(&inner)?,
            }
        }
        let path = self.path.join(name);
        unlinkat(&self.fd, name, AtFlags::REMOVEDIR).map_err(|error| disk(&path)(error.into()))
    }

    /// Syncs the folder's entries to disk.
    pub(crate) fn sync(&self) -> Result<(), WorkError> {
        rustix::fs::fsync(&self.fd).map_err(|error| disk(&self.path)(error.into()))
    }
}

/// Whether the file does not end with a line end.
fn ends_amid(file: &mut File) -> io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(false);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last != [b'\n'])
}
