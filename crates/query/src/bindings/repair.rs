//! Repairs bindings by hand: joins two that are one, and archives one that is kept for history
//! only.

use super::binding::binding_with;
use crate::contracts::ledger;
use crate::resolve::resolve;
use crate::status::StatusLookup;
use serde_json::value::RawValue;
use taffrail_api::{RepairReply, SCHEMA_VERSION};
use taffrail_context::{Error, Settings, Target};
use taffrail_model::SessionId;
use taffrail_store::{Joined, SessionRow};

/// A repair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repair {
    /// The session replaces this one.
    Join(Target),
    /// A join is undone.
    Split,
    /// The session is kept for history only.
    Archive,
    /// The session is no longer kept for history only.
    Unarchive,
}

/// Repairs the binding of a session. A repair that is already in place changes nothing.
///
/// # Errors
/// When a session cannot be found or the ledger cannot be written. `Repair` for sub-agents, cycles,
/// and a session that is joined elsewhere.
pub fn repair_with(
    settings: &Settings,
    target: &Target,
    how: &Repair,
    known: StatusLookup<'_>,
) -> Result<RepairReply, Error> {
    let row = main_session(settings, target)?;
    let now = (settings.now)();
    let changed = match how {
        Repair::Join(old) => join(settings, &row, &main_session(settings, old)?)?,
        Repair::Split => ledger(settings)?.split(row.id)?,
        Repair::Archive => one(&row, ledger(settings)?.archive(row.id, Some(now))?),
        Repair::Unarchive => one(&row, ledger(settings)?.archive(row.id, None)?),
    };
    let binding = binding_with(settings, &Target::Id(row.id.to_string()), known)?;
    Ok(RepairReply { schema_version: SCHEMA_VERSION, changed, binding: value(&binding)? })
}

fn value(binding: &RawValue) -> Result<serde_json::Value, Error> {
    serde_json::from_str(binding.get()).map_err(|error| Error::Bug(error.to_string()))
}

fn one(row: &SessionRow, changed: bool) -> Vec<SessionId> {
    if changed { vec![row.id] } else { Vec::new() }
}

/// A sub-agent is bound through its parent session.
fn main_session(settings: &Settings, target: &Target) -> Result<SessionRow, Error> {
    let row = resolve(settings, target)?;
    match row.parent {
        Some(parent) => Err(Error::Repair(format!(
            "{} works for {parent}; only sessions of their own are repaired",
            row.id
        ))),
        None => Ok(row),
    }
}

fn join(settings: &Settings, row: &SessionRow, old: &SessionRow) -> Result<Vec<SessionId>, Error> {
    let refused = |why: String| Err(Error::Repair(why));
    match ledger(settings)?.supersede(old.id, row.id, (settings.now)())? {
        Joined::Now => Ok(vec![old.id]),
        Joined::Before => Ok(Vec::new()),
        Joined::Circle if old.id == row.id => {
            refused(format!("{} cannot take its own place", row.id))
        }
        Joined::Circle => refused(format!("{} is joined to {} already", row.id, old.id)),
        Joined::Elsewhere(by) => refused(format!("{} is joined to {by}; split it first", old.id)),
    }
}
