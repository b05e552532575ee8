//! The files that hold what other devices published: one file per session, its lines in the order
//! of their stream, each position once. So the bytes do not depend on the order of arrival, and a
//! new life of a device's stream removes nothing from an earlier one.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use taffrail_context::{atomic_write as replace, remove_file};
use taffrail_model::replication::{FOLDER, LINE_LIMIT, Order, file, is_share};
use taffrail_model::{DeviceId, SessionId, hash};

/// The most bytes that are stored of one session of another device.
pub(super) const FILE_LIMIT: u64 = 256 * 1024 * 1024;

/// How many bytes at the end are searched for the last line first.
const SHORT: u64 = 8 * 1024;

/// Lines by their position.
pub(super) type Lines = BTreeMap<Order, String>;

/// Whether lines must be on disk when they were added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Durability {
    Now,
    /// They come again: it is enough if they are there soon.
    Soon,
}

/// The folder of a device's data.
pub(super) fn folder(data: &Path, device: &DeviceId) -> PathBuf {
    data.join(FOLDER).join(device.as_str())
}

/// The session of a folder that holds only one.
pub(super) fn only_session(folder: &Path) -> io::Result<Option<SessionId>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let names = entries.flatten().filter_map(|it| it.file_name().into_string().ok());
    let mut sessions = names.filter_map(|it| SessionId::parse(it.split_once('.')?.0));
    Ok(sessions.next())
}

/// How many shares of a device are stored.
pub(super) fn held_shares(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let shares = entries.filter(|it| it.file_name().to_str().is_some_and(is_share));
    let holds = |path: PathBuf| {
        let files = fs::read_dir(path).into_iter().flatten().flatten();
        files.filter_map(|it| it.file_name().into_string().ok()).any(|it| it.ends_with(".jsonl"))
    };
    shares.filter(|it| holds(it.path())).count()
}

/// Adds lines and returns how many were new.
pub(super) fn add(
    folder: &Path,
    session: SessionId,
    mut new: Lines,
    durability: Durability,
) -> io::Result<u64> {
    let gone = taken_back(folder, session)?;
    new.retain(|order, _| Some(*order) > gone);
    let (Some(first), path) = (new.keys().next().copied(), folder.join(file(session))) else {
        return Ok(0);
    };
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let added = match last_order(&path)? {
        End::At(last) if last < Some(first) => append(&path, &new, durability)?,
        End::At(_) | End::Torn => merge(&path, new)?,
    };
    if added > 0 && durability == Durability::Now {
        File::open(folder)?.sync_all()?;
    }
    Ok(added)
}

/// Removes everything up to this position; `true` if that was not removed before.
pub(super) fn take_back(folder: &Path, session: SessionId, order: Order) -> io::Result<bool> {
    if taken_back(folder, session)? >= Some(order) {
        return Ok(false);
    }
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    replace(&gone_path(folder, session), order.to_string().as_bytes())?;
    let path = folder.join(file(session));
    let mut left = read(&path)?;
    left.retain(|it, _| *it > order);
    match left.is_empty() {
        true => remove_file(&path)?,
        false => replace(&path, &joined(&left))?,
    }
    File::open(folder)?.sync_all()?;
    Ok(true)
}

/// The position up to which a session was removed, if it was.
pub(super) fn taken_back(folder: &Path, session: SessionId) -> io::Result<Option<Order>> {
    match fs::read_to_string(gone_path(folder, session)) {
        Ok(text) => Ok(Order::parse(text.trim())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn gone_path(folder: &Path, session: SessionId) -> PathBuf {
    folder.join(format!("{}.gone", hash::to_hex(session.as_bytes())))
}

/// How a file ends.
enum End {
    /// With the line at this position; `None` for an empty file.
    At(Option<Order>),
    /// In the middle of a line, or with an invalid one.
    Torn,
}

fn last_order(path: &Path) -> io::Result<End> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(End::At(None)),
        Err(error) => return Err(error),
    };
    let length = file.metadata()?.len();
    if length == 0 {
        return Ok(End::At(None));
    }
    // Nearly every line is short.
    match end_within(&mut file, (length, SHORT))? {
        End::Torn if length > SHORT => end_within(&mut file, (length, LINE_LIMIT as u64 + 2)),
        end => Ok(end),
    }
}

/// The position of the last line, if the line fits into this many bytes.
fn end_within(file: &mut File, (length, most): (u64, u64)) -> io::Result<End> {
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(length.saturating_sub(most)))?;
    file.read_to_end(&mut tail)?;
    let last = tail.strip_suffix(b"\n").and_then(|it| it.rsplit(|byte| *byte == b'\n').next());
    Ok(last.and_then(Order::of).map_or(End::Torn, |it| End::At(Some(it))))
}

fn append(path: &Path, new: &Lines, durability: Durability) -> io::Result<u64> {
    let bytes = joined(new);
    let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
    if file.metadata()?.len() + bytes.len() as u64 > FILE_LIMIT {
        return Ok(0);
    }
    file.write_all(&bytes)?;
    if durability == Durability::Now {
        file.sync_all()?;
    }
    Ok(new.len() as u64)
}

/// Merges lines into those that are there.
fn merge(path: &Path, new: Lines) -> io::Result<u64> {
    let mut all = read(path)?;
    let mut added = 0;
    for (order, line) in new {
        // Two lines have the same number in an unknown life: the choice must not depend on the
        // order of arrival.
        if all.get(&order).is_none_or(|known| *known < line) {
            all.insert(order, line);
            added += 1;
        }
    }
    let bytes = joined(&all);
    let fits = bytes.len() as u64 <= FILE_LIMIT;
    let is_same = fs::read(path).is_ok_and(|before| before == bytes);
    if fits && !is_same {
        replace(path, &bytes)?;
    }
    Ok(if fits { added } else { 0 })
}

fn read(path: &Path) -> io::Result<Lines> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Lines::new()),
        Err(error) => return Err(error),
    };
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    let placed = |line: &[u8]| {
        let (line, order) = match line.strip_suffix(b"\n") {
            Some(line) => (line, Order::of_whole(line)),
            None => (line, Order::of(line)),
        };
        Some((order?, std::str::from_utf8(line).ok()?.to_owned()))
    };
    Ok(lines.filter_map(placed).collect())
}

fn joined(lines: &Lines) -> Vec<u8> {
    let mut out = Vec::new();
    for line in lines.values() {
        out.extend_from_slice(line.as_bytes());
        out.push(b'\n');
    }
    out
}
