//! Keeps the journal's segments within bounds: compresses past days, deletes old ones, and removes entries of
//! forgotten sessions.

use crate::source::folder_of;
use crate::zstd::unzstd;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use taffrail_adapters::{Adapter, all, by_id};
use taffrail_model::{
    Cursor, Draft, EventId, NewUsage, Record, RuntimeIdentity, Sink, Timestamp, TurnId,
};

/// The compression level of a past day.
const LEVEL: i32 = 3;

/// How much of the journal is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JournalLimits {
    /// Days, today included.
    pub days: u32,
    /// Bytes on disk.
    pub bytes: u64,
}

impl Default for JournalLimits {
    fn default() -> Self {
        Self { days: 30, bytes: 200 * 1024 * 1024 }
    }
}

/// A day of one agent's journal.
struct Segment {
    path: PathBuf,
    day: String,
    bytes: u64,
}

/// Compresses past days and deletes segments that are too old or exceed the limit, the oldest first.
///
/// # Errors
/// When a segment cannot be compressed or removed.
pub fn keep_journal(data: &Path, limits: JournalLimits, now: Timestamp) -> io::Result<()> {
    let today = day_of(now.as_second());
    let days = i64::from(limits.days.saturating_sub(1));
    let first = day_of(now.as_second().saturating_sub(days.saturating_mul(86_400)));
    for segment in segments(data) {
        let is_plain = segment.path.extension().is_some_and(|it| it == "jsonl");
        if segment.day < first {
            fs::remove_file(&segment.path)?;
        } else if is_plain && segment.day < today {
            pack(&segment.path)?;
        }
    }
    drop_most(data, limits.bytes, &today)
}

fn drop_most(data: &Path, bytes: u64, today: &str) -> io::Result<()> {
    let mut left = segments(data);
    left.sort_by(|a, b| b.day.cmp(&a.day));
    let mut total = 0_u64;
    for segment in left {
        total = total.saturating_add(segment.bytes);
        if total > bytes && segment.day.as_str() < today {
            fs::remove_file(&segment.path)?;
        }
    }
    Ok(())
}

/// Removes every entry about a session that `is_meant` selects; returns the number of entries.
///
/// # Errors
/// When a segment cannot be read or written. Segments before it are done.
pub fn purge_journal(
    data: &Path,
    device: &str,
    is_meant: &dyn Fn(&RuntimeIdentity) -> bool,
) -> io::Result<u64> {
    super::gather(data, device, None)?;
    let mut gone = 0;
    for segment in segments(data) {
        let Some(adapter) = adapter_of(&segment.path) else { continue };
        gone += purge(&segment.path, adapter, is_meant)?;
    }
    Ok(gone)
}

fn purge(
    path: &Path,
    adapter: &dyn Adapter,
    is_meant: &dyn Fn(&RuntimeIdentity) -> bool,
) -> io::Result<u64> {
    let is_packed = path.extension().is_some_and(|it| it == "zst");
    let mut kept = Vec::new();
    let mut gone = 0;
    let file = File::open(path)?;
    let from: Box<dyn Read> = if is_packed { Box::new(unzstd(file)?) } else { Box::new(file) };
    for line in BufReader::new(from).split(b'\n') {
        let line = line?;
        if speaks_of(adapter, &line).iter().any(is_meant) {
            gone += 1;
        } else {
            kept.extend_from_slice(&line);
            kept.push(b'\n');
        }
    }
    match (gone, kept.is_empty()) {
        (0, _) => {}
        (_, true) => fs::remove_file(path)?,
        (_, false) if is_packed => replace(path, &zstd::encode_all(kept.as_slice(), LEVEL)?)?,
        (_, false) => replace(path, &kept)?,
    }
    Ok(gone)
}

/// The sessions that an entry is about.
pub(super) fn speaks_of(adapter: &dyn Adapter, line: &[u8]) -> Vec<RuntimeIdentity> {
    let mut named = Named(Vec::new());
    let mut reader = adapter.journal();
    let at = Cursor::Pointer { pointer: String::new() };
    reader.read(&Record { bytes: line, at }, &mut named);
    let facts = reader.facts().into_iter();
    named.0.extend(facts.flat_map(|(who, facts)| [Some(who), facts.parent]).flatten());
    named.0
}

/// Collects only the sessions that a reader names.
struct Named(Vec<RuntimeIdentity>);

impl Sink for Named {
    fn event(&mut self, who: &RuntimeIdentity, _: Draft<'_>) {
        self.0.push(who.clone());
    }

