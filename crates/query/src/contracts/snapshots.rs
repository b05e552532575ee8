//! `ecc.session.v1`: snapshots of captured sessions and of sessions that the contract's own
//! adapters find.

use super::captured::captured;
use super::imported::state_of;
use super::{checked, foreign, ledger, orchestrated, recorded};
use crate::resolve::resolve;
use crate::status::StatusLookup;
use serde_json::value::{RawValue, to_raw_value};
use std::path::Path;
use taffrail_context::{Error, Settings, Target, TargetError};
use taffrail_contracts::ecc::{self, ImportedSession, Snapshot, dmux, history};
use taffrail_store::{Ledger, SessionRow, Taken};

/// The adapter that takes a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnapshotAdapter {
    /// Our own, for captured sessions.
    Captured,
    /// The contract's adapter for worktree sessions in tmux.
    Orchestrated,
    /// The contract's adapter for session files.
    Recorded,
}

impl SnapshotAdapter {
    /// All adapters, in the order in which they try a target.
    pub const ALL: [Self; 3] = [Self::Captured, Self::Orchestrated, Self::Recorded];

    /// The id in a snapshot.
    #[must_use]
    pub fn id(self) -> &'static str {
        match self {
            Self::Captured => ecc::ADAPTER,
            Self::Orchestrated => dmux::ADAPTER,
            Self::Recorded => history::ADAPTER,
        }
    }
}

/// The target of a snapshot.
#[derive(Debug, Clone, Copy)]
pub struct SnapshotTarget<'a> {
    /// A session, a plan, a name in tmux, or a session file.
    pub text: &'a str,
    /// The current folder.
    pub here: &'a Path,
    /// The adapter; else the first that knows the target.
    pub adapter: Option<SnapshotAdapter>,
}

/// Takes a snapshot, validates it and records it.
///
/// # Errors
/// When the target matches nothing, or our own files fail. `Bug` when the snapshot does not
/// conform.
pub fn snapshot(settings: &Settings, target: SnapshotTarget<'_>) -> Result<Box<RawValue>, Error> {
    match foreign::snapshot(target)? {
        Some(snapshot) => foreign_snapshot(settings, &snapshot),
        None => recorded_snapshot(settings, &taken(settings, target)?),
    }
}

/// Every distinct snapshot of a target, the oldest first, each with the time when it was first
/// taken.
///
/// # Errors
/// As `snapshot`, but nothing is recorded.
pub fn snapshot_history(
    settings: &Settings,
    target: SnapshotTarget<'_>,
) -> Result<Vec<Taken>, Error> {
    let (adapter, session) = match (foreign::snapshot(target)?, captured_row(settings, target)?) {
        (Some(found), _) => (found.adapter_id, found.session.id),
        (None, Some(row)) => (ecc::ADAPTER.to_owned(), row.id.to_string()),
        (None, None) => {
            let found = taken(settings, target)?;
            (found.adapter_id, found.session.id)
        }
    };
    match Ledger::open_read_only(&settings.data)? {
        Some(ledger) => Ok(ledger.history(&adapter, &session)?),
        None => Ok(Vec::new()),
    }
}

/// A snapshot of a captured session, with a live status if the caller has one.
pub fn session_snapshot(
    settings: &Settings,
    target: &Target,
    known: StatusLookup<'_>,
) -> Result<Snapshot, Error> {
    of_row(settings, resolve(settings, target)?, known)
}

/// The snapshot of a session: of an imported one, from its document.
fn of_row(
    settings: &Settings,
    row: SessionRow,
    known: StatusLookup<'_>,
) -> Result<Snapshot, Error> {
    match state_of(settings, &row)? {
        Some(state) => {
            let (id, source_uri) = (row.id.to_string(), row.source_uri.as_str());
            Ok(ecc::of_state(&state, ImportedSession { id: &id, source_uri }))
        }
        None => Ok(ecc::of(&captured(settings, row, known)?)),
    }
}

/// Validates and records a snapshot: it replaces the latest, and the history holds each body once.
pub fn recorded_snapshot(settings: &Settings, snapshot: &Snapshot) -> Result<Box<RawValue>, Error> {
    record(settings, snapshot, checked("ecc", snapshot)?)
}

/// Records a snapshot of another tool. One that names us as its adapter is printed and not recorded: only
/// what we take ourselves belongs into the history of our sessions.
fn foreign_snapshot(settings: &Settings, snapshot: &Snapshot) -> Result<Box<RawValue>, Error> {
    let broken = |error: serde_json::Error| Error::Bug(error.to_string());
    let body = to_raw_value(snapshot).map_err(broken)?;
    if snapshot.adapter_id == ecc::ADAPTER {
        return Ok(body);
    }
    record(settings, snapshot, body)
}

fn record(
    settings: &Settings,
    snapshot: &Snapshot,
    body: Box<RawValue>,
) -> Result<Box<RawValue>, Error> {
    ledger(settings)?.record(&Taken {
        adapter: snapshot.adapter_id.clone(),
        session: snapshot.session.id.clone(),
        mark: ecc::mark(snapshot),
        body: body.get().to_owned(),
        at: (settings.now)(),
    })?;
    Ok(body)
}

fn taken(settings: &Settings, target: SnapshotTarget<'_>) -> Result<Snapshot, Error> {
    if let Some(row) = captured_row(settings, target)? {
        return of_row(settings, row, &|_| None);
    }
    for adapter in SnapshotAdapter::ALL {
        let is_asked = target.adapter.is_none_or(|it| it == adapter);
        let found = match adapter {
            SnapshotAdapter::Orchestrated if is_asked => orchestrated::snapshot(settings, target)?,
            SnapshotAdapter::Recorded if is_asked => recorded::snapshot(settings, target)?,
            SnapshotAdapter::Captured
            | SnapshotAdapter::Orchestrated
            | SnapshotAdapter::Recorded => None,
        };
        if let Some(found) = found {
            return Ok(found);
        }
    }
    Err(TargetError::NotFound(target.text.to_owned()).into())
}

/// The captured session of a target, unless another adapter is requested or clearly meant.
fn captured_row(
    settings: &Settings,
    target: SnapshotTarget<'_>,
) -> Result<Option<SessionRow>, Error> {
    let is_asked = target.adapter == Some(SnapshotAdapter::Captured);
    let is_clear = recorded::is_meant(target.text) || orchestrated::is_plan(target);
    if !is_asked && (target.adapter.is_some() || is_clear) {
        return Ok(None);
    }
    match resolve(settings, &Target::parse(target.text, target.here)) {
        Ok(row) => Ok(Some(row)),
        Err(Error::Target(TargetError::NotFound(_))) if !is_asked => Ok(None),
        Err(error) => Err(error),
    }
}
