//! Finds sources: walks the folders that an adapter names, by stat alone.

use crate::source::{SourceFile, folder_of, place_of};
use crate::stat::{fingerprint, refusal};
use crate::{Home, Refusal};
use std::collections::HashSet;
use std::fs::{FileType, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use taffrail_adapters::{Place, Shape};
use taffrail_model::hash;
use taffrail_model::observed::Fingerprint;

/// The deepest folder below a home that is scanned.
const DEPTH: usize = 10;

/// A file that looks like history but is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The full path.
    pub path: String,
    /// The reason.
    pub why: Refusal,
}

/// The result of a scan.
#[derive(Debug, Default)]
pub struct Discovery {
    /// The sources, in no particular order.
    pub found: Vec<SourceFile>,
    /// Files that are not read.
    pub refused: Vec<Refused>,
    /// The homes that were scanned.
    pub homes: HashSet<String>,
    /// The folders that were scanned.
    pub folders: Vec<PathBuf>,
    /// Folders that could not be read; nothing is known of their files.
    pub unseen: Vec<String>,
}

/// Scans all homes.
#[must_use]
pub fn discover(homes: &[Home]) -> Discovery {
    let mut out = Discovery::default();
    for home in homes {
        out.homes.insert(home.root.to_string_lossy().into_owned());
        if home.journal {
            walk(home, &folder_of(home.adapter), 0, &mut out);
            continue;
        }
        for root in home.adapter.descriptor().roots {
            walk(home, root, 0, &mut out);
        }
    }
    out
}

/// Scans only some files and folders; the rest of the homes stays unknown.
///
/// A path without a place of its own (a side file, a write-ahead log) leads to the sources it belongs to.
#[must_use]
pub fn discover_at(homes: &[Home], paths: &[PathBuf]) -> (Discovery, Vec<Named>) {
    let mut out = Discovery::default();
    let mut named = Vec::new();
    for home in homes {
        out.homes.insert(home.root.to_string_lossy().into_owned());
        for path in paths {
            let Some(below) = below(home, path) else { continue };
            for path in stood_for(home, &below) {
                walk(home, &path, 0, &mut out);
                named.push((home.root.to_string_lossy().into_owned(), path));
            }
        }
    }
    // A file may be named together with its folder, but is one source.
    let mut met = HashSet::new();
    let name = |it: &SourceFile| (it.home.clone(), it.path.clone(), it.adapter.descriptor().id);
    out.found.retain(|it| met.insert(name(it)));
    (out, named)
}

/// A requested file: its home and its path below the home.
pub type Named = (String, String);

/// The path below the home, if history may be there.
fn below(home: &Home, path: &Path) -> Option<String> {
    let below = path.strip_prefix(&home.root).ok()?.to_str()?;
    let folder = folder_of(home.adapter);
    let is_below = |root: &str| Path::new(below).starts_with(root);
    let held = match home.journal {
        true => is_below(&folder),
        false => home.adapter.descriptor().roots.iter().any(|root| beside_root(below, root)),
    };
    held.then(|| below.to_owned())
}

/// Below a root, or the write-ahead log of a root that is a file.
fn beside_root(below: &str, root: &str) -> bool {
    Path::new(below).starts_with(root) || below.strip_suffix("-wal") == Some(root)
}

/// The sources that a path leads to: the path itself, the files beside it that share its stem, and the files in the
/// two folders above that need it or consist of it.
fn stood_for(home: &Home, below: &str) -> Vec<String> {
    let full = home.root.join(below);
    if place_of(home.adapter, below).is_some() || full.is_dir() {
        return vec![below.to_owned()];
    }
    let (folder, name) = below.rsplit_once('/').unwrap_or(("", below));
    let stem = name.split_once(['.', '-']).map_or(name, |(stem, _)| stem);
    let mut out = sources_in(home, folder, |path, _| {
        let its_name = path.rsplit('/').next().unwrap_or(path);
        its_name.starts_with(stem) && its_name != name
    });
    let mut above = Some(folder);
    for _ in 0..2 {
        let Some(here) = above else { break };
        out.extend(sources_in(home, here, |path, place| {
            let needs = place.beside.iter().any(|it| it == below);
            needs || is_folder_of(path, place, folder)
        }));
        above = here.rsplit_once('/').map(|(above, _)| above);
    }
    out.sort();
    out.dedup();
    out
}

