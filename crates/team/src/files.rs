//! The files of this device: its keys, the roster with its pin, and open invites. Only this user
//! can read them, and each is written atomically.

use crate::error::DeviceError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;
use zeroize::Zeroizing;

/// The folder of these files, below the data folder.
const FOLDER: &str = "device";
/// The largest file that is read.
const LONGEST: u64 = 64 * 1024 * 1024;

/// The folder, verified to be private.
pub(crate) struct Folder(PathBuf);

/// No other process changes these files while this is held.
pub(crate) struct Lock(#[expect(dead_code, reason = "it is held, and let go when dropped")] File);

impl Folder {
    /// The folder, if it exists.
    pub(crate) fn open(data: &Path) -> Result<Option<Self>, DeviceError> {
        let path = data.join(FOLDER);
        match path.symlink_metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(DeviceError::Io { path, error }),
            Ok(metadata) => {
                check(&path, &metadata, metadata.is_dir(), "is not a folder")?;
                Ok(Some(Self(path)))
            }
        }
    }

    /// The folder; creates it if needed.
    pub(crate) fn make(data: &Path) -> Result<Self, DeviceError> {
        let path = data.join(FOLDER);
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&path);
        made.map_err(DeviceError::at(&path))?;
        Self::open(data)?.ok_or(DeviceError::NotMade)
    }

    /// Waits for the lock on these files.
    pub(crate) fn lock(&self) -> Result<Lock, DeviceError> {
        let path = self.0.join("lock");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false).mode(0o600).custom_flags(no_follow());
        let file = options.open(&path).map_err(DeviceError::at(&path))?;
        file.lock().map_err(DeviceError::at(&path))?;
        Ok(Lock(file))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The text of a file, zeroized on drop; `None` if the file does not exist.
    pub(crate) fn text(&self, name: &str) -> Result<Option<Zeroizing<String>>, DeviceError> {
        let path = self.path(name);
        let mut options = OpenOptions::new();
        let file = match options.read(true).custom_flags(no_follow()).open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            opened => opened.map_err(DeviceError::at(&path))?,
        };
        let metadata = file.metadata().map_err(DeviceError::at(&path))?;
        check(&path, &metadata, metadata.is_file(), "is not a file")?;
        // Reserving the capacity up front avoids leaving copies behind when the buffer grows.
        let room = usize::try_from(metadata.len().min(LONGEST)).unwrap_or_default();
        let mut text = Zeroizing::new(String::with_capacity(room.saturating_add(1)));
        let read = file.take(LONGEST).read_to_string(&mut text);
        read.map_err(DeviceError::at(&path))?;
        Ok(Some(text))
    }

    /// A document; `None` if it does not exist.
    pub(crate) fn document<T: DeserializeOwned>(
        &self,
        name: &str,
    ) -> Result<Option<T>, DeviceError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let read = serde_json::from_str(&text);
        read.map(Some).map_err(|_| DeviceError::Damaged(self.path(name)))
    }

    /// Replaces a document.
    pub(crate) fn replace(&self, name: &str, document: &impl Serialize) -> Result<(), DeviceError> {
        let path = self.path(name);
        let text = serde_json::to_string(document);
        let text = Zeroizing::new(text.map_err(|_| DeviceError::Damaged(path.clone()))?);
        let file = self.written(&text)?;
        file.persist(&path).map_err(|error| DeviceError::at(&path)(error.error))?;
        self.sync()
    }

    /// Creates a new file; never follows or replaces an existing one.
    pub(crate) fn create(&self, name: &str, text: &str) -> Result<(), DeviceError> {
        let path = self.path(name);
        let file = self.written(text)?;
        file.persist_noclobber(&path).map_err(|error| DeviceError::at(&path)(error.error))?;
        self.sync()
    }

    /// Writes a synced temporary file with mode 0600.
    fn written(&self, text: &str) -> Result<NamedTempFile, DeviceError> {
        let write = || {
            let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(&self.0)?;
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()?;
            Ok(file)
        };
        write().map_err(DeviceError::at(&self.0))
    }

    fn sync(&self) -> Result<(), DeviceError> {
        let synced = File::open(&self.0).and_then(|folder| folder.sync_all());
        synced.map_err(DeviceError::at(&self.0))
    }
}

fn check(
    path: &Path,
    metadata: &std::fs::Metadata,
    is_kind: bool,
    no_kind: &'static str,
) -> Result<(), DeviceError> {
    let why = match is_kind {
        false => no_kind,
        true if metadata.uid() != rustix::process::geteuid().as_raw() => "is not ours",
        true if metadata.mode() & 0o077 != 0 => "can be read by others: chmod go= it",
        true => return Ok(()),
    };
    Err(DeviceError::Unsafe { path: path.to_owned(), why })
}

fn no_follow() -> i32 {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    i32::try_from(flags.bits()).unwrap_or_default()
}
