//! What a look found, with the state of each file and folder: as long as all are in that state, another look would find
//! the same. Comparing costs one call for each and opens none.
//!
//! A folder whose times did not change has the same names in it. This holds where the file system keeps such times, and
//! for a folder that was at rest when it was read: a change in the same instant could leave the same time. Files are
//! never trusted so: an append leaves the times of the folder as they are, so each file is looked at.

use crate::Home;
use crate::discover::roots;
use crate::discovery::Discovery;
use crate::source::SourceFile;
use crate::stat::{fingerprint, refusal};
use crate::threads::{helpers, on_threads};
use crate::walk::{beside, sides};
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use taffrail_adapters::own;
use taffrail_model::Timestamp;
use taffrail_model::hash::{Digest16, checksum, digest};
use taffrail_model::observed::Fingerprint;

/// Changes with the form of a listing.
const FORM: &str = "listing 1";
/// A folder that changed less than this before it was read was not at rest.
const REST_SECONDS: i64 = 2;
/// The paths of one block. Threads take blocks; a path leaves out what it shares with the one before in its block.
const BLOCK: usize = 512;
/// With fewer blocks one thread is faster than several.
const MANY_BLOCKS: usize = 4;

/// A look at all homes.
#[derive(Debug, Clone, Copy)]
pub struct Look<'l> {
    /// The homes at their usual or named places.
    pub usual: &'l [Home],
    /// All homes, also those in projects.
    pub homes: &'l [Home],
    /// Where there may be further homes in projects.
    pub places: &'l [PathBuf],
    /// What was found.
    pub discovery: &'l Discovery,
    /// When it began.
    pub began: Timestamp,
}

/// All that a look found, in the state in which it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    bytes: Vec<u8>,
}

/// A file or folder as a stat shows it: device, inode, size, and the times of content and of everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct State([u64; 5]);

/// The paths with their states; `None` where nothing is.
type States = BTreeMap<String, Option<State>>;

impl Listing {
    /// The listing of a look; `None` if nothing can be concluded from it later.
    #[must_use]
    pub fn of(look: &Look<'_>) -> Option<Self> {
        let Look { usual, homes, places, discovery, began } = *look;
        if !discovery.unseen.is_empty() || homes.iter().any(is_described) {
            return None;
        }
        let folders = folders_at_rest(&discovery.folders, began)?;
        let mut all = States::new();
        for found in &discovery.found {
            all.extend(sources(found, &folders)?);
        }
        all.extend(folders.into_iter().map(|(path, state)| (path, Some(state))));
        for refused in &discovery.refused {
            all.insert(refused.path.clone(), refused_still(Path::new(&refused.path))?);
        }
        for start in starts(homes).iter().chain(places) {
            add_start(&mut all, start)?;
        }
        Some(Self { bytes: encoded(usual, &all)? })
    }

    /// A listing that was written to a file; `None` if it is torn.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (sum, rest) = bytes.split_first_chunk::<16>()?;
        (checksum(rest) == *sum).then(|| Self { bytes: rest.to_vec() })
    }

    /// The same as bytes of a file.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        [checksum(&self.bytes).as_slice(), &self.bytes].concat()
    }

    /// Whether another look would find the same now, with these homes at their usual or named places.
    #[must_use]
    pub fn holds(&self, usual: &[Home]) -> bool {
        let Some((name, mut rest)) = self.bytes.split_first_chunk::<16>() else { return false };
        if *name != name_of(usual) {
            return false;
        }
        let mut blocks = Vec::new();
        while !rest.is_empty() {
            let Some(block) = take_block(&mut rest) else { return false };
            blocks.push(block);
        }
        hold(&blocks)
    }
}

/// Whether everything in these blocks is as it was.
fn hold(blocks: &[&[u8]]) -> bool {
    let (next, same) = (AtomicUsize::new(0), AtomicBool::new(true));
    on_threads(helpers(blocks.len() >= MANY_BLOCKS), || {
        while same.load(Ordering::Relaxed) {
            let Some(block) = blocks.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
            if holds(block) != Some(true) {
                same.store(false, Ordering::Relaxed);
            }
        }
    });
    same.into_inner()
}

