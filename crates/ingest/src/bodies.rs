//! Whole texts: from the source, or from the copy that was kept.

use std::io::Read;
use std::path::Path;
use taffrail_adapters::remotes;
use taffrail_capture::{Reference, Sources, Want, open_below};
use taffrail_context::Settings;
use taffrail_model::{AgentId, Cursor, hash, replication};
use taffrail_store::EventRow;
use taffrail_store::archive::{Address, Archive, Volume};

/// The most bytes of a document that are read.
const RECORD_LIMIT: u64 = 256 * 1024 * 1024;

/// Where to read texts from.
pub fn sources(settings: &Settings) -> Sources<'_> {
    let mut copies = Copies { archive: Archive::new(&settings.data), open: None };
    Sources::new(Box::new(move |reference| copies.record(reference)))
}

/// Where an event's record stands.
pub fn reference(agent: &str, row: &EventRow) -> Reference {
    // What another device told is read as such, whatever agent it is of.
    let relay = remotes().find(|_| replication::is_locator(&row.locator));
    let agent = relay.map_or(agent, |it| it.descriptor().id);
    Reference {
        agent: AgentId::new(agent.to_owned()),
        home: row.home.clone(),
        path: row.path.clone(),
        key: row.key.clone(),
        cursor: row.cursor.clone(),
        raw: row.raw,
        want: Want { source_event_id: row.source_event_id.clone(), part: row.part },
    }
}

/// The whole record an event was read from, byte for byte: from its source, or from the copy that was
/// kept.
pub fn record(settings: &Settings, agent: &str, row: &EventRow) -> Option<Vec<u8>> {
    let reference = reference(agent, row);
    let own = match &reference.cursor {
        Cursor::Pointer { .. } => whole(&reference),
        Cursor::Bytes { .. } | Cursor::Row { .. } => None,
    };
    own.filter(|bytes| hash::checksum(bytes) == reference.raw).or_else(|| {
        let mut copies = Copies { archive: Archive::new(&settings.data), open: None };
        copies.record(&reference)
    })
}

fn whole(reference: &Reference) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = open_below(Path::new(&reference.home), &reference.path).ok()?;
    file.take(RECORD_LIMIT).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Copies of sources; those of the source asked for last stay open.
struct Copies {
    archive: Archive,
    open: Option<Open>,
}

struct Open {
    agent: AgentId,
    home: String,
    path: String,
    key: String,
    editions: Vec<Volume>,
}

impl Copies {
    /// The bytes of a record as they were read, from the newest edition that has them.
    fn record(&mut self, reference: &Reference) -> Option<Vec<u8>> {
        if !self.open.as_ref().is_some_and(|open| open.is_of(reference)) {
            self.open = Some(self.open(reference)?);
        }
        let editions = &mut self.open.as_mut()?.editions;
        let mut found = editions.iter_mut().filter_map(|it| record_in(it, &reference.cursor));
        found.find(|bytes| hash::checksum(bytes) == reference.raw)
    }

    fn open(&self, reference: &Reference) -> Option<Open> {
        let (agent, home) = (reference.agent.clone(), reference.home.clone());
        let (path, key) = (reference.path.clone(), reference.key.clone());
        let address = Address { agent: &agent, home: &home, path: &path, key: &key };
        // A copy that cannot be opened is as good as none: the excerpt is shown, marked stale.
        let editions = self.archive.editions(address).ok()?;
        Some(Open { agent, home, path, key, editions })
    }
}

impl Open {
    fn is_of(&self, reference: &Reference) -> bool {
        (&self.agent, &self.home, &self.path, &self.key)
            == (&reference.agent, &reference.home, &reference.path, &reference.key)
    }
}

fn record_in(volume: &mut Volume, cursor: &Cursor) -> Option<Vec<u8>> {
    match cursor {
        Cursor::Bytes { byte_offset, length } => {
            volume.range(*byte_offset, usize::try_from(*length).ok()?).ok()
        }
        Cursor::Row { table, rowid } => volume.row(table, *rowid).ok().flatten(),
        Cursor::Pointer { .. } => volume.whole().ok(),
    }
}
