//! Follows the journal of one agent from a point in time, independently of the writer.

use super::{ENTRY_LIMIT, SPOOL};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use taffrail_adapters::Adapter;
use taffrail_model::journal::segment;
use taffrail_model::{
    Cursor, Draft, EventId, Facts, NewUsage, Record, RuntimeIdentity, Sink, Timestamp, TurnId,
};

/// The most bytes that are read at once.
const PIECE: u64 = 4 * 1024 * 1024;
/// The most spooled entries that are read.
const SPOOLED: usize = 256;

/// A position in the journal of one agent.
pub struct Since {
    adapter: &'static dyn Adapter,
    from: Timestamp,
    at: Option<(PathBuf, u64)>,
}

impl Since {
    /// Starts at the current end of the journal.
    #[must_use]
    pub fn new(data: &Path, adapter: &'static dyn Adapter, now: Timestamp) -> Self {
        let path = segment_at(data, adapter, now);
        let length = fs::metadata(&path).map_or(0, |it| it.len());
        Self { adapter, from: now, at: Some((path, length)) }
    }

    /// The facts about sessions from the entries since the last call.
    pub fn facts(&mut self, data: &Path, now: Timestamp) -> Vec<(RuntimeIdentity, Facts)> {
        let mut reader = self.adapter.journal();
        let mut lines = self.spooled(data);
        lines.push(self.gathered(data, now));
        for line in lines.iter().flat_map(|it| it.split(|byte| *byte == b'\n')) {
            let at = Cursor::Pointer { pointer: String::new() };
            reader.read(&Record { bytes: line, at }, &mut Nobody);
        }
        reader.facts()
    }

    /// Spooled entries. They are read on every call until the writer moves them.
    fn spooled(&self, data: &Path) -> Vec<Vec<u8>> {
        let first = format!("{:020}", self.from.as_microsecond().max(0));
        let entries = fs::read_dir(data.join(SPOOL)).into_iter().flatten().flatten();
        let names = entries.filter_map(|it| it.file_name().into_string().ok());
        let new = names.filter(|it| it.ends_with(".json") && *it >= first).take(SPOOLED);
        new.filter_map(|it| read(&data.join(SPOOL).join(it), 0, ENTRY_LIMIT)).collect()
    }

    /// New complete lines of the segment.
    fn gathered(&mut self, data: &Path, now: Timestamp) -> Vec<u8> {
        let today = segment_at(data, self.adapter, now);
        let (path, offset) = match self.at.take() {
            Some((path, offset)) if path == today => (path, offset),
            _ => (today, 0),
        };
        let mut bytes = read(&path, offset, PIECE).unwrap_or_default();
        let whole = bytes.iter().rposition(|it| *it == b'\n').map_or(0, |it| it + 1);
        bytes.truncate(whole);
        self.at = Some((path, offset + bytes.len() as u64));
        bytes
    }
}

fn segment_at(data: &Path, adapter: &dyn Adapter, now: Timestamp) -> PathBuf {
    let day = now.to_string().get(..10).unwrap_or_default().to_owned();
    data.join(segment(adapter.descriptor().id, &day))
}

fn read(path: &Path, offset: u64, most: u64) -> Option<Vec<u8>> {
    let mut file = File::open(path).ok()?;
    file.seek(SeekFrom::Start(offset)).ok()?;
    let mut bytes = Vec::new();
    file.take(most).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Ignores all events: only facts are wanted.
struct Nobody;

impl Sink for Nobody {
    fn event(&mut self, _: &RuntimeIdentity, _: Draft<'_>) {}
    fn remove(&mut self, _: &RuntimeIdentity, _: EventId) {}
    fn remove_turn(&mut self, _: &RuntimeIdentity, _: TurnId) {}
    fn usage(&mut self, _: &RuntimeIdentity, _: NewUsage) {}
    fn unknown(&mut self, _: &str, _: Option<&str>) {}
}

#[cfg(test)]
mod tests {
    use super::super::{gather, spool};
    use super::*;
    use serde_json::value::RawValue;
    use taffrail_adapters::by_id;
    use taffrail_model::journal::Entry;
    use taffrail_model::process::Ancestor;
    use taffrail_model::{AgentId, Origin};

    fn say(data: &Path, second: i64, session: &str) {
        let payload = format!(r#"{{"session_id":"{session}","hook_event_name":"Stop"}}"#);
        let payload = RawValue::from_string(payload).unwrap();
        let entry = Entry {
            at: Timestamp::from_second(second).unwrap(),
            nonce: format!("{second}{session}"),
            agent: AgentId::new("codex"),
            via: Origin::Hook,
            ancestors: vec![Ancestor { pid: 7, start: 5, name: "codex".into() }],
            store: None,
            shortened: false,
            payload: &payload,
        };
        spool(data, &entry).unwrap();
    }

    #[test]
    fn what_was_said_is_heard_in_the_spool_and_when_it_is_gathered() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path();
        let now = |second| Timestamp::from_second(second).unwrap();
        say(data, 10, "before");
        gather(data, "d", None).unwrap();
        let mut since = Since::new(data, by_id("codex").unwrap(), now(20));
        let mut check = |second, expected: &[&str]| {
            let facts = since.facts(data, now(second));
            let who: Vec<_> = facts.iter().map(|(who, _)| who.id.as_str()).collect();
            assert_eq!(who, expected);
            assert!(facts.iter().all(|(_, it)| it.process.is_some_and(|it| it.pid == 7)));
        };
        check(20, &[]);
        say(data, 30, "a");
        check(31, &["a"]);
        gather(data, "d", None).unwrap();
        check(32, &["a"]);
        check(33, &[]);
        say(data, 90_000, "b");
        gather(data, "d", None).unwrap();
        check(90_001, &["b"]);
    }
}
