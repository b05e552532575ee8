//! Computes a binding on request.

use super::capability::{Folder, capability};
use super::executors::executor_now;
use super::features::feature_of;
use super::history::Look;
use crate::contracts::{checked, ledger};
use crate::resolve::resolve;
use crate::status::StatusLookup;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::path::Path;
use taffrail_context::{Error, Settings, Target, TargetError};
use taffrail_contracts::binding::of;
use taffrail_model::binding::{History, Mark, SourcePointer, Standing};
use taffrail_model::{
    AgentId, Binding, DeviceId, Lifecycle, LineageKind, SessionId, Timestamp, replication,
};
use taffrail_run::accepts_text;
use taffrail_store::{Carried, IndexReader, Ledger, SessionRow};

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

/// The sessions whose histories make up one: those that were joined to it, the earliest first, and
/// the session itself at the end.
///
/// # Errors
/// When the session cannot be found, or the index cannot be read.
pub fn histories(settings: &Settings, target: &Target) -> Result<Vec<SessionRow>, Error> {
    let row = resolve(settings, target)?;
    let mut out = Vec::new();
    if let Some(index) = IndexReader::open(&settings.data)? {
        for id in index.repairs().below(row.id) {
            out.extend(index.session_by_id(id)?);
        }
    }
    out.sort_by_key(|it| (it.last_event_at, it.id));
    out.push(row);
    Ok(out)
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
    if kept.binding.as_ref().is_some_and(|it| it.current_executor_peer_id != executor) {
        note_executor(settings, row, executor.as_deref());
    }
    let look = Look::at(&index, row)?;
    let (mark, below) = (index.repairs().mark(row.id), index.repairs().below(row.id));
    let now = (settings.now)();
    let observed_at = index.last_events(row.row, 1)?.pop().map(|it| it.observed_at);
    let joined = joined(settings, &index, (&below, now))?;
    let parts = Parts { settings, row, look, kept, executor, mark, below, joined };
    Ok(parts.binding(observed_at, now))
}

/// If the executor cannot be recorded it is still reported, and only not remembered.
fn note_executor(settings: &Settings, row: &SessionRow, executor: Option<&str>) {
    let noted = ledger(settings).and_then(|mut it| Ok(it.attach(&[row.id], executor)?));
    if let Err(error) = noted {
        tracing::info!(%error, session = %row.id, "cannot note who runs a session");
    }
}

/// Pointers into the histories of the sessions that were joined to one.
fn joined(
    settings: &Settings,
    index: &IndexReader,
    (below, now): (&[SessionId], Timestamp),
) -> Result<Vec<SourcePointer>, Error> {
    let mut out = Vec::new();
    for id in below {
        let Some(row) = index.session_by_id(*id)? else { continue };
        let kept = Remembered::read(settings, *id)?;
        let seen = kept.binding.as_ref().map_or(now, |it| it.last_seen_at);
        let look = Look::at(index, &row)?;
        out.push(look.pointer(kept.binding.as_ref(), (&kept.device, seen)));
    }
    Ok(out)
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

/// The inputs of a binding.
struct Parts<'a> {
    settings: &'a Settings,
    row: &'a SessionRow,
    look: Look<'a>,
    kept: Remembered,
    executor: Option<String>,
    mark: Option<Mark>,
    below: Vec<SessionId>,
    joined: Vec<SourcePointer>,
}

impl Parts<'_> {
    fn binding(self, observed_at: Option<Timestamp>, now: Timestamp) -> Binding {
        let Self { row, look, mark, .. } = &self;
        let (history, folder) = (look.history(), self.folder());
        let resume = capability(self.settings, row, (history, *mark), &folder);
        let standing = Standing { history, resumable: resume.by_runtime_id };
        let status = Lifecycle::of(standing).attached(self.executor.as_deref()).marked(*mark);
        let kept = self.kept.binding.as_ref();
        let seen = kept.map_or(now, |it| it.last_seen_at);
        let seen = observed_at.map_or(seen, |it| it.max(seen));
        let (cursor, generation) = look.position(kept).unzip();
        let own = look.pointer(kept, (&self.kept.device, seen));
        let last = self.executor.clone().or_else(|| kept.and_then(|it| it.peer_id.clone()));
        Binding {
            session_id: row.id,
            peer_id: last,
            current_executor_peer_id: self.executor.clone(),
            backend: AgentId::new(row.agent.clone()),
            project_path: self.canonical_folder().or_else(|| folder.path().map(str::to_owned)),
            runtime_session_id: row.runtime_id.clone(),
            runtime_source_uri: look.exposed().unwrap_or_default().to_owned(),
            source_cursor: cursor,
            source_generation: generation.unwrap_or(0),
            provenance: std::iter::once(own).chain(self.joined.iter().cloned()).collect(),
            resume_capability: resume,
            created_at: kept.map_or(seen, |it| it.created_at).min(seen),
            last_seen_at: seen,
            status,
            metadata: self.metadata(&folder),
        }
    }

    /// The folder in which it continues: where it was imported to, or where its agent worked.
    fn folder(&self) -> Folder {
        match &self.kept.carried {
            Some(it) => Folder::Imported(it.project_path.clone()),
            None => Folder::Recorded(self.row.project_path.clone()),
        }
    }

    /// The same folder without links, if it exists on this device.
    fn canonical_folder(&self) -> Option<String> {
        let is_here = !replication::is_locator(&self.row.source_uri);
        let folder = self.folder();
        folder.path().filter(|_| is_here).and_then(canonical)
    }

    /// Hints next to the fields of the contract; never text of a transcript.
    fn metadata(&self, folder: &Folder) -> Map<String, Value> {
        let row = self.row;
        let archived = match self.mark {
            Some(Mark::Archived) => Some("person"),
            None if self.look.history() == History::Copied => Some("clean-up"),
            Some(Mark::Superseded(_)) | None => None,
        };
        let superseded = match self.mark {
            Some(Mark::Superseded(by)) => Some(json!(by)),
            Some(Mark::Archived) | None => None,
        };
        let feature = feature_of(row.project_path.as_deref(), row.last_event_at);
        let differs = self.canonical_folder().filter(|it| Some(it.as_str()) != folder.path());
        let hints = [
            ("parent_id", row.parent.map(|it| json!(it))),
            ("superseded_by", superseded),
            ("archived_by", archived.map(|it| json!(it))),
            ("supersedes", (!self.below.is_empty()).then(|| json!(self.below))),
            (
                "feature",
                feature.map(|it| json!({ "feature_id": it.feature_id, "project": it.project })),
            ),
            ("heard_in", self.look.heard_in()),
            ("file", self.look.file()),
            ("slug", self.look.slug()),
            ("can_receive", self.executor.as_deref().map(|it| json!(accepts_text(it)))),
            ("recorded", differs.map(|_| json!({ "project_path": folder.path() }))),
            ("carried", self.kept.carried.as_ref().map(came)),
        ];
        let known = hints.into_iter().filter_map(|(name, it)| Some((name.to_owned(), it?)));
        known.collect()
    }
}

/// A folder without links; `None` if it does not exist here.
pub(super) fn canonical(path: &str) -> Option<String> {
    let path = Some(Path::new(path)).filter(|it| it.is_absolute())?;
    path.canonicalize().ok()?.to_str().map(str::to_owned)
}

/// Imported data is another device's word.
fn came(it: &Carried) -> Value {
    let lineage = LineageKind::Teleport;
    json!({
        "lineage": lineage.as_str(), "device": it.device, "device_name": it.device_name,
        "at": it.at, "bundle": it.bundle, "untrusted": true,
    })
}
