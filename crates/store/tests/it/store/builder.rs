//! Builds pieces by hand as capture would produce them, and a desk to write them.

use std::collections::HashSet;
use std::path::Path;
use taffrail_model::hash::{self, Digest16};
use taffrail_model::observed::{
    ArchiveState, Fingerprint, Held, Marks, NewEvent, Pass, SourceState,
};
use taffrail_model::{
    AgentId, Confidence, Cursor, DeviceId, EventId, Facts, Kind, NewUsage, Observed, Origin,
    Outcome, RecordKey, RuntimeIdentity, Timestamp, Tokens, TurnId,
};
use taffrail_store::{Boot, EventRow, Filter, IndexReader, Pricing, SessionRow, SourceRow, Writer};

/// The bytes every record takes.
const RECORD_BYTES: u64 = 100;

/// A session of an agent that can resume.
pub(crate) fn who(name: &str) -> RuntimeIdentity {
    RuntimeIdentity::new(AgentId::new("agent"), "", name)
}

/// An instant, in seconds.
pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

/// One record with one event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Said {
    /// Identifies the record.
    pub(crate) key: u32,
    /// Selects its kind.
    pub(crate) kind: u32,
    /// When.
    pub(crate) second: i64,
    /// Its text.
    pub(crate) text: u32,
}

/// A record derived from its key alone.
pub(crate) fn said(key: u32) -> Said {
    Said { key, kind: key, second: i64::from(key) * 10, text: 0 }
}

/// The records `keys`.
pub(crate) fn all_said(keys: std::ops::Range<u32>) -> Vec<Said> {
    keys.map(said).collect()
}

/// The id of a record's event.
pub(crate) fn id_of(who: &RuntimeIdentity, key: u32) -> EventId {
    EventId::of(who.session(), &RecordKey::Provider(format!("r{key}").into()), 0)
}

fn kind_of(said: Said) -> Kind {
    match said.kind % 4 {
        0 => Kind::UserPrompt,
        1 => Kind::AssistantMessage,
        2 => Kind::ToolCall,
        _ => Kind::ToolResult,
    }
}

fn event(who: &RuntimeIdentity, said: Said, offset: u64) -> NewEvent {
    let kind = kind_of(said);
    let id = id_of(who, said.key);
    let text = format!("text {} of r{}", said.text, said.key);
    let content = hash::of_bytes(format!("{text} {kind:?} {}", said.second).as_bytes());
    let opens = kind == Kind::UserPrompt;
    NewEvent {
        session: 0,
        id,
        source_event_id: Some(format!("r{}", said.key)),
        part: 0,
        marks: if opens { Marks::OPENS_TURN } else { Marks::default() },
        origin: Origin::Transcript,
        confidence: Confidence::High,
        at: at(said.second),
        turn: opens.then(|| TurnId::opened_by(id)),
        parent: None,
        label: (kind == Kind::ToolCall).then(|| "Bash".to_owned()),
        signal: None,
        excerpt: text,
        content,
        raw: content,
        cursor: Cursor::Bytes { byte_offset: offset, length: RECORD_BYTES - 1 },
        searched: String::new(),
        kind,
    }
}

/// A piece under construction.
#[derive(Debug, Clone)]
pub(crate) struct Piece {
    made: Observed,
}

/// The last piece of an append to the source at `path`.
pub(crate) fn piece(path: &str, who: &RuntimeIdentity) -> Piece {
    let source = SourceState {
        agent: who.agent.clone(),
        home: "/home".to_owned(),
        path: path.to_owned(),
        key: String::new(),
        locator: format!("agent-lines:{path}"),
        rank: 0,
        fingerprint: Fingerprint::default(),
        offset: 0,
        last_line: None,
        reader: String::new(),
        read_whole_next: false,
        kept: ArchiveState::Nothing,
    };
    let made = Observed {
        source,
        pass: Pass::Append,
        ends_pass: true,
        gone: false,
        held: Held::Source,
        sessions: vec![(who.clone(), Facts::default())],
        events: Vec::new(),
        removed: Vec::new(),
        removed_turns: Vec::new(),
        usage: Vec::new(),
        quotas: Vec::new(),
        unknown: Vec::new(),
        outcome: Outcome::default(),
    };
    Piece { made }
}

