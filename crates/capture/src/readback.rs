//! Reads an event's full text back from its source and verifies it.

use crate::event_images::{EventImage, Holder, images_by_event};
use crate::folder::row_bytes;
use crate::lines::LINE_LIMIT;
use crate::source::{self, place_of};
use crate::sqlite::{self, Foreign, OpenError};
use crate::zstd::unzstd;
use crate::{Refusal, open_below};
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;
use taffrail_adapters::{Encoding, Place, Shape, Source, by_id};
use taffrail_model::hash::{self, Digest16};
use taffrail_model::search_text::searched;
use taffrail_model::text::{TOOL_TEXT_BYTES, cut};
use taffrail_model::{
    AgentId, Cursor, Draft, EventId, Kind, NewUsage, Record, RuntimeIdentity, Sink, TurnId,
};

/// The position of an event's record, and the hash that the record must have.
#[derive(Debug, Clone)]
pub struct Reference {
    /// The agent that wrote it.
    pub agent: AgentId,
    /// The agent's home.
    pub home: String,
    /// The path below the home.
    pub path: String,
    /// The session's key, in files that hold several sessions.
    pub key: String,
    /// The position of the record.
    pub cursor: Cursor,
    /// The hash of the record's bytes.
    pub raw: Digest16,
    /// Which event of the record.
    pub want: Want,
}

/// Selects one event of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Want {
    /// The agent's own id of the event, where it has one.
    pub source_event_id: Option<String>,
    /// The event's number below that id.
    pub part: u32,
}

/// The full content of an event.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Body {
    /// Its text, cut for tool output.
    pub text: Option<String>,
    /// Its other fields, and the fields of the record that no adapter reads.
    pub data: Map<String, Value>,
    /// The text that search indexes.
    pub searched: String,
}

/// Why a text cannot be read back from its source.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// The source cannot be read.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// SQLite failed on the agent's database.
    #[error("{0}")]
    Sqlite(#[from] rusqlite::Error),
    /// The record's bytes changed.
    #[error("the record changed since it was read")]
    Changed,
    /// The record no longer produces this event.
    #[error("the record no longer makes this event")]
    NotSaid,
}

impl From<OpenError> for BodyError {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Io(error) => Self::Io(error),
            OpenError::Sqlite(error) => Self::Sqlite(error),
        }
    }
}

/// Keeps sources open while the events of a session are read back in order.
pub struct Sources<'a> {
    /// How much of the output of a tool is read.
    output: usize,
    open: Option<Open>,
    /// The bodies of the record read last. Events of one record follow each other.
    last: Option<RecordBodies>,
    /// Finds a copy of a record that its source no longer holds.
    kept: CopyLookup<'a>,
}

/// Looks up a copy of a record's bytes.
pub type CopyLookup<'a> = Box<dyn FnMut(&Reference) -> Option<Vec<u8>> + 'a>;

impl std::fmt::Debug for Sources<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sources")
    }
}

/// The bodies of all events of one record.
struct RecordBodies {
    at: Cursor,
    raw: Digest16,
    bodies: Vec<(Want, Body)>,
}

struct Open {
    home: String,
    path: String,
    place: Place,
    handle: Handle,
}

enum Handle {
    Plain(File),
    /// A stream that only moves forward, and its current offset.
    Packed(Box<dyn Read>, u64),
    Whole(Vec<u8>),
    Database(Foreign),
    /// A folder of small files.
    Folder,
}

impl<'a> Sources<'a> {
    /// Opens no source yet. `kept` looks up copies of records that a source no longer holds.
    #[must_use]
    pub fn new(kept: CopyLookup<'a>) -> Self {
        Self { output: TOOL_TEXT_BYTES, open: None, last: None, kept }
    }

    /// The same, with outputs of tools of at most so many bytes.
    #[must_use]
    pub fn with_output(self, bytes: usize) -> Self {
        Self { output: bytes, ..self }
    }