/// Whether everything in a block is as it was; `None` if the block cannot be read.
fn holds(mut block: &[u8]) -> Option<bool> {
    let mut path = Vec::new();
    while !block.is_empty() {
        let (shared, length) = (take_u16(&mut block)?, take_u16(&mut block)?);
        path.truncate(shared.into());
        path.extend(take(&mut block, length.into())?);
        let expected = take_state(&mut block)?;
        if state_of_path(Path::new(OsStr::from_bytes(&path))).ok()? != expected {
            return Some(false);
        }
    }
    Some(true)
}

/// Where a home is that the user described in a file: what counts there can change while the disk does not.
fn is_described(home: &Home) -> bool {
    own().any(|it| it.descriptor().id == home.adapter.descriptor().id)
}

/// The files and folders where a look begins.
fn starts(homes: &[Home]) -> Vec<PathBuf> {
    let below = |home: &Home| roots(home).iter().map(|it| home.root.join(it)).collect::<Vec<_>>();
    homes.iter().flat_map(below).collect()
}

/// Adds a place where a look begins and found nothing, or one that it listed by its real path. `None` if
/// something came there since, which the look did not see.
fn add_start(all: &mut States, start: &Path) -> Option<()> {
    let path = start.to_str()?;
    if all.contains_key(path) {
        return Some(());
    }
    let state = state_of_path(start).ok()?;
    if state.is_some() {
        let real = start.canonicalize().ok()?;
        all.contains_key(real.to_str()?).then_some(())?;
    }
    // Most places in projects are not there, and many projects are gone.
    let project = start.parent().filter(|_| state.is_none());
    let gone = project.filter(|it| matches!(state_of_path(it), Ok(None)));
    all.insert(gone.unwrap_or(start).to_str()?.to_owned(), state);
    Some(())
}

/// The state of a file that was not read; `None` if it would be read now.
fn refused_still(path: &Path) -> Option<Option<State>> {
    match std::fs::symlink_metadata(path) {
        Ok(metadata) => refusal(&metadata).map(|_| Some(state_of(&metadata))),
        Err(error) => (error.kind() == io::ErrorKind::NotFound).then_some(None),
    }
}

/// What a look depends on beside the disk and the projects.
fn name_of(homes: &[Home]) -> Digest16 {
    let mut parts = vec![FORM.to_owned()];
    for home in homes {
        let kind = if home.journal { "journal" } else { "history" };
        parts.extend([home.adapter.descriptor().id, kind, "at"].map(str::to_owned));
        parts.push(home.root.to_string_lossy().into_owned());
    }
    digest("homes", &parts.iter().map(String::as_bytes).collect::<Vec<_>>())
}

/// The folders with their states; `None` if one was not at rest, or is where times say nothing.
fn folders_at_rest(folders: &[PathBuf], began: Timestamp) -> Option<BTreeMap<String, State>> {
    let latest =
        u64::try_from(began.as_second() - REST_SECONDS).ok()?.checked_mul(1_000_000_000)?;
    let (mut out, mut devices) = (BTreeMap::new(), HashSet::new());
    for folder in folders {
        let it = state_of_path(folder).ok()??;
        let State([device, _, _, modified, changed]) = it;
        if modified > latest || changed > latest {
            return None;
        }
        if devices.insert(device) && !keeps_times(folder) {
            return None;
        }
        out.insert(folder.to_str()?.to_owned(), it);
    }
    Some(out)
}

/// A source and its sides with their states; `None` if the source is not as it was found. A folder at rest says that what
/// is not in it is still not there.
fn sources(found: &SourceFile, folders: &BTreeMap<String, State>) -> Option<States> {
    let root = Path::new(&found.home);
    let full = root.join(&found.path);
    let metadata = std::fs::symlink_metadata(&full).ok()?;
    let mut out = States::from([(full.to_str()?.to_owned(), Some(state_of(&metadata)))]);
    for side in sides(&found.path, &found.place) {
        let full = root.join(side);
        let state = state_of_path(&full).ok()?;
        let folder = full.parent().and_then(Path::to_str);
        if state.is_some() || !folder.is_some_and(|it| folders.contains_key(it)) {
            out.insert(full.to_str()?.to_owned(), state);
        }
    }
    // Last: a side that changed meanwhile must not be listed as it is now.
    let beside = beside(root, &found.path, &found.place);
    (found.fingerprint == Fingerprint { beside, ..fingerprint(&metadata) }).then_some(out)
}

