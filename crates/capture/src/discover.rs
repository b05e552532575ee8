//! Finds sources: decides which files and folders of a home are walked.

use crate::Home;
use crate::discovery::{Discovery, folder_beside};
use crate::source::{SourceFile, folder_of, place_of};
use crate::walk::walk;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use taffrail_adapters::{Place, Shape};

/// Scans all homes.
#[must_use]
pub fn discover(homes: &[Home]) -> Discovery {
    let starts = homes.iter().flat_map(|home| roots(home).into_iter().map(move |it| (home, it)));
    let mut out = walk(starts.collect());
    out.homes = homes.iter().map(name_of).collect();
    out
}

/// Scans only some files and folders; the rest of the homes stays unknown.
///
/// A path without a place of its own (a side file, a write-ahead log) leads to the sources it belongs to.
#[must_use]
pub fn discover_at(homes: &[Home], paths: &[PathBuf]) -> (Discovery, Vec<Named>) {
    let mut starts = Vec::new();
    for home in homes {
        for below in paths.iter().filter_map(|path| below(home, path)) {
            starts.extend(stood_for(home, &below).into_iter().map(|path| (home, path)));
        }
    }
    let named = starts.iter().map(|(home, path)| (name_of(home), path.clone())).collect();
    let mut out = walk(starts);
    out.homes = homes.iter().map(name_of).collect();
    // A file may be named together with its folder, but is one source.
    let mut met = HashSet::new();
    let name = |it: &SourceFile| (it.home.clone(), it.path.clone(), it.adapter.descriptor().id);
    out.found.retain(|it| met.insert(name(it)));
    (out, named)
}

/// The files and folders of a home that hold history.
pub(crate) fn roots(home: &Home) -> Vec<String> {
    match home.journal {
        true => vec![folder_of(home.adapter)],
        false => home.adapter.descriptor().roots.iter().map(|it| (*it).to_owned()).collect(),
    }
}

fn name_of(home: &Home) -> String {
    home.root.to_string_lossy().into_owned()
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
