//! Portable state: session states that a person imported, kept unchanged below our own data. No
//! program runs behind them, and their content is not verified.

mod document;
mod reader;

use document::Document;
use serde_json::{Map, Value};
use taffrail_kit::no_journal::NoJournal;
use taffrail_kit::{
    Adapter, Descriptor, Evidence, HomeRule, ImportedDocument, Importer, Place, Reader, Shape,
    Source, Traces,
};
use taffrail_model::{AgentId, RuntimeIdentity, hash};

const ID: &str = "portable-state";
const SCHEME: &str = "state-json";
const FOLDER: &str = "states";

static DESCRIPTOR: Descriptor = Descriptor {
    id: ID,
    label: "Portable state",
    short: "portable",
    note_tool: "",
    scheme: SCHEME,
    homes: &[&[
        HomeRule::env("XDG_DATA_HOME", "taffrail/imported"),
        HomeRule::user(".local/share/taffrail/imported"),
    ]],
    roots: &[FOLDER],
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

/// Imported session states.
#[derive(Debug)]
pub struct PortableState;

/// The one adapter for imported states.
pub static ADAPTER: PortableState = PortableState;

impl Adapter for PortableState {
    fn descriptor(&self) -> &'static Descriptor {
        &DESCRIPTOR
    }

    fn place(&self, path: &str) -> Option<Place> {
        let name = path.strip_prefix(FOLDER)?.strip_prefix('/')?.strip_suffix(".json")?;
        let is_name = name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_name.then(|| Place {
            shape: Shape::Document,
            locator: format!("{SCHEME}:{name}"),
            session: None,
            is_worker: false,
            rank: 0,
            beside: Vec::new(),
        })
    }

    fn reader(&self, _: &Source<'_>, saved: Option<&str>) -> Box<dyn Reader> {
        Box::new(reader::StateReader::new(saved))
    }

    fn journal(&self) -> Box<dyn Reader> {
        Box::new(NoJournal)
    }

    /// Fields that no event covers stay in the document, which is exported whole.
    fn extra(&self, _: &[u8]) -> Map<String, Value> {
        Map::new()
    }

    fn importer(&self) -> Option<Importer> {
        Some(import)
    }
}

/// The path of a state: one for each session id, so that a later state replaces the earlier.
fn import(document: &[u8]) -> Option<ImportedDocument> {
    let document = Document::read(document)?;
    let session = identity(document.id()?);
    let name = hash::to_hex(session.session().as_bytes());
    Some(ImportedDocument { session, path: format!("{FOLDER}/{name}.json") })
}

/// The session of a state: the id it names is its runtime id.
fn identity(id: &str) -> RuntimeIdentity {
    RuntimeIdentity::new(AgentId::new(ID), "", id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_has_one_place() {
        let place = |bytes: &[u8]| import(bytes).map(|it| it.path);
        let one = place(br#"{"session_id": "a", "goal": "x"}"#).unwrap();
        assert_eq!(place(br#"{"session_id": "a"}"#), Some(one.clone()));
        assert_ne!(place(br#"{"session_id": "b"}"#), Some(one.clone()));
        assert!(ADAPTER.place(&one).is_some());
        for bad in ["", "[]", "{}", r#"{"session_id": 7}"#, r#"{"session_id": ""}"#] {
            assert_eq!(place(bad.as_bytes()), None, "{bad}");
        }
        for bad in ["states/x.json", "states/../x.json", "states", "a/b.json"] {
            assert_eq!(ADAPTER.place(bad), None, "{bad}");
        }
    }
}