    /// The full content of one event.
    ///
    /// # Errors
    /// When the source is gone or its record changed.
    pub fn body(&mut self, reference: &Reference) -> Result<Body, BodyError> {
        let record = self.last.take().filter(|record| record.is_of(reference));
        let record = match record {
            Some(record) => record,
            None => {
                let (at, raw, output) = (reference.cursor.clone(), reference.raw, self.output);
                let read = self.read(reference, |bytes| bodies(reference, bytes, output))?;
                RecordBodies { at, raw, bodies: read.out }
            }
        };
        let body = record.bodies.iter().find(|(want, _)| *want == reference.want);
        let body = body.map(|(_, body)| body.clone());
        self.last = Some(record);
        body.ok_or(BodyError::NotSaid)
    }

    /// An image of an event by its number, from 0; `None` if it has no such image.
    ///
    /// # Errors
    /// When the source is gone or its record changed.
    pub fn image(
        &mut self,
        reference: &Reference,
        number: usize,
    ) -> Result<Option<EventImage>, BodyError> {
        self.read(reference, |bytes| {
            let read = bodies(reference, bytes, TOOL_TEXT_BYTES)?;
            let event = read.out.iter().position(|(want, _)| *want == reference.want);
            let event = event.ok_or(BodyError::NotSaid)?;
            let of_event = read.images.into_iter().filter(|(at, _)| *at == event);
            Ok(of_event.map(|(_, image)| image).nth(number))
        })
    }

    fn read<T>(
        &mut self,
        reference: &Reference,
        read: impl Fn(&[u8]) -> Result<T, BodyError>,
    ) -> Result<T, BodyError> {
        let bytes = self.bytes(reference);
        match bytes.and_then(|bytes| read(&bytes)) {
            Ok(it) => Ok(it),
            // A copy is as good as the source as long as its hash matches.
            Err(error) => match (self.kept)(reference) {
                Some(bytes) => read(&bytes).map_err(|_| error),
                None => Err(error),
            },
        }
    }

    fn bytes(&mut self, reference: &Reference) -> Result<Vec<u8>, BodyError> {
        let same = self.open.as_ref();
        if !same.is_some_and(|it| it.home == reference.home && it.path == reference.path) {
            self.open = Some(Open::new(reference)?);
        }
        let Some(open) = &mut self.open else { return Err(BodyError::NotSaid) };
        match (&mut open.handle, &reference.cursor) {
            (Handle::Plain(file), Cursor::Bytes { byte_offset, length }) => {
                Ok(range(file, *byte_offset, *length)?)
            }
            (Handle::Packed(..), Cursor::Bytes { byte_offset, length }) => {
                Ok(open.packed(*byte_offset, *length)?)
            }
            (Handle::Whole(bytes), Cursor::Pointer { .. }) => Ok(bytes.clone()),
            (Handle::Database(foreign), Cursor::Row { table, rowid }) => {
                let Shape::Sqlite(plan) = open.place.shape else { return Err(BodyError::NotSaid) };
                let row = sqlite::row_again(&foreign.connection, plan, table, *rowid)?;
                row.map(|row| row.json).ok_or(BodyError::Changed)
            }
            (Handle::Folder, Cursor::Row { table, .. }) => {
                let bytes = row_bytes(Path::new(&open.home), &open.path, table)?;
                bytes.ok_or(BodyError::Changed)
            }
            _ => Err(BodyError::NotSaid),
        }
    }
}

impl RecordBodies {
    fn is_of(&self, reference: &Reference) -> bool {
        // All events of a document are in the same record, each at its own pointer.
        let same_place =
            matches!(reference.cursor, Cursor::Pointer { .. }) || self.at == reference.cursor;
        same_place && self.raw == reference.raw
    }
}

impl Open {
    fn new(reference: &Reference) -> Result<Self, BodyError> {
        let adapter = by_id(reference.agent.as_str()).ok_or(BodyError::NotSaid)?;
        let place = place_of(adapter, &reference.path).ok_or(BodyError::NotSaid)?;
        let home = Path::new(&reference.home);
        let mut file = open_below(home, &reference.path)?;
        let handle = match place.shape {
            Shape::Lines(Encoding::Plain) => Handle::Plain(file),
            Shape::Lines(Encoding::Zstd) => Handle::Packed(Box::new(unzstd(file)?), 0),
            Shape::Folder(_) => Handle::Folder,
            Shape::Document | Shape::Text => {
                let mut bytes = Vec::new();
                file.read_to_end(&mut bytes)?;
                Handle::Whole(bytes)
            }
            Shape::Sqlite(_) => Handle::Database(sqlite::open(&home.join(&reference.path))?),
        };
        let (home, path) = (reference.home.clone(), reference.path.clone());
        Ok(Self { home, path, place, handle })
    }

