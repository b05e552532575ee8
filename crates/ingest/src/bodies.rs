//! Reads full texts: from the source, or from the archived copy.

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

/// The sources to read texts from.
pub fn sources(settings: &Settings) -> Sources<'_> {
    let mut copies = Copies { archive: Archive::new(&settings.data), open: None };
    Sources::new(Box::new(move |reference| copies.record(reference)))
}

/// The position of an event's record.
pub fn reference(agent: &str, row: &EventRow) -> Reference {
    // Items of another device have their own adapter, whatever agent they come from.
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

/// The whole record of an event, byte for byte: from its source, or from the archived copy.
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

/// Archived copies; those of the source used last stay open.
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
    /// The bytes of a record, from the newest edition that has them.
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
        // A copy that cannot be opened counts as missing: the excerpt is shown, marked stale.
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
