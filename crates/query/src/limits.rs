//! Observations of limits, read again only where something changed.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use taffrail_capture::{Home, text_below};
use taffrail_context::{Error, Settings};
use taffrail_model::Timestamp;
use taffrail_model::quota::Observation;
use taffrail_store::IndexReader;

/// The longest file of an agent that is read for limits.
const LONGEST: u64 = 16 * 1024 * 1024;

/// What tells one content of a file from the next: the time of its change, its size and its number.
type Stamp = (i64, i64, u64, u64);

/// What the index and the agents' own files know of limits.
#[derive(Debug, Default)]
pub struct Limits {
    /// The generation of the index and the batch that wrote the observations in it.
    batch: Option<(String, Option<String>)>,
    indexed: Vec<Observation>,
    files: HashMap<PathBuf, (Stamp, Vec<Observation>)>,
}

/// Whether a reading found something else than the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changed {
    Yes,
    No,
}

impl Limits {
    /// These observations.
    #[cfg(test)]
    pub(crate) fn of(indexed: Vec<Observation>) -> Self {
        Self { indexed, ..Self::default() }
    }

    /// Reads everything that changed.
    ///
    /// # Errors
    /// When our own files cannot be read.
    pub fn read(&mut self, settings: &Settings) -> Result<(), Error> {
        match IndexReader::open(&settings.data)? {
            Some(index) => self.read_index(&index).map(|_| ())?,
            None => (self.batch, self.indexed) = (None, Vec::new()),
        }
        self.read_files(settings);
        Ok(())
    }

    /// Reads the observations of the index, if any were written since.
    ///
    /// # Errors
    /// When the index cannot be read.
    pub fn read_index(&mut self, index: &IndexReader) -> Result<Changed, Error> {
        let batch = Some((index.generation().to_owned(), index.quotas_batch()?));
        if batch == self.batch {
            return Ok(Changed::No);
        }
        self.indexed = index.quotas()?;
        self.batch = batch;
        Ok(Changed::Yes)
    }

    /// Reads the files that agents keep in their homes or beside them, if they changed.
    pub fn read_files(&mut self, settings: &Settings) -> Changed {
        let paths: Vec<_> = settings.usual_homes().iter().flat_map(files_of).collect();
        let known = self.files.len();
        self.files.retain(|path, _| paths.iter().any(|it| it.path() == *path));
        let mut changed = if self.files.len() < known { Changed::Yes } else { Changed::No };
        for it in paths {
            if self.read_file(&it) == Changed::Yes {
                changed = Changed::Yes;
            }
        }
        changed
    }

    /// All observations until now.
    #[must_use]
    pub fn until(&self, now: Timestamp) -> Vec<Observation> {
        let files = self.files.values().flat_map(|it| &it.1).filter(|it| it.at <= now);
        self.indexed.iter().chain(files).cloned().collect()
    }

    fn read_file(&mut self, file: &Place) -> Changed {
        let path = file.path();
        let Some(stamp) = file.stamp() else {
            return if self.files.remove(&path).is_some() { Changed::Yes } else { Changed::No };
        };
        if self.files.get(&path).is_some_and(|it| it.0 == stamp) {
            return Changed::No;
        }
        self.files.insert(path, (stamp, file.read()));
        Changed::Yes
    }
}

/// Where an agent may keep such a file.
struct Place {
    home: Home,
    folder: PathBuf,
    name: &'static str,
}

fn files_of(home: &Home) -> Vec<Place> {
    let Some(file) = home.adapter.limits_file() else { return Vec::new() };
    let folders = [Some(home.root.as_path()), home.root.parent()].into_iter().flatten();
    let folders: Vec<PathBuf> = folders.map(PathBuf::from).collect();
    let place = |folder| Place { home: home.clone(), folder, name: file.name };
    folders.into_iter().map(place).collect()
}

impl Place {
    fn path(&self) -> PathBuf {
        self.folder.join(self.name)
    }

    /// `None` if the file is absent.
    fn stamp(&self) -> Option<Stamp> {
        let it = std::fs::symlink_metadata(self.path()).ok()?;
        Some((it.mtime(), it.mtime_nsec(), it.size(), it.ino()))
    }

    fn read(&self) -> Vec<Observation> {
        let Some(file) = self.home.adapter.limits_file() else { return Vec::new() };
        // A file that is gone meanwhile, or that is not the user's own, says nothing.
        let text = text_below(&self.folder, self.name, LONGEST).unwrap_or_default();
        (file.read)(&text)
    }
}