/// Whether the file system changes the times of a folder with every name in it. Those on this computer do; of others,
/// such as buckets and folders of another system, it is not known.
#[cfg(target_os = "linux")]
fn keeps_times(folder: &Path) -> bool {
    const KNOWN: [u64; 9] = [
        0xEF53,      // ext2 to ext4
        0x5846_5342, // xfs
        0x9123_683E, // btrfs
        0xF2F5_2010, // f2fs
        0x2FC1_2FC1, // zfs
        0xCA45_1A4E, // bcachefs
        0x0102_1994, // tmpfs
        0x8584_58F6, // ramfs
        0x794C_7630, // overlayfs
    ];
    let kind = rustix::fs::statfs(folder).ok().and_then(|it| u64::try_from(it.f_type).ok());
    kind.is_some_and(|it| KNOWN.contains(&it))
}

#[cfg(not(target_os = "linux"))]
fn keeps_times(_: &Path) -> bool {
    false
}

fn state_of_path(path: &Path) -> io::Result<Option<State>> {
    match std::fs::symlink_metadata(path) {
        Ok(metadata) => Ok(Some(state_of(&metadata))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn state_of(it: &std::fs::Metadata) -> State {
    let time = |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
    let modified = time(it.mtime(), it.mtime_nsec()).cast_unsigned();
    let changed = time(it.ctime(), it.ctime_nsec()).cast_unsigned();
    State([it.dev(), it.ino(), it.size(), modified, changed])
}

/// The whole as bytes; `None` if a path is longer than any may be.
fn encoded(homes: &[Home], all: &States) -> Option<Vec<u8>> {
    let mut out = name_of(homes).to_vec();
    let all: Vec<_> = all.iter().collect();
    for chunk in all.chunks(BLOCK) {
        let mut block = Vec::new();
        let mut before = "";
        for (path, state) in chunk {
            encode(&mut block, (before, path), **state)?;
            before = path;
        }
        out.extend(u32::try_from(block.len()).ok()?.to_le_bytes());
        out.extend(block);
    }
    Some(out)
}

fn encode(out: &mut Vec<u8>, (before, path): (&str, &str), state: Option<State>) -> Option<()> {
    let shared = before.bytes().zip(path.bytes()).take_while(|(a, b)| a == b).count();
    let suffix = path.as_bytes().get(shared..)?;
    out.extend(u16::try_from(shared).ok()?.to_le_bytes());
    out.extend(u16::try_from(suffix.len()).ok()?.to_le_bytes());
    out.extend(suffix);
    out.push(u8::from(state.is_some()));
    for number in state.iter().flat_map(|it| it.0) {
        out.extend(number.to_le_bytes());
    }
    Some(())
}

fn take<'b>(bytes: &mut &'b [u8], length: usize) -> Option<&'b [u8]> {
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

fn take_block<'b>(bytes: &mut &'b [u8]) -> Option<&'b [u8]> {
    let length = u32::from_le_bytes(take(bytes, 4)?.try_into().ok()?);
    take(bytes, usize::try_from(length).ok()?)
}

fn take_u16(bytes: &mut &[u8]) -> Option<u16> {
    Some(u16::from_le_bytes(take(bytes, 2)?.try_into().ok()?))
}

fn take_state(bytes: &mut &[u8]) -> Option<Option<State>> {
    let [is_there] = take(bytes, 1)? else { return None };
    if *is_there == 0 {
        return Some(None);
    }
    let mut numbers = [0; 5];
    for number in &mut numbers {
        *number = u64::from_le_bytes(take(bytes, 8)?.try_into().ok()?);
    }
    Some(Some(State(numbers)))
}
