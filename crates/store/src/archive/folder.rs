//! The archive as a folder: lists and removes copies.

use super::ArchiveError;
use super::disk::sync_disk_of;
use super::label::{Address, Label, Name};
use super::scan::{Scan, open};
use super::volume::Volume;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use taffrail_model::hash::{self, Digest16};

/// Copies of all sources.
#[derive(Debug, Clone)]
pub struct Archive {
    folder: PathBuf,
}

/// One edition of a source in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Which source.
    pub label: Label,
    /// Which edition.
    pub edition: u32,
    /// How many bytes of the source are kept.
    pub kept_bytes: u64,
    /// How many bytes the file has.
    pub disk_bytes: u64,
    /// When the file last changed.
    pub modified: SystemTime,
}

/// What is in the archive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// Every edition of every source, in the order of their files.
    pub entries: Vec<Entry>,
    /// Files that could not be read or are not ours.
    pub skipped: u64,
}

impl Archive {
    /// The archive below a data folder. Creates nothing until something is archived.
    #[must_use]
    pub fn new(data: &Path) -> Self {
        Self { folder: data.join("archive") }
    }

    /// The newest edition of a source.
    ///
    /// # Errors
    /// When the folder or a file cannot be read.
    pub fn find(&self, address: Address<'_>) -> Result<Option<Volume>, ArchiveError> {
        self.opened(address)?.next().transpose()
    }

    /// Every edition of a source that can be read, the newest first.
    ///
    /// # Errors
    /// When the folder or a file cannot be read.
    pub fn editions(&self, address: Address<'_>) -> Result<Vec<Volume>, ArchiveError> {
        self.opened(address)?.collect()
    }

    /// Whether the newest copy of a source ends exactly here.
    ///
    /// # Errors
    /// When the folder or a file cannot be read.
    pub fn covers_to(&self, address: Address<'_>, offset: u64) -> Result<bool, ArchiveError> {
        let newest = self.find(address)?;
        Ok(newest.is_some_and(|it| it.covered_to() == offset && it.ranges().len() <= 1))
    }

    /// Every edition of every source.
    ///
    /// # Errors
    /// When the folder exists and cannot be read.
    pub fn all(&self) -> Result<Listing, ArchiveError> {
        let mut listing = Listing::default();
        for path in self.every_file()? {
            match Name::parse(&path).and_then(|name| entry(&path, name).ok()) {
                Some(entry) => listing.entries.push(entry),
                None => listing.skipped += 1,
            }
        }
        Ok(listing)
    }

