//! `ecc.session.v1`: snapshots of captured sessions and of what the contract's own adapters find.

use super::captured::captured;
use super::{checked, ledger, orchestrated, recorded};
use crate::resolve::resolve;
use crate::status::StatusLookup;
use serde_json::value::RawValue;
use std::path::Path;
use taffrail_context::{Error, Settings, Target, TargetError};
use taffrail_contracts::ecc::{self, Snapshot, dmux, history};
use taffrail_store::{Ledger, SessionRow, Taken};

/// Who takes a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnapshotAdapter {
    /// We, of a captured session.
    Captured,
    /// The contract's adapter for sessions of worktrees in tmux.
    Orchestrated,
    /// The contract's adapter for session files.
    Recorded,
}

impl SnapshotAdapter {
    /// All of them, in the order in which a word is tried.
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

/// What a snapshot is asked of.
#[derive(Debug, Clone, Copy)]
pub struct SnapshotTarget<'a> {
    /// A session, a plan, a name in tmux, or a session file.
    pub text: &'a str,
    /// The current folder.
    pub here: &'a Path,
    /// Who takes it; else the first who knows the target.
    pub adapter: Option<SnapshotAdapter>,
}

/// Takes a snapshot, checks it and records it.
///
/// # Errors
/// When nothing is meant by the target, or our own files fail. `Bug` when it does not conform.
pub fn snapshot(settings: &Settings, target: SnapshotTarget<'_>) -> Result<Box<RawValue>, Error> {
    recorded_snapshot(settings, &taken(settings, target)?)
}

/// Every distinct snapshot of what a target means, the oldest first, each with when it was first taken.
///
/// # Errors
/// As `snapshot`, but nothing is recorded.
pub fn snapshot_history(
    settings: &Settings,
    target: SnapshotTarget<'_>,
) -> Result<Vec<Taken>, Error> {
    let (adapter, session) = match captured_row(settings, target)? {
        Some(row) => (ecc::ADAPTER.to_owned(), row.id.to_string()),
        None => {
            let found = taken(settings, target)?;
            (found.adapter_id, found.session.id)
        }
    };
    match Ledger::open_read_only(&settings.data)? {
        Some(ledger) => Ok(ledger.history(&adapter, &session)?),
        None => Ok(Vec::new()),
    }
}

/// A snapshot of a captured session, which somebody may know to be alive.
pub fn session_snapshot(
    settings: &Settings,
    target: &Target,
    known: StatusLookup<'_>,
) -> Result<Snapshot, Error> {
    Ok(ecc::of(&captured(settings, resolve(settings, target)?, known)?))
}

/// The same after its check, recorded: the latest is replaced, and a body stands in the history once.
pub fn recorded_snapshot(settings: &Settings, snapshot: &Snapshot) -> Result<Box<RawValue>, Error> {
    let body = checked("ecc", snapshot)?;
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
        return Ok(ecc::of(&captured(settings, row, &|_| None)?));
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

/// The captured session that is meant, unless another adapter is asked for or is clearly meant.
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
