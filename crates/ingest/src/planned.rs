//! Compares what is on disk with the sources of the index.

use crate::scope::Scope;
use taffrail_capture::{Discovery, KnownSource, Plan, SourceFile, plan};
use taffrail_model::journal::is_locator;
use taffrail_store::SourceRow;

/// Compares the files on disk with the known sources, within a scope.
pub fn planned(discovery: Discovery, known: Vec<SourceRow>, scope: &Scope) -> Plan {
    let known: Vec<KnownSource> = known.into_iter().map(known_of).collect();
    let mut plan = plan(discovery, &known);
    if let Scope::Sources(wanted) = scope {
        // The journal may mention any session, even one it never mentioned before.
        plan.jobs.retain(|job| {
            let SourceFile { home, path, place, .. } = &job.found;
            is_locator(&place.locator) || wanted.contains(&(home.clone(), path.clone()))
        });
    }
    plan
}

pub(crate) fn known_of(row: SourceRow) -> KnownSource {
    KnownSource { id: row.id, state: row.state, present: row.present, half_read: row.half_read }
}
