//! Computes a binding on request.

use super::executors::executor_now;
use super::features::feature_of;
use crate::contracts::{checked, ledger};
use crate::resolve::resolve;
use crate::status::StatusLookup;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::path::Path;
use taffrail_capture::is_missing;
use taffrail_context::{Error, Settings, Target, TargetError};
use taffrail_contracts::binding::{UNAVAILABLE, of};
use taffrail_model::binding::{History, Mark, ResumeCapability, Standing};
use taffrail_model::observed::ArchiveState;
use taffrail_model::{
    AgentId, Binding, Cursor, DeviceId, Lifecycle, LineageKind, Provenance, SessionId, Timestamp,
    journal, replication,
};
use taffrail_store::{Carried, EventRow, IndexReader, Ledger, SessionRow, SourceRow};

/// A binding, for clients that show it to people.
#[derive(Debug, Clone, PartialEq)]
pub struct Tied {
    /// The current binding.
    pub binding: Binding,
    /// The sessions that it superseded.
    pub supersedes: Vec<SessionId>,
}

/// A session, resolved past superseded ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Followed {
    /// The resolved session.
    pub id: SessionId,
    /// The session that was named, if it is another one.
    pub from: Option<SessionId>,
}

/// The current binding of a session as a document.
///
/// # Errors
/// When the session cannot be found or our own files fail. `Bug` when it does not conform.
pub fn binding_with(
    settings: &Settings,
    target: &Target,
    known: StatusLookup<'_>,
) -> Result<Box<RawValue>, Error> {
    let row = resolve(settings, target)?;
    checked("binding", &of(&tie(settings, &row, known)?))
}

/// The current binding of a session.
///
/// # Errors
/// As `binding`.
pub fn tied(settings: &Settings, target: &Target) -> Result<Tied, Error> {
    let row = resolve(settings, target)?;
    let binding = tie(settings, &row, &|_| None)?;
    let index = IndexReader::open(&settings.data)?;
    let supersedes = index.map(|it| it.repairs().below(row.id)).unwrap_or_default();
    Ok(Tied { binding, supersedes })
}

/// Resolves a target; a superseded session resolves to the one that replaced it.
///
/// # Errors
/// When there is none, or the index cannot be read.
pub fn followed(settings: &Settings, target: &Target) -> Result<Followed, Error> {
    let named = resolve(settings, target)?.id;
    let index = IndexReader::open(&settings.data)?;
    let head = index.as_ref().map_or(named, |it| it.repairs().head(named));
    // A session that is not indexed cannot be shown.
    let there = index.map(|it| it.session_by_id(head)).transpose()?.flatten();
    let id = there.map_or(named, |it| it.id);
    Ok(Followed { id, from: (id != named).then_some(named) })
}

/// Computes a binding. Records the executor if it is new: the ledger remembers the last one.
pub fn tie(
    settings: &Settings,
    row: &SessionRow,
    known: StatusLookup<'_>,
) -> Result<Binding, Error> {
    let gone = || TargetError::NotFound(row.id.to_string());
    let index = IndexReader::open(&settings.data)?.ok_or_else(gone)?;
    let kept = Remembered::read(settings, row.id)?;
    let executor = executor_now(settings, row, known)?;
    let is_new = kept.binding.as_ref().is_some_and(|it| it.current_executor_peer_id != executor);
    if is_new {
        // If it cannot be recorded it is still reported, and only not remembered.
        let noted =
            ledger(settings).and_then(|mut it| Ok(it.attach(&[row.id], executor.as_deref())?));
        if let Err(error) = noted {
            tracing::info!(%error, session = %row.id, "cannot note who runs a session");
        }
    }
    let look = Look { sources: index.sources_of(row.row)?, uri: &row.source_uri };
    let last = index.last_events(row.row, 1)?.pop();
    let mark = index.repairs().mark(row.id);
    let mut hints = metadata(row, &look, (mark, index.repairs().below(row.id)));
    hints.extend(kept.carried.as_ref().map(came));
    let parts = Parts { kept, executor, mark, last, hints, now: (settings.now)() };
    // A session that runs on another device is resumed there.
    let is_here = !replication::is_locator(&row.source_uri);
    Ok(parts.binding(row, &look, is_here && settings.boot().resumable.contains(&row.agent)))
}

/// The ledger's rows about a session.
struct Remembered {
    device: DeviceId,
    binding: Option<Binding>,
    carried: Option<Carried>,
}

impl Remembered {
    fn read(settings: &Settings, session: SessionId) -> Result<Self, Error> {
        let Some(ledger) = Ledger::open_read_only(&settings.data)? else {
            let device = settings.new_device.clone();
            return Ok(Self { device, binding: None, carried: None });
        };
        let (binding, carried) = (ledger.binding(session)?, ledger.carried(session)?);
        Ok(Self { device: ledger.device()?, binding, carried })
    }
}

/// The current sources of a session.
struct Look<'a> {
    sources: Vec<SourceRow>,
    uri: &'a str,
}

