//! Walks folders of history by stat alone: level by level, and large levels on several threads.

use crate::discovery::{Discovery, Refused, folder_beside};
use crate::source::{SourceFile, place_of};
use crate::stat::{fingerprint, refusal};
use crate::threads::{helpers, on_threads};
use crate::{Home, Refusal};
use std::fs::{DirEntry, FileType, Metadata};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use taffrail_adapters::{Place, Shape};
use taffrail_model::hash;
use taffrail_model::observed::Fingerprint;

/// The deepest folder below a home that is scanned.
const DEPTH: usize = 10;
/// A level with fewer folders is read faster by one thread than by several.
const LARGE_LEVEL: usize = 16;

/// A folder that is still to be read.
struct Folder<'h> {
    home: &'h Home,
    path: String,
    depth: usize,
}

/// What a walk found so far, and the folders of the next level.
#[derive(Default)]
struct Level<'h> {
    found: Discovery,
    next: Vec<Folder<'h>>,
}

/// Walks these files and folders, each named by its home and its path below it.
pub(crate) fn walk(starts: Vec<(&Home, String)>) -> Discovery {
    let mut first = Level::default();
    for (home, path) in starts {
        first.start(home, path);
    }
    let Level { found: mut out, next: mut folders } = first;
    while !folders.is_empty() {
        let mut next = Vec::new();
        for level in read(&folders) {
            out.add(level.found);
            next.extend(level.next);
        }
        folders = next;
    }
    // Which thread read a folder must not show.
    out.refused.sort_by(|a, b| a.path.cmp(&b.path));
    out
}

/// Reads folders, each by one thread.
fn read<'h>(folders: &[Folder<'h>]) -> Vec<Level<'h>> {
    let next = AtomicUsize::new(0);
    let read_all = || {
        let mut level = Level::default();
        while let Some(folder) = folders.get(next.fetch_add(1, Ordering::Relaxed)) {
            level.folder(folder);
        }
        level
    };
    on_threads(helpers(folders.len() >= LARGE_LEVEL), read_all)
}

impl<'h> Level<'h> {
    /// A file or folder where a walk starts.
    fn start(&mut self, home: &'h Home, path: String) {
        let full = home.root.join(&path);
        match std::fs::symlink_metadata(&full) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(_) => self.unseen(&full),
            Ok(metadata) if metadata.is_dir() => self.next.push(Folder { home, path, depth: 0 }),
            Ok(metadata) => self.file(home, &path, metadata.file_type(), || Ok(metadata)),
        }
    }

    fn folder(&mut self, folder: &Folder<'h>) {
        let full = folder.home.root.join(&folder.path);
        let Ok(entries) = std::fs::read_dir(&full) else { return self.unseen(&full) };
        self.found.folders.push(full.clone());
        for entry in entries {
            let Ok(entry) = entry else { return self.unseen(&full) };
            let name = entry.file_name();
            match (name.to_str(), entry.file_type()) {
                (None, _) => self.refuse(&entry.path(), Refusal::PathNotText),
                (Some(name), Ok(kind)) => self.entry(folder, name, kind, &entry),
                (Some(_), Err(_)) => self.unseen(&entry.path()),
            }
        }
    }

    fn entry(&mut self, folder: &Folder<'h>, name: &str, kind: FileType, entry: &DirEntry) {
        let (home, path) = (folder.home, [&folder.path, "/", name].concat());
        if kind.is_dir() && folder.depth < DEPTH {
            self.next.push(Folder { home, path, depth: folder.depth + 1 });
        } else {
            // From the open folder: the kernel need not look up the folders above for each file.
            self.file(home, &path, kind, || entry.metadata());
        }
    }

    /// A file, and how its metadata is read, without following a link.
    fn file(
        &mut self,
        home: &Home,
        path: &str,
        kind: FileType,
        metadata: impl FnOnce() -> io::Result<Metadata>,
    ) {
        // A link to a folder of history has no place of its own, but is reported.
        let place = place_of(home.adapter, path);
        let full = || home.root.join(path);
        if kind.is_symlink() && (place.is_some() || full().is_dir()) {
            return self.refuse(&full(), Refusal::Link);
        }
        let Some(place) = place else { return };
        match metadata() {
            Ok(metadata) => match refusal(&metadata) {
                Some(why) => self.refuse(&full(), why),
                None => self.found.found.push(found(home, path, place, &metadata)),
            },
            // The file was deleted in the meantime; the next scan notices it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(_) => self.unseen(&full()),
        }
    }

    fn refuse(&mut self, path: &Path, why: Refusal) {
        self.found.refused.push(Refused { path: path.display().to_string(), why });
    }

    fn unseen(&mut self, path: &Path) {
        self.found.unseen.push(path.display().to_string());
    }
}

impl Discovery {
    fn add(&mut self, other: Self) {
        self.found.extend(other.found);
        self.refused.extend(other.refused);
        self.folders.extend(other.folders);
        self.unseen.extend(other.unseen);
    }
}

fn found(home: &Home, path: &str, place: Place, metadata: &Metadata) -> SourceFile {
    let beside = beside(&home.root, path, &place);
    let fingerprint = Fingerprint { beside, ..fingerprint(metadata) };
    let home_path = home.root.to_string_lossy().into_owned();
    SourceFile { adapter: home.adapter, home: home_path, path: path.to_owned(), place, fingerprint }
}

/// The paths below the home of the files and folders that count as part of a source.
pub(crate) fn sides(path: &str, place: &Place) -> Vec<String> {
    let journal = match place.shape {
        Shape::Sqlite(_) => Some(format!("{path}-wal")),
        // Its time changes with every file that is created or removed in it.
        Shape::Folder(plan) => Some(folder_beside(path, plan.folder)),
        Shape::Lines(_) | Shape::Document | Shape::Text => None,
    };
    place.beside.iter().cloned().chain(journal).collect()
}

/// What the sides of a source add to its fingerprint.
pub(crate) fn beside(root: &Path, path: &str, place: &Place) -> u64 {
    let mut text = String::new();
    for side in sides(path, place) {
        // Most files beside a source are not there.
        if let Ok(metadata) = std::fs::symlink_metadata(root.join(&side)) {
            text += &format!("{side} {:?}\n", fingerprint(&metadata));
        }
    }
    if text.is_empty() { 0 } else { leading(hash::of_bytes(text.as_bytes())) }
}

fn leading(digest: hash::Digest16) -> u64 {
    digest.iter().take(8).fold(0, |sum, byte| (sum << 8) | u64::from(*byte)) >> 1
}
