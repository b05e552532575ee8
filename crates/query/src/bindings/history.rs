//! The history that a binding points to: whether it can be read, how far it was read, and from
//! which record.

use serde_json::{Value, json};
use std::path::Path;
use taffrail_capture::is_missing;
use taffrail_context::Error;
use taffrail_contracts::binding::UNAVAILABLE;
use taffrail_model::binding::{History, SourcePointer};
use taffrail_model::observed::ArchiveState;
use taffrail_model::{AgentId, Binding, Cursor, DeviceId, Provenance, Timestamp, prompt_history};
use taffrail_store::{EventRow, IndexReader, SessionRow, SourceRow};

/// The current sources of a session.
pub(super) struct Look<'a> {
    row: &'a SessionRow,
    sources: Vec<SourceRow>,
    /// The latest event of the session's own history; hooks and the process table are not history.
    last: Option<EventRow>,
    /// The agent's id of the latest record that has one.
    record: Option<String>,
    /// The agent's made-up name of the session.
    slug: Option<String>,
}

impl<'a> Look<'a> {
    pub(super) fn at(index: &IndexReader, row: &'a SessionRow) -> Result<Self, Error> {
        let (number, uri) = (row.row, row.source_uri.as_str());
        Ok(Self {
            row,
            sources: index.sources_of(number)?,
            last: index.last_event_in(number, uri)?,
            record: index.last_record_id(number, uri)?,
            slug: index.own_facts(number)?.slug,
        })
    }

    /// The locator of the history that the agent exposes, if it does.
    pub(super) fn exposed(&self) -> Option<&'a str> {
        let uri = self.row.source_uri.as_str();
        Some(uri).filter(|it| !it.is_empty() && !prompt_history::is_shared(it))
    }

    pub(super) fn history(&self) -> History {
        if prompt_history::is_locator(&self.row.source_uri) {
            // Without a source, only the ledger knows the session.
            return if self.sources.is_empty() { History::Missing } else { History::PromptsOnly };
        }
        if self.exposed().is_none() {
            return History::Unexposed;
        }
        let is_own = |it: &&SourceRow| !prompt_history::is_shared(&it.state.locator);
        let own = || self.sources.iter().filter(is_own);
        let copied = |it: &SourceRow| matches!(it.state.kept, ArchiveState::Bytes(_));
        match (own().any(is_there), own().any(copied)) {
            (true, _) => History::Readable,
            (false, true) => History::Copied,
            (false, false) => History::Missing,
        }
    }

    /// How far the history was read, with the generation of the source. Before the ledger notes
    /// that a source was cut, the smaller position shows it.
    pub(super) fn position(&self, kept: Option<&Binding>) -> Option<(Cursor, u64)> {
        let uri = self.exposed()?;
        let known = kept.and_then(|it| Some((it.source_cursor.clone()?, it.source_generation)));
        let source = self.sources.iter().filter(|it| it.state.locator == uri);
        let Some(source) = source.max_by_key(|it| it.state.offset) else { return known };
        let is_behind =
            known.as_ref().is_some_and(|(cursor, _)| source.state.offset < cursor.position());
        let generation = known.map_or(0, |it| it.1).saturating_add(u64::from(is_behind));
        let cursor = match self.last.as_ref().map(|it| &it.cursor) {
            Some(cursor @ (Cursor::Row { .. } | Cursor::Pointer { .. })) => cursor.clone(),
            Some(Cursor::Bytes { .. }) | None => {
                Cursor::Bytes { byte_offset: source.state.offset, length: 0 }
            }
        };
        Some((cursor, generation))
    }

    /// A pointer to the latest record.
    pub(super) fn pointer(
        &self,
        kept: Option<&Binding>,
        (device, seen): (&DeviceId, Timestamp),
    ) -> SourcePointer {
        let uri = self.exposed();
        let nowhere = (Cursor::Bytes { byte_offset: 0, length: 0 }, 0);
        let (source_cursor, generation) = self.position(kept).unwrap_or(nowhere);
        let provenance = Provenance {
            source_kind: uri.map_or(UNAVAILABLE, |_| "runtime_transcript").to_owned(),
            backend: AgentId::new(self.row.agent.clone()),
            runtime_session_id: self.row.runtime_id.clone(),
            runtime_source_uri: uri.unwrap_or_default().to_owned(),
            source_cursor,
            source_event_id: self.record.clone().filter(|_| uri.is_some()),
            observed_by_peer_id: device.clone(),
            observed_at: seen,
        };
        SourcePointer { provenance, generation }
    }

    /// The name that the agent made up for the session.
    pub(super) fn slug(&self) -> Option<Value> {
        self.slug.as_ref().map(|it| json!(it))
    }

    /// The file that holds the history, as it was at the last read.
    pub(super) fn file(&self) -> Option<Value> {
        let uri = self.exposed()?;
        let source = self.sources.iter().find(|it| it.state.locator == uri)?;
        Some(json!({ "bytes": source.state.fingerprint.size }))
    }

    /// The journal or prompt history that has a session whose agent exposes no history.
    pub(super) fn heard_in(&self) -> Option<Value> {
        let uri = &self.row.source_uri;
        (self.exposed().is_none() && !uri.is_empty()).then(|| json!(uri))
    }
}

/// Whether the source exists: a file may be back since the last scan. Only a read can tell what is
/// in a database.
fn is_there(source: &SourceRow) -> bool {
    let state = &source.state;
    let in_file = source.present || state.key.is_empty();
    in_file && !is_missing(&Path::new(&state.home).join(&state.path))
}
