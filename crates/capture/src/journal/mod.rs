//! The journal: what hooks, registries and probes said, written down as it came.
//!
//! Whoever has something to say writes one small file into the spool and is done; nobody waits for
//! anybody. The one writer gathers the spool into a segment for each agent and day, and segments are
//! read like any other source. A file that was gathered and not removed is gathered again, and says
//! the same thing under the same nonce.

mod segments;
mod since;

pub use segments::{JournalLimits, keep_journal, purge_journal};
pub use since::Since;

use crate::Home;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use taffrail_adapters::{Adapter, Encoding, Place, Reader, Shape, Source, by_id, owners};
use taffrail_model::RuntimeIdentity;
use taffrail_model::journal::{self, Entry, FOLDER};

/// Where entries wait, below our data.
const SPOOL: &str = "journal/spool";
/// Larger files were not written by us.
const ENTRY_LIMIT: u64 = 1024 * 1024;

/// Writes an entry into the spool: whole or not at all.
///
/// # Errors
/// When the folder cannot be made or written.
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

/// Makes the folder that entries are written to, so that it can be watched.
///
/// # Errors
/// When it cannot be made.
pub fn make_spool(data: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(data.join(SPOOL))
}

/// Something waits in the spool.
#[must_use]
pub fn is_spooled(data: &Path) -> bool {
    let entries = fs::read_dir(data.join(SPOOL)).into_iter().flatten().flatten();
    entries.into_iter().any(|it| it.path().extension().is_some_and(|it| it == "json"))
}

/// The folder to watch for new entries.
#[must_use]
pub fn spool_folder(data: &Path) -> PathBuf {
    data.join(SPOOL)
}

/// Gathers what waits in the spool into segments, in the order it was said; gives those it added to.
/// What speaks of a session that is left out is dropped.
///
/// # Errors
/// When a segment cannot be written. What cannot be read as an entry is set aside.
pub fn gather(data: &Path, is_left_out: LeftOut<'_>) -> io::Result<Vec<PathBuf>> {
    let mut names = match fs::read_dir(data.join(SPOOL)) {
        Ok(entries) => entries.filter_map(|it| it.ok()?.file_name().into_string().ok()).collect(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    names.retain(|it| it.ends_with(".json") && !it.starts_with('.'));
    names.sort();
    let mut segments = Vec::new();
    for name in &names {
        let segment = gather_one(data, &data.join(SPOOL).join(name), is_left_out)?;
        segments.extend(segment.filter(|it| segments.last() != Some(it)));
    }
    Ok(segments)
}

/// Whether nothing said of a session is to be kept; none where everything is.
pub type LeftOut<'a> = Option<&'a dyn Fn(&RuntimeIdentity) -> bool>;

fn gather_one(data: &Path, path: &Path, is_left_out: LeftOut<'_>) -> io::Result<Option<PathBuf>> {
    let is_small =
        fs::symlink_metadata(path).is_ok_and(|it| it.is_file() && it.len() < ENTRY_LIMIT);
    let bytes = if is_small { fs::read(path)? } else { Vec::new() };
    let Some((adapter, segment)) = segment_of(&bytes) else {
        fs::rename(path, path.with_extension("broken"))?;
        return Ok(None);
    };
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

/// Adds lines to a segment; a line torn by a crash is ended first.
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

/// The segment an entry belongs to, if it is one, on one line, of an agent we know.
fn segment_of(bytes: &[u8]) -> Option<(&'static dyn Adapter, String)> {
    let line = bytes.strip_suffix(b"\n")?;
    let entry: Entry<'_> = serde_json::from_slice(line).ok()?;
    let adapter = by_id(entry.agent.as_str())?;
    let day = entry.at.to_string().get(..10)?.to_owned();
    (!line.contains(&b'\n')).then(|| (adapter, journal::segment(adapter.descriptor().id, &day)))
}

/// Where the journal of each agent is, as one more home of it.
#[must_use]
pub fn journal_homes(data: &Path) -> Vec<Home> {
    let Ok(root) = data.canonicalize() else { return Vec::new() };
    let home = |adapter| Home { adapter, root: root.clone(), journal: true };
    owners().map(home).collect()
}

/// The folder of an agent's journal below our data.
pub(crate) fn folder_of(adapter: &dyn Adapter) -> String {
    format!("{FOLDER}/{}", adapter.descriptor().id)
}

/// What a file below a home is, be it history or journal.
pub(crate) fn place(adapter: &dyn Adapter, path: &str) -> Option<Place> {
    let Some(locator) = journal::locator(path) else { return adapter.place(path) };
    let encoding = if path.ends_with(".zst") { Encoding::Zstd } else { Encoding::Plain };
    let (shape, session, beside) = (Shape::Lines(encoding), None, Vec::new());
    Some(Place { shape, locator, session, is_worker: false, rank: 0, beside })
}

/// The reader for a source, be it history or journal.
pub(crate) fn reader(
    adapter: &dyn Adapter,
    source: &Source<'_>,
    saved: Option<&str>,
) -> Box<dyn Reader> {
    match journal::locator(source.path) {
        Some(_) => adapter.journal(),
        None => adapter.reader(source, saved),
    }
}
