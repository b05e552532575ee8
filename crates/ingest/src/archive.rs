//! Inspects the archive, and keeps it within its limits.

use crate::scope::Mode;
use crate::session_lookup::resolve_stored;
use std::collections::HashMap;
use std::io::Write;
use std::ops::RangeInclusive;
use std::path::Path;
use std::time::SystemTime;
use taffrail_api::{ArchiveCheck, ArchiveEntry, ArchiveReport, PruneReport, SCHEMA_VERSION};
use taffrail_context::{Error, Settings, Target, TargetError};
use taffrail_model::Timestamp;
use taffrail_store::archive::{Archive, Entry};
use taffrail_store::{IndexReader, Writer};

/// The default limit of the archive in bytes.
const CAP: u64 = 10_000_000_000;
/// The archive also takes at most one in this many bytes of the disk.
const DISK_PART: u64 = 20;
/// The limit is checked after reading this fraction of it, within bounds.
const CAP_CHECK_PART: u64 = 16;
const CAP_CHECK_BYTES: RangeInclusive<u64> = 1024 * 1024..=256 * 1024 * 1024;

/// Reports the content of the archive; each copy too, if requested.
///
/// # Errors
/// When the archive cannot be read.
pub fn archive(settings: &Settings, with_entries: bool) -> Result<ArchiveReport, Error> {
    let archive = Archive::new(&settings.data);
    let listing = archive.all()?;
    let copies = copies(&listing.entries);
    let sources = copies.iter().filter(|it| it.is_newest).count() as u64;
    let gone = copies.iter().filter(|it| it.is_last()).count() as u64;
    let sum = |bytes: fn(&Entry) -> u64| listing.entries.iter().map(bytes).sum();
    Ok(ArchiveReport {
        schema_version: SCHEMA_VERSION,
        enabled: settings.archive.enabled,
        folder: settings.data.join("archive").to_string_lossy().into_owned(),
        kept_bytes: sum(|it| it.kept_bytes),
        disk_bytes: sum(|it| it.disk_bytes),
        cap_bytes: cap(settings),
        sources,
        gone,
        older_editions: listing.entries.len() as u64 - sources,
        skipped: listing.skipped,
        entries: match with_entries {
            true => listing.entries.iter().map(entry).collect(),
            false => Vec::new(),
        },
    })
}

/// A copy, and whether it is the newest of its source.
struct Copy<'a> {
    entry: &'a Entry,
    is_newest: bool,
}

impl Copy<'_> {
    /// Whether it is the newest copy of a source that is gone.
    fn is_last(&self) -> bool {
        self.is_newest && !exists(self.entry)
    }
}

fn copies(entries: &[Entry]) -> Vec<Copy<'_>> {
    let place = |it: &Entry| {
        let label = it.label.clone();
        (label.agent, label.home, label.path, label.key)
    };
    let mut newest = HashMap::new();
    for entry in entries {
        let known = newest.entry(place(entry)).or_insert(entry.edition);
        *known = entry.edition.max(*known);
    }
    let is_newest = |it: &Entry| newest.get(&place(it)) == Some(&it.edition);
    entries.iter().map(|entry| Copy { entry, is_newest: is_newest(entry) }).collect()
}

fn exists(entry: &Entry) -> bool {
    Path::new(&entry.label.home).join(&entry.label.path).exists()
}

fn entry(it: &Entry) -> ArchiveEntry {
    let path = Path::new(&it.label.home).join(&it.label.path);
    ArchiveEntry {
        agent: it.label.agent.to_string(),
        source_uri: it.label.locator.clone(),
        source_exists: path.exists(),
        path: path.to_string_lossy().into_owned(),
        edition: it.edition,
        kept_bytes: it.kept_bytes,
        disk_bytes: it.disk_bytes,
        modified_at: Timestamp::try_from(it.modified).ok(),
    }
}

/// The most bytes that the archive may take.
fn cap(settings: &Settings) -> u64 {
    settings.archive.cap.unwrap_or_else(|| {
        let disk = Archive::new(&settings.data).disk_bytes();
        disk.map_or(CAP, |disk| CAP.min(disk / DISK_PART))
    })
}

/// Verifies every copy; truncates damaged ones.
///
/// # Errors
/// When another program writes or the archive cannot be read.
pub fn verify_archive(settings: &Settings) -> Result<ArchiveCheck, Error> {
    let _writer = Writer::open(&settings.data, settings.boot())?;
    let verdict = Archive::new(&settings.data).verify_all(None)?;
    let schema_version = SCHEMA_VERSION;
    Ok(ArchiveCheck { schema_version, checked: verdict.checked, cut: verdict.cut })
}