    /// Removes every edition of a source, including leftovers of a crash, and returns the number of
    /// bytes freed.
    ///
    /// # Errors
    /// When a file cannot be removed.
    pub fn remove(&self, address: Address<'_>) -> Result<u64, ArchiveError> {
        let hex = hash::to_hex(&address.digest());
        let path = self.path(address, 0);
        let Some(folder) = path.parent() else { return Ok(0) };
        let is_of_source = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| name.starts_with(&hex))
        };
        inside(folder)?.into_iter().filter(is_of_source).map(|path| remove_file(&path)).sum()
    }

    /// Removes one edition of a source and returns the number of bytes freed. If it was the newest,
    /// the source must be read from its start before more of it is archived.
    ///
    /// # Errors
    /// When the file cannot be removed.
    pub fn remove_edition(&self, address: Address<'_>, edition: u32) -> Result<u64, ArchiveError> {
        remove_file(&self.path(address, edition))
    }

    /// The total size of a source's files in bytes.
    ///
    /// # Errors
    /// When the folder exists and cannot be read.
    pub fn size(&self, address: Address<'_>) -> Result<u64, ArchiveError> {
        let path = self.path(address, 0);
        let Some(folder) = path.parent() else { return Ok(0) };
        let digest = address.digest();
        let files = inside(folder)?.into_iter();
        let files = files.filter(|it| Name::parse(it).is_some_and(|name| name.digest == digest));
        Ok(files.filter_map(|path| path.symlink_metadata().ok()).map(|it| it.len()).sum())
    }

    /// The size in bytes of the disk that holds the archive, if the system knows it.
    #[must_use]
    pub fn disk_bytes(&self) -> Option<u64> {
        let disk = rustix::fs::statvfs(self.folder.parent()?).ok()?;
        disk.f_blocks.checked_mul(disk.f_frsize)
    }

    /// When the copies of each source were last written, by the name those copies share. A power
    /// cut can leave an empty file: it is removed and does not count.
    ///
    /// # Errors
    /// When the folder exists and cannot be read, or a file cannot be removed.
    pub fn times(&self) -> Result<HashMap<Digest16, SystemTime>, ArchiveError> {
        let mut out: HashMap<Digest16, SystemTime> = HashMap::new();
        for path in self.every_file()? {
            let Some(name) = Name::parse(&path) else { continue };
            let metadata = path.symlink_metadata()?;
            if metadata.len() == 0 {
                remove_file(&path)?;
                continue;
            }
            let time = out.entry(name.digest).or_insert(SystemTime::UNIX_EPOCH);
            *time = metadata.modified()?.max(*time);
        }
        Ok(out)
    }

    /// The file name that all copies of a source share.
    #[must_use]
    pub fn name(address: Address<'_>) -> Digest16 {
        address.digest()
    }

    /// The total size of all files in bytes.
    ///
    /// # Errors
    /// When the folder exists and cannot be read.
    pub fn total_bytes(&self) -> Result<u64, ArchiveError> {
        let sizes = self.every_file()?.into_iter();
        // A file that was removed meanwhile has no size.
        Ok(sizes.filter_map(|path| path.symlink_metadata().ok()).map(|it| it.len()).sum())
    }

    /// Syncs every file to the disk.
    ///
    /// # Errors
    /// When a sync fails.
    pub fn sync(&self) -> Result<(), ArchiveError> {
        match File::open(&self.folder) {
            Ok(folder) => Ok(sync_disk_of(&folder)?),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn opened(
        &self,
        address: Address<'_>,
    ) -> io::Result<impl Iterator<Item = Result<Volume, ArchiveError>>> {
        let open = |(edition, path): (u32, PathBuf)| Volume::open(File::open(path)?, edition);
        let files = self.files(address)?.into_iter();
        Ok(files.filter_map(move |file| readable(open(file)).transpose()))
    }

    /// The newest edition, open for writing; `None` if it cannot be read. An older edition cannot
    /// replace it, because new bytes follow the newest one only.
    pub(super) fn newest(
        &self,
        address: Address<'_>,
    ) -> Result<Option<(File, Scan)>, ArchiveError> {
        match self.files(address)?.first() {
            Some((_, path)) => readable(open(path)),
            None => Ok(None),
        }
    }

    /// The path of the next edition.
    pub(super) fn next_path(&self, address: Address<'_>) -> io::Result<PathBuf> {
        let newest = self.files(address)?.first().map_or(0, |(edition, _)| *edition);
        Ok(self.path(address, newest.saturating_add(1)))
    }

    /// Removes all but the newest editions of a source.
    pub(super) fn remove_old_editions(&self, address: Address<'_>) -> Result<(), ArchiveError> {
        for (_, path) in self.files(address)?.iter().skip(super::EDITIONS) {
            remove_file(path)?;
        }
        Ok(())
    }

    /// The files of a source by edition, the newest first.
    pub(super) fn files(&self, address: Address<'_>) -> io::Result<Vec<(u32, PathBuf)>> {
        let digest = address.digest();
        let path = self.path(address, 0);
        let Some(folder) = path.parent() else { return Ok(Vec::new()) };
        let paths = inside(folder)?.into_iter();
        let ours = paths.filter_map(|path| {
            let name = Name::parse(&path).filter(|name| name.digest == digest)?;
            Some((name.edition, path))
        });
        let mut out: Vec<_> = ours.collect();
        out.sort_unstable_by(|a, b| b.cmp(a));
        Ok(out)
    }

    /// All files of the archive, ours or not.
    pub(super) fn every_file(&self) -> io::Result<Vec<PathBuf>> {
        let mut out = Vec::new();
        for path in inside(&self.folder)? {
            match inside(&path) {
                Ok(files) => out.extend(files),
                // A file where a folder should be, or a folder without read permission.
                Err(_) => out.push(path),
            }
        }
        out.sort_unstable();
        Ok(out)
    }

    /// The path of an edition.
    pub(super) fn path(&self, address: Address<'_>, edition: u32) -> PathBuf {
        self.folder.join(Name { digest: address.digest(), edition }.path())
    }
}

/// `None` for a file that cannot be parsed or was removed meanwhile.
pub(super) fn readable<T>(read: Result<T, ArchiveError>) -> Result<Option<T>, ArchiveError> {
    match read {
        Ok(it) => Ok(Some(it)),
        Err(ArchiveError::Io(error)) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(ArchiveError::Damaged(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

fn entry(path: &Path, name: Name) -> Result<Entry, ArchiveError> {
    let file = File::open(path)?;
    let scan = Scan::of(&file)?;
    Ok(Entry {
        edition: name.edition,
        kept_bytes: scan.kept_bytes(),
        disk_bytes: scan.file_length,
        modified: file.metadata()?.modified()?,
        label: scan.written.label,
    })
}

fn remove_file(path: &Path) -> Result<u64, ArchiveError> {
    let Some(metadata) = readable(path.symlink_metadata().map_err(ArchiveError::Io))? else {
        return Ok(0);
    };
    std::fs::remove_file(path)?;
    Ok(metadata.len())
}

/// The entries of a folder; none, if it does not exist.
fn inside(folder: &Path) -> io::Result<Vec<PathBuf>> {
    match std::fs::read_dir(folder) {
        Ok(found) => found.map(|found| Ok(found?.path())).collect(),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}