    fn remove(&mut self, who: &RuntimeIdentity, _: EventId) {
        self.0.push(who.clone());
    }

    fn remove_turn(&mut self, who: &RuntimeIdentity, _: TurnId) {
        self.0.push(who.clone());
    }

    fn usage(&mut self, who: &RuntimeIdentity, _: NewUsage) {
        self.0.push(who.clone());
    }

    fn unknown(&mut self, _: &str, _: Option<&str>) {}
}

fn pack(path: &Path) -> io::Result<()> {
    let mut packed = path.as_os_str().to_owned();
    packed.push(".zst");
    replace(Path::new(&packed), &zstd::encode_all(File::open(path)?, LEVEL)?)?;
    fs::remove_file(path)
}

/// Writes a file atomically.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

fn segments(data: &Path) -> Vec<Segment> {
    let folders = all().iter().map(|it| data.join(folder_of(*it)));
    let files = folders.flat_map(|it| fs::read_dir(it).into_iter().flatten().flatten());
    let segment = |entry: fs::DirEntry| {
        let (path, bytes) = (entry.path(), entry.metadata().ok()?.len());
        let name = entry.file_name().into_string().ok()?;
        let day = name.strip_suffix(".zst").unwrap_or(&name).strip_suffix(".jsonl")?.to_owned();
        Some(Segment { path, day, bytes })
    };
    files.filter_map(segment).collect()
}

fn adapter_of(path: &Path) -> Option<&'static dyn Adapter> {
    by_id(path.parent()?.file_name()?.to_str()?)
}

fn day_of(second: i64) -> String {
    let at = Timestamp::from_second(second).unwrap_or(Timestamp::UNIX_EPOCH);
    at.to_string().get(..10).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::value::RawValue;
    use taffrail_model::journal::Entry;
    use taffrail_model::{AgentId, Origin};

    const DAY: i64 = 86_400;

    fn say(data: &Path, second: i64, session: &str) {
        let payload =
            format!(r#"{{"session_id":"{session}","hook_event_name":"Stop","cwd":"/p"}}"#);
        let payload = RawValue::from_string(payload).unwrap();
        let entry = Entry {
            at: Timestamp::from_second(second).unwrap(),
            nonce: format!("{second}{session}"),
            agent: AgentId::new("claude-code"),
            via: Origin::Hook,
            ancestors: Vec::new(),
            store: None,
            shortened: false,
            payload: &payload,
        };
        super::super::spool(data, &entry).unwrap();
    }

    fn names(data: &Path) -> Vec<String> {
        let mut out: Vec<_> = segments(data)
            .iter()
            .map(|it| it.path.file_name().unwrap().to_str().unwrap().to_owned())
            .collect();
        out.sort();
        out
    }

    #[test]
    fn days_that_are_over_are_packed_and_old_ones_go() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        for day in [0, 1, 39, 40] {
            say(data, day * DAY + 60, "s");
        }
        super::super::gather(data, "d", None).unwrap();
        let now = Timestamp::from_second(40 * DAY + 3600).unwrap();
        for _ in 0..2 {
            keep_journal(data, JournalLimits::default(), now).unwrap();
            assert_eq!(names(data), ["1970-02-09.jsonl.zst", "1970-02-10.jsonl"]);
        }
        let little = JournalLimits { bytes: 10, ..JournalLimits::default() };
        keep_journal(data, little, now).unwrap();
        assert_eq!(names(data), ["1970-02-10.jsonl"], "today stays");
    }

    #[test]
    fn what_is_forgotten_is_in_no_segment() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        for (day, session) in [(1, "gone"), (2, "gone"), (2, "stays"), (3, "gone"), (3, "stays")] {
            say(data, day * DAY, session);
        }
        super::super::gather(data, "d", None).unwrap();
        let now = Timestamp::from_second(3 * DAY + 3600).unwrap();
        keep_journal(data, JournalLimits::default(), now).unwrap();
        say(data, 3 * DAY + 1, "gone");
        let gone = purge_journal(data, "d", &|who| who.id.as_str() == "gone").unwrap();
        assert_eq!(gone, 4);
        assert_eq!(names(data), ["1970-01-03.jsonl.zst", "1970-01-04.jsonl"]);
        let left = purge_journal(data, "d", &|who| who.id.as_str() == "stays").unwrap();
        assert_eq!(left, 2);
        assert_eq!(names(data), [""; 0]);
    }
}
