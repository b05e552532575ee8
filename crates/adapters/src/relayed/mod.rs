//! Relayed: what other devices told of their sessions, kept below our own data. The sessions belong to
//! the agents that are named in the lines; no agent is meant by this adapter itself.

mod reader;

use crate::silent::Silent;
use crate::{Adapter, Capabilities, Descriptor, Encoding, HomeRule, Place, Reader, Shape, Source};
use serde_json::{Map, Value};
use taffrail_model::{hash, relay};

static DESCRIPTOR: Descriptor = Descriptor {
    id: "relayed",
    label: "Other devices",
    short: "relayed",
    scheme: relay::SCHEME,
    homes: &[
        HomeRule { variable: Some("XDG_DATA_HOME"), below: "taffrail" },
        HomeRule { variable: None, below: ".local/share/taffrail" },
    ],
    roots: &[relay::FOLDER],
    scoped_ids: false,
    rewrites_records: true,
    processes: &[],
    live: None,
    capabilities: Capabilities { resume_by_id: false, hooks: false, approvals: false },
    retention: None,
    advice: &[],
};

/// What the product knows of sessions of other devices.
#[derive(Debug)]
pub struct Relayed;

/// The one adapter for sessions of other devices.
pub static ADAPTER: Relayed = Relayed;

impl Adapter for Relayed {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn place(&self, path: &str) -> Option<Place> {
        let relay::Teller { device, share, session } = relay::path(path)?;
        let session = hash::to_hex(session.as_bytes());
        let locator = match share {
            Some(share) => relay::shared_locator(device, share, &session),
            None => relay::locator(device, &session),
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
        Box::new(Silent)
    }

    fn speaks_for_others(&self) -> bool {
        true
    }

    /// What another device did not tell is not in its lines.
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
