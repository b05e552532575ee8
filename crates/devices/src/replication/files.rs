//! The files that what other devices told is kept in: one a session, its lines in the order of the
//! stream they came in, each place once. So whatever the order of hearing, the bytes are the same, and
//! what a device says in another life takes nothing away from what it said before.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use taffrail_context::{atomic_write as replace, remove_file};
use taffrail_model::replication::{FOLDER, LINE_LIMIT, Order, file, is_share};
use taffrail_model::{DeviceId, SessionId, hash};

/// The most bytes that are kept of one session of another device.
pub(super) const FILE_LIMIT: u64 = 256 * 1024 * 1024;

/// So much is looked at for the last line first.
const SHORT: u64 = 8 * 1024;

/// Lines by where they stand.
pub(super) type Lines = BTreeMap<Order, String>;

/// The folder of what a device told.
pub fn folder(data: &Path, device: &DeviceId) -> PathBuf {
    data.join(FOLDER).join(device.as_str())
}

/// The session a folder is of, where it is of one alone.
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

/// How many shares of a device something is held of.
pub(super) fn held_shares(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let shares = entries.filter(|it| it.file_name().to_str().is_some_and(is_share));
    let holds = |path: PathBuf| {
        let files = fs::read_dir(path).into_iter().flatten().flatten();
        files.filter_map(|it| it.file_name().into_string().ok()).any(|it| it.ends_with(".jsonl"))
    };
    shares.filter(|it| holds(it.path())).count()
}

/// Adds lines; gives how many were new. They are on disk when this returns.
pub(super) fn add(folder: &Path, session: SessionId, mut new: Lines) -> io::Result<u64> {
    let gone = taken_back(folder, session)?;
    new.retain(|order, _| Some(*order) > gone);
    let (Some(first), path) = (new.keys().next().copied(), folder.join(file(session))) else {
        return Ok(0);
    };
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let added = match last_order(&path)? {
        End::At(last) if last < Some(first) => append(&path, &new)?,
        End::At(_) | End::Torn => merge(&path, new)?,
    };
    if added > 0 {
        File::open(folder)?.sync_all()?;
    }
    Ok(added)
}

/// Takes everything back up to here; `true` when that was not taken back before.
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

/// Up to where a session was taken back; nothing where it was not.
fn taken_back(folder: &Path, session: SessionId) -> io::Result<Option<Order>> {
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
    /// With the line that stands here; nothing for none.
    At(Option<Order>),
    /// Within a line, or with one that is none.
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

/// Where the last line statuses_of, if that is not longer than so.
fn end_within(file: &mut File, (length, most): (u64, u64)) -> io::Result<End> {
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(length.saturating_sub(most)))?;
    file.read_to_end(&mut tail)?;
    let last = tail.strip_suffix(b"\n").and_then(|it| it.rsplit(|byte| *byte == b'\n').next());
    Ok(last.and_then(Order::of).map_or(End::Torn, |it| End::At(Some(it))))
}

fn append(path: &Path, new: &Lines) -> io::Result<u64> {
    let bytes = joined(new);
    let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
    if file.metadata()?.len() + bytes.len() as u64 > FILE_LIMIT {
        return Ok(0);
    }
    file.write_all(&bytes)?;
    file.sync_all()?;
    Ok(new.len() as u64)
}

/// Puts lines where they belong among those that are there.
fn merge(path: &Path, new: Lines) -> io::Result<u64> {
    let mut all = read(path)?;
    let mut added = 0;
    for (order, line) in new {
        // Two lines of one number whose life nobody knows: which stands must not depend on which came first.
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
    let lines = bytes.split(|byte| *byte == b'\n');
    let placed = |line: &[u8]| {
        let text = std::str::from_utf8(line).ok()?.to_owned();
        Some((Order::of(line)?, text))
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
