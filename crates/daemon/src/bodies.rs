//! Whole texts: from the source, or from the copy that was kept.

use crate::Settings;
use taffrail_capture::{Reference, Sources, Want};
use taffrail_model::AgentId;
use taffrail_store::EventRow;

/// Where to read texts from.
pub(crate) fn sources(_settings: &Settings) -> Sources<'_> {
    Sources::new(Box::new(|_| None))
}

/// Where an event's record stands.
pub(crate) fn reference(agent: &str, row: &EventRow) -> Reference {
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