    fn packed(&mut self, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        if matches!(&self.handle, Handle::Packed(_, at) if *at > offset) {
            let file = open_below(Path::new(&self.home), &self.path)?;
            self.handle = Handle::Packed(Box::new(unzstd(file)?), 0);
        }
        let Handle::Packed(stream, at) = &mut self.handle else {
            return Err(io::Error::other(Refusal::NotRegular.as_str()));
        };
        io::copy(&mut stream.by_ref().take(offset - *at), &mut io::sink())?;
        let mut bytes = Vec::new();
        stream.by_ref().take(limited(length)?).read_to_end(&mut bytes)?;
        *at = offset + bytes.len() as u64;
        Ok(bytes)
    }
}

fn range(file: &File, offset: u64, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; usize::try_from(limited(length)?).map_err(io::Error::other)?];
    file.read_exact_at(&mut bytes, offset)?;
    Ok(bytes)
}

fn limited(length: u64) -> io::Result<u64> {
    let fits = length <= LINE_LIMIT as u64;
    fits.then_some(length).ok_or_else(|| io::Error::other("a record longer than any line may be"))
}

/// The bodies of a record's events, if the record's hash matches.
fn bodies(reference: &Reference, bytes: &[u8], output: usize) -> Result<Bodies, BodyError> {
    if hash::checksum(bytes) != reference.raw {
        return Err(BodyError::Changed);
    }
    let adapter = by_id(reference.agent.as_str()).ok_or(BodyError::NotSaid)?;
    let source = Source {
        path: &reference.path,
        key: &reference.key,
        scope: "",
        beside: &[],
        written: None,
    };
    let extra = adapter.extra(bytes);
    let mut bodies = Bodies { output, extra, ..Bodies::default() };
    let record = Record { bytes, at: reference.cursor.clone() };
    source::reader(adapter, &source, None).read(&record, &mut bodies);
    bodies.find_images(bytes);
    Ok(bodies)
}

/// Collects the bodies of all events of one record.
#[derive(Default)]
struct Bodies {
    out: Vec<(Want, Body)>,
    holders: Vec<Holder>,
    /// The images, with the number of their event.
    images: Vec<(usize, EventImage)>,
    extra: Map<String, Value>,
    output: usize,
}

impl Bodies {
    /// Finds the images of the events; their bodies say of which types those are.
    fn find_images(&mut self, record: &[u8]) {
        self.images = images_by_event(record, &self.holders);
        for (event, image) in &self.images {
            let Some((_, body)) = self.out.get_mut(*event) else { continue };
            let types = body.data.entry("images").or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(types) = types {
                types.push(image.media_type.clone().into());
            }
        }
    }
}

impl Sink for Bodies {
    fn event(&mut self, _: &RuntimeIdentity, draft: Draft<'_>) {
        let want = Want { source_event_id: draft.key.provider_id(), part: draft.part };
        let mut data = draft.detail.to_json();
        if !self.extra.is_empty() {
            data.insert("record".to_owned(), Value::Object(self.extra.clone()));
        }
        let shown = |text| shown((&draft.kind, text), self.output, &mut data);
        let text = draft.text.as_deref().map(shown);
        let searched = searched(&draft).into_owned();
        self.holders.push(Holder::of(&draft));
        self.out.push((want, Body { text, data, searched }));
    }

    fn remove(&mut self, _: &RuntimeIdentity, _: EventId) {}

    fn remove_turn(&mut self, _: &RuntimeIdentity, _: TurnId) {}

    fn usage(&mut self, _: &RuntimeIdentity, _: NewUsage) {}

    fn unknown(&mut self, _: &str, _: Option<&str>) {}
}

fn shown((kind, text): (&Kind, &str), most: usize, data: &mut Map<String, Value>) -> String {
    if *kind != Kind::ToolResult || text.len() <= most {
        return text.to_owned();
    }
    data.insert("truncated".to_owned(), Value::Bool(true));
    data.insert("full_bytes".to_owned(), text.len().into());
    data.insert("full_lines".to_owned(), text.lines().count().into());
    cut(text, most).to_owned()
}