impl Piece {
    /// Continues from this byte.
    pub(crate) fn from(mut self, offset: u64) -> Self {
        self.made.source.offset = offset;
        self
    }

    /// Records that follow one another.
    pub(crate) fn saying(mut self, records: &[Said]) -> Self {
        for record in records {
            let offset = self.made.source.offset;
            let (who, _) = &self.made.sessions[0];
            self.made.events.push(event(who, *record, offset));
            self.made.source.offset += RECORD_BYTES;
        }
        self
    }

    /// Records that were retracted.
    pub(crate) fn removing(mut self, keys: &[u32]) -> Self {
        let (who, _) = &self.made.sessions[0];
        self.made.removed.extend(keys.iter().map(|key| (0, id_of(who, *key))));
        self
    }

    /// The cost of a model answer, by its key.
    pub(crate) fn spending(self, key: &str, second: i64, output: u64) -> Self {
        self.answering(key, second, (output, None, None))
    }

    /// A model answer: its output, its model and the reported cost.
    pub(crate) fn answering(
        mut self,
        key: &str,
        second: i64,
        (output, model, cost_microdollars): (u64, Option<&str>, Option<i64>),
    ) -> Self {
        let usage = NewUsage {
            key: usage_key(key),
            at: Some(at(second)),
            model: model.map(str::to_owned),
            tokens: Tokens { output, input: 1, ..Tokens::default() },
            cache_write_1h: 0,
            cost_microdollars,
        };
        self.made.usage.push((0, usage));
        self
    }

    /// The source is read from its start.
    pub(crate) fn again(mut self) -> Self {
        self.made.pass = Pass::Again;
        self
    }

    /// More of the pass follows.
    pub(crate) fn unfinished(mut self) -> Self {
        self.made.ends_pass = false;
        self
    }

    /// Sets the rank of the source.
    pub(crate) fn ranked(mut self, rank: u8) -> Self {
        self.made.source.rank = rank;
        self
    }

    /// Sets the source's facts about the session.
    pub(crate) fn knowing(mut self, facts: Facts) -> Self {
        self.made.sessions[0].1 = facts;
        self
    }

    /// Changes anything else about the source.
    pub(crate) fn source(mut self, change: impl FnOnce(&mut SourceState)) -> Self {
        change(&mut self.made.source);
        self
    }

    /// Changes every event.
    pub(crate) fn events(mut self, change: impl Fn(&mut NewEvent)) -> Self {
        self.made.events.iter_mut().for_each(change);
        self
    }

    /// The piece as capture produces it.
    pub(crate) fn made(self) -> Observed {
        self.made
    }
}

/// The key of a model answer.
pub(crate) fn usage_key(key: &str) -> Digest16 {
    hash::of_bytes(key.as_bytes())
}

/// Facts of a session that forks by copying: sessions of one family share the first record.
pub(crate) fn copying(family: &str) -> Facts {
    Facts { first_record: Some(usage_key(family)), ..Facts::default() }
}

/// The writer's view of this machine.
pub(crate) fn boot() -> Boot {
    Boot {
        id: "boot".to_owned(),
        new_device: DeviceId::new("device"),
        resumable: HashSet::from(["agent".to_owned()]),
        reports_with_workers: HashSet::new(),
        pricing: Pricing::default(),
    }
}

