//! Sessions in the form of the open contracts: filled from the index, validated before use,
//! recorded.

mod annotations;
mod captured;
mod disk;
mod foreign;
mod imported;
mod orchestrated;
mod recorded;
mod session_state;
mod snapshots;
mod transfer;

pub use annotations::{Remarked, clear_notes, note, remarks, tag};
pub(crate) use annotations::{is_note, is_tag};
pub(crate) use imported::state_of;
pub use imported::{
    Imported, ImportedWork, import_state, imported_session, imported_work, state_in_file,
};
pub use snapshots::{SnapshotAdapter, SnapshotTarget, snapshot, snapshot_history};

pub(crate) use captured::latest_part;
pub use captured::{captured, workers_below};
pub use foreign::{SnapshotRow, recorded_snapshots};
pub use session_state::state_with;
pub use snapshots::{recorded_snapshot, session_snapshot};
pub use transfer::{Pushed, TROUBLE, pushed_note};

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use taffrail_context::{Error, Settings};
use taffrail_contracts::{Contract, Fault, Strictness, find, validate};
use taffrail_store::Ledger;

/// The number of faults that a message names; it counts the rest.
const NAMED: usize = 5;

/// Serializes a document of ours and validates it against its contract. A fault here is a bug of
/// ours.
pub fn checked(contract: &str, document: &impl Serialize) -> Result<Box<RawValue>, Error> {
    let broken = |error: serde_json::Error| Error::Bug(error.to_string());
    let value = serde_json::to_value(document).map_err(broken)?;
    let Some(contract) = find(contract) else { return to_raw_value(document).map_err(broken) };
    let report = validate(contract, &value, Strictness::Strict);
    match report.is_valid() {
        true => to_raw_value(document).map_err(broken),
        false => Err(Error::Bug(told(contract, &report.faults))),
    }
}

/// Formats faults on one line.
fn told(contract: &Contract, faults: &[Fault]) -> String {
    let named = faults.iter().take(NAMED).map(|it| {
        let place = if it.pointer.is_empty() { "the document" } else { it.pointer.as_str() };
        format!("{place}: {} [{}]", it.message, it.rule)
    });
    let named: Vec<_> = named.collect();
    let more = faults.len().saturating_sub(NAMED);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    format!("{}: {}{more}", contract.title, named.join("; "))
}

/// Opens the ledger for the few rows that a person or a contract asks us to store. Each is one
/// transaction, so no lock is needed next to the writer.
pub fn ledger(settings: &Settings) -> Result<Ledger, Error> {
    Ok(Ledger::open(&settings.data, &settings.new_device)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_document_of_ours_that_fails_is_told_with_its_places() {
        let error = checked("ecc", &json!({ "schemaVersion": 7 })).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("/schemaVersion"), "{text}");
        assert!(text.contains("[adapterId.required]"), "{text}");
        assert!(matches!(error, Error::Bug(_)));
    }
}