/// The sources right in a folder for which something holds.
fn sources_in(home: &Home, folder: &str, holds: impl Fn(&str, &Place) -> bool) -> Vec<String> {
    let entries = std::fs::read_dir(home.root.join(folder)).into_iter().flatten();
    let names = entries.filter_map(|it| it.ok()?.file_name().into_string().ok());
    let joined = names.map(|it| if folder.is_empty() { it } else { format!("{folder}/{it}") });
    joined.filter(|it| place_of(home.adapter, it).is_some_and(|place| holds(it, &place))).collect()
}

/// Whether the small files of a source are in this folder.
fn is_folder_of(path: &str, place: &Place, folder: &str) -> bool {
    matches!(place.shape, Shape::Folder(plan) if folder_beside(path, plan.folder) == folder)
}

/// The path of a folder beside a file.
pub(crate) fn folder_beside(path: &str, folder: &str) -> String {
    path.rsplit_once('/').map_or(folder.to_owned(), |(above, _)| format!("{above}/{folder}"))
}

fn walk(home: &Home, path: &str, depth: usize, out: &mut Discovery) {
    let full = home.root.join(path);
    match std::fs::symlink_metadata(&full) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(_) => out.unseen.push(full.display().to_string()),
        Ok(metadata) if metadata.is_dir() => folder(home, path, depth, out),
        Ok(metadata) => file(home, path, metadata.file_type(), out),
    }
}

fn folder(home: &Home, path: &str, depth: usize, out: &mut Discovery) {
    let full = home.root.join(path);
    let Ok(entries) = std::fs::read_dir(&full) else {
        out.unseen.push(full.display().to_string());
        return;
    };
    out.folders.push(full.clone());
    for entry in entries {
        let Ok(entry) = entry else {
            out.unseen.push(full.display().to_string());
            return;
        };
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            out.refuse(&entry.path(), Refusal::PathNotText);
            continue;
        };
        let below = format!("{path}/{name}");
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth < DEPTH => folder(home, &below, depth + 1, out),
            Ok(kind) => file(home, &below, kind, out),
            Err(_) => out.unseen.push(entry.path().display().to_string()),
        }
    }
}

fn file(home: &Home, path: &str, kind: FileType, out: &mut Discovery) {
    // A link to a folder of history has no place of its own, but is reported.
    let place = place_of(home.adapter, path);
    let full = home.root.join(path);
    if kind.is_symlink() && (place.is_some() || full.is_dir()) {
        return out.refuse(&full, Refusal::Link);
    }
    let Some(place) = place else { return };
    match std::fs::symlink_metadata(&full) {
        Ok(metadata) => match refusal(&metadata) {
            Some(why) => out.refuse(&full, why),
            None => out.found.push(found(home, path, place, &metadata)),
        },
        // The file was deleted in the meantime; the next scan notices it.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(_) => out.unseen.push(full.display().to_string()),
    }
}

fn found(home: &Home, path: &str, place: Place, metadata: &Metadata) -> SourceFile {
    let fingerprint =
        Fingerprint { beside: beside(&home.root, path, &place), ..fingerprint(metadata) };
    let home_path = home.root.to_string_lossy().into_owned();
    SourceFile { adapter: home.adapter, home: home_path, path: path.to_owned(), place, fingerprint }
}

fn beside(root: &Path, path: &str, place: &Place) -> u64 {
    let journal = match place.shape {
        Shape::Sqlite(_) => vec![format!("{path}-wal")],
        // Its time changes with every file that is created or removed in it.
        Shape::Folder(plan) => vec![folder_beside(path, plan.folder)],
        Shape::Lines(_) | Shape::Document | Shape::Text => vec![],
    };
    let mut text = String::new();
    for side in place.beside.iter().chain(&journal) {
        // Most files beside a source are not there.
        if let Ok(metadata) = std::fs::symlink_metadata(root.join(side)) {
            text += &format!("{side} {:?}\n", fingerprint(&metadata));
        }
    }
    if text.is_empty() { 0 } else { leading(hash::of_bytes(text.as_bytes())) }
}

fn leading(digest: hash::Digest16) -> u64 {
    digest.iter().take(8).fold(0, |sum, byte| (sum << 8) | u64::from(*byte)) >> 1
}

impl Discovery {
    fn refuse(&mut self, path: &Path, why: Refusal) {
        self.refused.push(Refused { path: path.display().to_string(), why });
    }
}
