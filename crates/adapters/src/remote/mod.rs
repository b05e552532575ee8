//! Remote: sessions that other devices sent, kept below our own data. The sessions belong to
//! the agents that the lines name; this adapter has no agent of its own.

mod reader;

use serde_json::{Map, Value};
use taffrail_kit::no_journal::NoJournal;
use taffrail_kit::{
    Adapter, Descriptor, Encoding, Evidence, HomeRule, Place, Reader, Shape, Source, Traces,
};
use taffrail_model::{hash, replication};

static DESCRIPTOR: Descriptor = Descriptor {
    id: "relayed",
    label: "Other devices",
    short: "relayed",
    note_tool: "",
    scheme: replication::SCHEME,
    homes: &[&[
        HomeRule::env("XDG_DATA_HOME", "taffrail"),
        HomeRule::user(".local/share/taffrail"),
    ]],
    roots: &[replication::FOLDER],
    in_projects: false,
    scoped_ids: false,
    rewrites_records: true,
    processes: &[],
    traces: Traces::NONE,
    live: None,
    retention: None,
    advice: &[],
    evidence: Evidence::Recorded,
};

/// Sessions of other devices.
#[derive(Debug)]
pub struct Remote;

/// The one adapter for sessions of other devices.
pub static ADAPTER: Remote = Remote;

impl Adapter for Remote {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn place(&self, path: &str) -> Option<Place> {
        let replication::RemotePath { device, share, session } = replication::path(path)?;
        let session = hash::to_hex(session.as_bytes());
        let locator = match share {
            Some(share) => replication::shared_locator(device, share, &session),
            None => replication::locator(device, &session),
        };
        Some(Place {
            shape: Shape::Lines(Encoding::Plain),
            locator,
            session: None,
            is_worker: false,
            rank: 0,
            beside: Vec::new(),
        })
    }

    fn reader(&self, source: &Source<'_>, saved: Option<&str>) -> Box<dyn Reader> {
        Box::new(reader::LineReader::new(source.path, saved))
    }

    fn journal(&self) -> Box<dyn Reader> {
        Box::new(NoJournal)
    }

    fn is_remote(&self) -> bool {
        true
    }

    /// The lines have no further fields.
    fn extra(&self, _: &[u8]) -> Map<String, Value> {
        Map::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_named_by_its_device_and_session() {
        let hex = "0123456789abcdef0123456789abcdef";
        let place = ADAPTER.place(&format!("remote/dev-1/{hex}.jsonl")).unwrap();
        assert_eq!(place.locator, format!("relay:dev-1/{hex}"));
        let shared = format!("dev-1/share-00000000000000ff/{hex}");
        let place = ADAPTER.place(&format!("remote/{shared}.jsonl")).unwrap();
        assert_eq!(place.locator, format!("relay:{shared}"));
        for bad in ["remote/dev-1/x.jsonl", "remote/../x.jsonl", "remote", "remote/statuses.json"] {
            assert_eq!(ADAPTER.place(bad), None, "{bad}");
        }
    }
}