impl Look<'_> {
    /// The locator of the history that the agent exposes, if it does.
    fn exposed(&self) -> Option<&str> {
        Some(self.uri).filter(|it| !it.is_empty() && !journal::is_locator(it))
    }

    fn history(&self) -> History {
        if self.exposed().is_none() {
            return History::Unexposed;
        }
        let own = || self.sources.iter().filter(|it| !journal::is_locator(&it.state.locator));
        let copied = |it: &SourceRow| matches!(it.state.kept, ArchiveState::Bytes(_));
        match (own().any(is_there), own().any(copied)) {
            (true, _) => History::Readable,
            (false, true) => History::Copied,
            (false, false) => History::Missing,
        }
    }

    /// How far it was read.
    fn cursor(&self, last: Option<&EventRow>) -> Option<Cursor> {
        let source = self.sources.iter().filter(|it| it.state.locator == self.uri);
        let source = source.max_by_key(|it| it.state.offset)?;
        match last.map(|it| &it.cursor) {
            Some(cursor @ (Cursor::Row { .. } | Cursor::Pointer { .. })) => Some(cursor.clone()),
            _ => Some(Cursor::Bytes { byte_offset: source.state.offset, length: 0 }),
        }
    }
}

/// Whether the source exists: a file may be back since the last scan. Only a read can tell what is
/// in a database.
fn is_there(source: &SourceRow) -> bool {
    let state = &source.state;
    let in_file = source.present || state.key.is_empty();
    in_file && !is_missing(&Path::new(&state.home).join(&state.path))
}

/// The other inputs of a binding.
struct Parts {
    kept: Remembered,
    executor: Option<String>,
    mark: Option<Mark>,
    last: Option<EventRow>,
    hints: Map<String, Value>,
    now: Timestamp,
}

impl Parts {
    fn binding(self, row: &SessionRow, look: &Look<'_>, resumes: bool) -> Binding {
        let history = look.history();
        let can = resumes && row.parent.is_none() && self.mark.is_none();
        let standing = Standing { history, resumable: can };
        let status = Lifecycle::of(standing).attached(self.executor.as_deref()).marked(self.mark);
        let kept = self.kept.binding.as_ref();
        let seen = kept.map_or(self.now, |it| it.last_seen_at);
        let seen = seen.max(self.last.as_ref().map_or(seen, |it| it.observed_at));
        let cursor = look.cursor(self.last.as_ref());
        let cursor = cursor.or_else(|| kept.and_then(|it| it.source_cursor.clone()));
        let last = self.executor.clone().or_else(|| kept.and_then(|it| it.peer_id.clone()));
        Binding {
            session_id: row.id,
            peer_id: last,
            current_executor_peer_id: self.executor.clone(),
            backend: AgentId::new(row.agent.clone()),
            project_path: self.project_path().or_else(|| row.project_path.clone()),
            runtime_session_id: row.runtime_id.clone(),
            runtime_source_uri: look.exposed().unwrap_or_default().to_owned(),
            provenance: Some(self.provenance(row, look, (cursor.clone(), seen))),
            source_cursor: cursor.filter(|_| look.exposed().is_some()),
            resume_capability: ResumeCapability {
                by_runtime_id: can && history == History::Readable,
            },
            created_at: kept.map_or(seen, |it| it.created_at).min(seen),
            last_seen_at: seen,
            status,
            metadata: self.hints,
        }
    }

    /// The folder in which it continues, if it was imported.
    fn project_path(&self) -> Option<String> {
        self.kept.carried.as_ref().map(|it| it.project_path.clone())
    }

    fn provenance(
        &self,
        row: &SessionRow,
        look: &Look<'_>,
        (cursor, seen): (Option<Cursor>, Timestamp),
    ) -> Provenance {
        let uri = look.exposed();
        let last = self.last.as_ref().filter(|it| Some(it.locator.as_str()) == uri);
        Provenance {
            source_kind: uri.map_or(UNAVAILABLE, |_| "runtime_transcript").to_owned(),
            backend: AgentId::new(row.agent.clone()),
            runtime_session_id: row.runtime_id.clone(),
            runtime_source_uri: uri.unwrap_or_default().to_owned(),
            source_cursor: cursor.unwrap_or(Cursor::Bytes { byte_offset: 0, length: 0 }),
            source_event_id: last.and_then(|it| it.source_event_id.clone()),
            observed_by_peer_id: self.kept.device.clone(),
            observed_at: seen,
        }
    }
}

/// Imported data is another device's word.
fn came(it: &Carried) -> (String, Value) {
    let lineage = LineageKind::Teleport;
    let came = json!({
        "lineage": lineage.as_str(), "device": it.device, "device_name": it.device_name,
        "at": it.at, "bundle": it.bundle, "untrusted": true,
    });
    ("carried".to_owned(), came)
}

/// Hints next to the fields of the contract; never text of a transcript.
fn metadata(
    row: &SessionRow,
    look: &Look<'_>,
    (mark, below): (Option<Mark>, Vec<SessionId>),
) -> Map<String, Value> {
    let mut out = Map::new();
    let mut add = |name: &str, value: Value| out.insert(name.to_owned(), value);
    if let Some(parent) = row.parent {
        add("parent_id", json!(parent));
    }
    match mark {
        Some(Mark::Superseded(by)) => drop(add("superseded_by", json!(by))),
        Some(Mark::Archived) => drop(add("archived_by", json!("person"))),
        None if look.history() == History::Copied => drop(add("archived_by", json!("clean-up"))),
        None => {}
    }
    if !below.is_empty() {
        add("supersedes", json!(below));
    }
    if let Some(feature) = feature_of(row.project_path.as_deref(), row.last_event_at) {
        add("feature", json!({ "feature_id": feature.feature_id, "project": feature.project }));
    }
    if look.exposed().is_none() && !look.uri.is_empty() {
        add("heard_in", json!(look.uri));
    }
    out
}
