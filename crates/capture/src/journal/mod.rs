//! The journal: observations of hooks, registries and probes, in the order they arrived.
//!
//! A reporter writes one small file into the spool and is done; it never waits. The one writer moves the
//! spool into a segment for each agent and day, and segments are read like any other source. A file that
//! was appended to a segment and not yet removed is appended again, under the same nonce.

mod segments;
mod tail;

pub use segments::{JournalLimits, keep_journal, purge_journal};
pub use tail::Since;

use crate::Home;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use taffrail_adapters::{Adapter, by_id, owners};
use taffrail_model::RuntimeIdentity;
use taffrail_model::journal::{self, Entry};

/// The spool, below the data folder.
const SPOOL: &str = "journal/spool";
/// A larger file is not one of ours.
const ENTRY_LIMIT: u64 = 1024 * 1024;

/// Writes an entry into the spool atomically.
///
/// # Errors
/// When the folder cannot be created or written.
pub fn spool(data: &Path, entry: &Entry<'_>) -> io::Result<()> {
    let folder = data.join(SPOOL);
    let name = format!("{:020}-{}", entry.at.as_microsecond().max(0), entry.nonce);
    let mut bytes = serde_json::to_vec(entry)?;
    bytes.push(b'\n');
    let hidden = folder.join(format!(".{name}"));
    let written = write(&hidden, &bytes).or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => {
            DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
            write(&hidden, &bytes)
        }
        _ => Err(error),
    });
    written?;
    fs::rename(&hidden, folder.join(format!("{name}.json")))
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(bytes)
}

/// Creates the spool folder, so that it can be watched.
///
/// # Errors
/// When the folder cannot be created.
pub fn make_spool(data: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(data.join(SPOOL))
}

/// Whether the spool holds entries.
#[must_use]
pub fn is_spooled(data: &Path) -> bool {
    let entries = fs::read_dir(data.join(SPOOL)).into_iter().flatten().flatten();
    entries.into_iter().any(|it| it.file_name().to_str().is_some_and(is_entry))
}

/// Whether a file of the spool is an entry, and not one that is being written or was set aside.
fn is_entry(name: &str) -> bool {
    name.ends_with(".json") && !name.starts_with('.')
}

/// The folder to watch for new entries.
#[must_use]
pub fn spool_folder(data: &Path) -> PathBuf {
    data.join(SPOOL)
}

/// Moves the spool's entries into segments, in order of time; returns the segments it appended to. Entries
/// about sessions that `is_left_out` selects are dropped. An entry that names the store of its session
/// gets this device.
///
/// # Errors
/// When a segment cannot be written. A file that is not an entry is renamed to `.broken`.
pub fn gather(data: &Path, device: &str, is_left_out: LeftOut<'_>) -> io::Result<Vec<PathBuf>> {
    let mut names = match fs::read_dir(data.join(SPOOL)) {
        Ok(entries) => entries.filter_map(|it| it.ok()?.file_name().into_string().ok()).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    names.retain(|it| is_entry(it));
    names.sort();
    let mut segments = Vec::new();
    for name in &names {
        let segment = gather_one((data, device), &data.join(SPOOL).join(name), is_left_out)?;
        segments.extend(segment.filter(|it| segments.last() != Some(it)));
    }
    Ok(segments)
}

/// Selects sessions whose entries are dropped; `None` keeps all entries.
pub type LeftOut<'a> = Option<&'a dyn Fn(&RuntimeIdentity) -> bool>;

fn gather_one(
    (data, device): (&Path, &str),
    path: &Path,
    is_left_out: LeftOut<'_>,
) -> io::Result<Option<PathBuf>> {
    let is_small =
        fs::symlink_metadata(path).is_ok_and(|it| it.is_file() && it.len() < ENTRY_LIMIT);
    let bytes = if is_small { fs::read(path)? } else { Vec::new() };
    let Some((adapter, segment)) = segment_of(&bytes) else {
        fs::rename(path, path.with_extension("broken"))?;
        return Ok(None);
    };
    let bytes = placed(bytes, device);
    if is_left_out.is_some_and(|it| segments::speaks_of(adapter, &bytes).iter().any(it)) {
        fs::remove_file(path)?;
        return Ok(None);
    }
    let segment = data.join(segment);
    if let Some(folder) = segment.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    append(&segment, &bytes)?;
    fs::remove_file(path)?;
    Ok(Some(segment))
}

/// The entry with its device, if it names the store of its session.
fn placed(bytes: Vec<u8>, device: &str) -> Vec<u8> {
    let with_device = || {
        let mut entry: Entry<'_> = serde_json::from_slice(&bytes).ok()?;
        entry.store.as_mut()?.device = Some(device.to_owned());
        let mut out = serde_json::to_vec(&entry).ok()?;
        out.push(b'\n');
        Some(out)
    };
    with_device().unwrap_or(bytes)
}

/// Appends lines to a segment. A line that a crash left unfinished is ended first.
fn append(segment: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file =
        OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(segment)?;
    if ends_torn(&file)? {
        file.write_all(b"\n")?;
    }
    file.write_all(bytes)
}

fn ends_torn(file: &File) -> io::Result<bool> {
    use std::os::unix::fs::FileExt;
    let length = file.metadata()?.len();
    let mut last = [b'\n'];
    if let Some(at) = length.checked_sub(1) {
        file.read_exact_at(&mut last, at)?;
    }
    Ok(last != [b'\n'])
}

/// The segment of an entry, if the bytes are one line with an entry of a known agent.
fn segment_of(bytes: &[u8]) -> Option<(&'static dyn Adapter, String)> {
    let line = bytes.strip_suffix(b"\n")?;
    let entry: Entry<'_> = serde_json::from_slice(line).ok()?;
    let adapter = by_id(entry.agent.as_str())?;
    let day = entry.at.to_string().get(..10)?.to_owned();
    (!line.contains(&b'\n')).then(|| (adapter, journal::segment(adapter.descriptor().id, &day)))
}

/// The journal of each agent, as an additional home of that agent.
#[must_use]
pub fn journal_homes(data: &Path) -> Vec<Home> {
    // Before the first run there is no folder of ours.
    let Ok(root) = data.canonicalize() else { return Vec::new() };
    let home = |adapter| Home { adapter, root: root.clone(), journal: true };
    owners().map(home).collect()
}