/// A folder with both files, and its writer.
#[derive(Debug)]
pub(crate) struct Desk {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) writer: Writer,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self::with(boot())
    }

    pub(crate) fn with(boot: Boot) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let writer = Writer::open(folder.path(), boot).unwrap();
        Self { folder, writer }
    }

    /// Drops the writer in the middle of its work, and opens another.
    pub(crate) fn reopened(self) -> Self {
        self.reopened_with(boot())
    }

    /// The same, with another view of this machine.
    pub(crate) fn reopened_with(self, boot: Boot) -> Self {
        let Self { folder, writer } = self;
        drop(writer);
        let writer = Writer::open(folder.path(), boot).unwrap();
        Self { folder, writer }
    }

    /// Writes pieces in one batch and returns the number of changes.
    pub(crate) fn write(&mut self, pieces: &[Piece]) -> u64 {
        self.writer.begin().unwrap();
        let changes = pieces.iter().map(|it| self.append(it)).sum();
        self.writer.commit(at(1)).unwrap();
        changes
    }

    /// Writes one piece into the open batch.
    pub(crate) fn append(&mut self, piece: &Piece) -> u64 {
        self.writer.append(&piece.made, at(1)).unwrap().changes
    }

    /// Changes the locations of sources, in one batch.
    pub(crate) fn settle(&mut self, change: impl FnOnce(&mut Writer)) {
        self.writer.begin().unwrap();
        change(&mut self.writer);
        self.writer.commit(at(1)).unwrap();
    }

    pub(crate) fn reader(&self) -> IndexReader {
        reader(self.folder.path())
    }

    pub(crate) fn source(&self, path: &str) -> SourceRow {
        let sources = self.writer.sources().unwrap();
        sources.into_iter().find(|it| it.state.path == path).unwrap()
    }

    pub(crate) fn session(&self, who: &RuntimeIdentity) -> SessionRow {
        session(&self.reader(), who)
    }

    pub(crate) fn events(&self, who: &RuntimeIdentity) -> Vec<EventRow> {
        let reader = self.reader();
        reader.events(session(&reader, who).row).unwrap()
    }

    /// The keys of the live records, in canonical order.
    pub(crate) fn live(&self, who: &RuntimeIdentity) -> Vec<u32> {
        self.events(who).iter().map(key_of).collect()
    }

    pub(crate) fn view(&self, who: &RuntimeIdentity) -> Vec<View> {
        view(&self.reader(), who)
    }
}

/// The key of the record an event was made of.
pub(crate) fn key_of(row: &EventRow) -> u32 {
    row.source_event_id.as_deref().unwrap().trim_start_matches('r').parse().unwrap()
}

pub(crate) fn reader(folder: &Path) -> IndexReader {
    IndexReader::open(folder).unwrap().unwrap()
}

pub(crate) fn session(reader: &IndexReader, who: &RuntimeIdentity) -> SessionRow {
    let filter =
        Filter { workers: true, id_prefix: Some(who.session().to_string()), ..Filter::default() };
    let mut found = reader.sessions(&filter).unwrap();
    assert_eq!(found.len(), 1, "{who:?}");
    found.remove(0)
}

/// The part of an event that does not depend on how it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct View {
    pub(crate) id: EventId,
    pub(crate) kind: Kind,
    pub(crate) at: Timestamp,
    pub(crate) turn: Option<TurnId>,
    pub(crate) parent: Option<EventId>,
    pub(crate) text: String,
    pub(crate) content: Digest16,
    pub(crate) cursor: Cursor,
    pub(crate) locator: String,
}

/// The canonical view: live events of present sources, in canonical order.
pub(crate) fn view(reader: &IndexReader, who: &RuntimeIdentity) -> Vec<View> {
    let rows = reader.events(session(reader, who).row).unwrap();
    let seen = |row: EventRow| View {
        id: row.id,
        kind: row.kind,
        at: row.at,
        turn: row.turn,
        parent: row.parent,
        text: row.excerpt,
        content: row.raw,
        cursor: row.cursor,
        locator: row.locator,
    };
    rows.into_iter().filter(|row| row.present).map(seen).collect()
}
