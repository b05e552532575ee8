//! The files that what other devices told is kept in: one a session, its lines in the order of their
//! numbers, each number once. So whatever the order of hearing, the bytes are the same.

use std::collections::BTreeMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use taffrail_model::relay::{FOLDER, LINE_LIMIT, Relayed, file, is_share};
use taffrail_model::{DeviceId, SessionId, hash};
use tempfile::{Builder, NamedTempFile};

/// The most bytes that are kept of one session of another device.
pub(super) const FILE_LIMIT: u64 = 256 * 1024 * 1024;

/// So much is looked at for the last line first.
const SHORT: u64 = 8 * 1024;

/// Lines by their numbers.
pub(super) type Lines = BTreeMap<u64, String>;

/// The folder of what a device told.
pub(crate) fn folder(data: &Path, device: &DeviceId) -> PathBuf {
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
    new.retain(|number, _| *number > gone);
    let (Some(first), path) = (new.keys().next().copied(), folder.join(file(session))) else {
        return Ok(0);
    };
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let added = match last_number(&path)? {
        End::Before(last) if last < first => append(&path, &new)?,
        End::Before(_) | End::Torn => merge(&path, new)?,
    };
    if added > 0 {
        File::open(folder)?.sync_all()?;
    }
    Ok(added)
}

/// Takes everything back that has this number or a smaller one; `true` when there was anything.
pub(super) fn take_back(folder: &Path, session: SessionId, number: u64) -> io::Result<bool> {
    if taken_back(folder, session)? >= number {
        return Ok(false);
    }
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    replace(&gone_path(folder, session), number.to_string().as_bytes())?;
    let path = folder.join(file(session));
    let mut left = read(&path)?;
    left.retain(|it, _| *it > number);
    match left.is_empty() {
        true => remove(&path)?,
        false => replace(&path, &joined(&left))?,
    }
    File::open(folder)?.sync_all()?;
    Ok(true)
}

/// The number up to which a session was taken back; 0 where it was not.
fn taken_back(folder: &Path, session: SessionId) -> io::Result<u64> {
    match fs::read_to_string(gone_path(folder, session)) {
        Ok(text) => Ok(text.trim().parse().unwrap_or(0)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(error),
    }
}

fn gone_path(folder: &Path, session: SessionId) -> PathBuf {
    folder.join(format!("{}.gone", hash::to_hex(session.as_bytes())))
}

/// How a file ends.
enum End {
    /// With the line of this number; 0 for none.
    Before(u64),
    /// Within a line, or with one that is none.
    Torn,
}

fn last_number(path: &Path) -> io::Result<End> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(End::Before(0)),
        Err(error) => return Err(error),
    };
    let length = file.metadata()?.len();
    if length == 0 {
        return Ok(End::Before(0));
    }
    // Nearly every line is short.
    match end_within(&mut file, (length, SHORT))? {
        End::Torn if length > SHORT => end_within(&mut file, (length, LINE_LIMIT as u64 + 2)),
        end => Ok(end),
    }
}

/// The number of the last line, if that is not longer than so.
fn end_within(file: &mut File, (length, most): (u64, u64)) -> io::Result<End> {
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(length.saturating_sub(most)))?;
    file.read_to_end(&mut tail)?;
    let last = tail.strip_suffix(b"\n").and_then(|it| it.rsplit(|byte| *byte == b'\n').next());
    Ok(last.and_then(Relayed::read).map_or(End::Torn, |it| End::Before(it.number)))
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
    for (number, line) in new {
        // Two lines of one number: which stands must not depend on which came first.
        if all.get(&number).is_none_or(|known| *known < line) {
            all.insert(number, line);
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
    let numbered = |line: &[u8]| {
        let text = std::str::from_utf8(line).ok()?.to_owned();
        Some((Relayed::read(line)?.number, text))
    };
    Ok(lines.filter_map(numbered).collect())
}

fn joined(lines: &Lines) -> Vec<u8> {
    let mut out = Vec::new();
    for line in lines.values() {
        out.extend_from_slice(line.as_bytes());
        out.push(b'\n');
    }
    out
}

/// Writes a file whole or not at all, for this user alone.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let file = written(path, bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

fn written(path: &Path, bytes: &[u8]) -> io::Result<NamedTempFile> {
    let folder = path.parent().unwrap_or(path);
    // By its name it belongs to no source.
    let mut file = Builder::new().prefix("new-").tempfile_in(folder)?;
    file.write_all(bytes)?;
    Ok(file)
}

pub(super) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}