/// Writes the archived bytes of a session's main source.
///
/// # Errors
/// When there is no such session or no copy, or it cannot be written.
pub fn archived_bytes(
    settings: &Settings,
    target: &Target,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let session = resolve_stored(settings, target)?;
    let nothing = || TargetError::NotArchived(session.id.to_string());
    let Some(index) = IndexReader::open(&settings.data)? else { return Err(nothing().into()) };
    let sources = index.sources_of(session.row)?;
    let main = sources.iter().find(|it| it.state.locator == session.source_uri);
    let state = &main.or(sources.first()).ok_or_else(nothing)?.state;
    let volume = Archive::new(&settings.data).find(state.into())?;
    let mut volume = volume.ok_or_else(nothing)?;
    std::io::copy(&mut volume.reader(), out)
        .map(drop)
        .map_err(|error| taffrail_store::StoreError::from(error).into())
}

/// Which copies to drop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prune {
    /// Editions other than the newest of their source.
    OlderEditions,
    /// Copies that did not grow since this time, and older editions.
    Before(SystemTime),
}

/// Removes copies, or reports what would be removed.
///
/// # Errors
/// When another program writes or the archive cannot be changed.
pub fn prune_archive(settings: &Settings, which: Prune, mode: Mode) -> Result<PruneReport, Error> {
    let mut writer = Writer::open(&settings.data, settings.boot())?;
    let entries = Archive::new(&settings.data).all()?.entries;
    let chosen = chosen(&entries, which);
    let gone = chosen.iter().filter(|it| it.is_last()).count() as u64;
    if mode == Mode::Do {
        drop_copies(settings, &mut writer, &chosen)?;
    }
    Ok(PruneReport {
        schema_version: SCHEMA_VERSION,
        done: mode == Mode::Do,
        copies: chosen.len() as u64,
        gone,
        disk_bytes: chosen.iter().map(|it| it.entry.disk_bytes).sum(),
    })
}

/// Removes copies with an open writer.
pub(crate) fn prune(settings: &Settings, writer: &mut Writer, which: Prune) -> Result<(), Error> {
    let entries = Archive::new(&settings.data).all()?.entries;
    drop_copies(settings, writer, &chosen(&entries, which))
}

fn chosen(entries: &[Entry], which: Prune) -> Vec<Copy<'_>> {
    let mut chosen = copies(entries);
    chosen.retain(|it| match which {
        Prune::OlderEditions => !it.is_newest,
        Prune::Before(instant) => !it.is_newest || it.entry.modified < instant,
    });
    chosen
}

fn drop_copies(settings: &Settings, writer: &mut Writer, chosen: &[Copy<'_>]) -> Result<(), Error> {
    let archive = Archive::new(&settings.data);
    writer.begin()?;
    for Copy { entry, is_newest } in chosen {
        archive.remove_edition(entry.label.address(), entry.edition)?;
        if *is_newest {
            let label = &entry.label;
            writer.drop_copy((&label.home, &label.path, &label.key))?;
        }
    }
    writer.commit((settings.now)())?;
    Ok(())
}

/// Keeps the archive below its limit: removes older editions first, then the copies that did not
/// grow for the longest time. Checks only after much was read.
pub(crate) fn keep_within_cap(
    settings: &Settings,
    writer: &mut Writer,
    read: u64,
) -> Result<Option<u64>, Error> {
    let cap = cap(settings);
    let enough = (cap / CAP_CHECK_PART).clamp(*CAP_CHECK_BYTES.start(), *CAP_CHECK_BYTES.end());
    if !writer.note_read(read, enough)? {
        return Ok(None);
    }
    let entries = Archive::new(&settings.data).all()?.entries;
    let mut total: u64 = entries.iter().map(|it| it.disk_bytes).sum();
    if total <= cap {
        return Ok(None);
    }
    let mut chosen = copies(&entries);
    chosen.sort_by_key(|it| (it.is_newest, it.entry.modified));
    let over = |it: &Copy<'_>| {
        let over = total > cap;
        total = total.saturating_sub(it.entry.disk_bytes);
        over
    };
    let enough = chosen.iter().map(over).take_while(|over| *over).count();
    chosen.truncate(enough);
    drop_copies(settings, writer, &chosen)?;
    Ok(Some(chosen.len() as u64))
}
