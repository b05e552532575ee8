//! Sessions as the open contracts have them: filled from the index, checked before use, recorded.

mod captured;
mod carrying;
mod imported;
mod orchestrated;
mod recorded;
mod remarks;
mod snapshots;
mod states;

pub use imported::{Imported, import_state, imported_session};
pub use remarks::{Remarked, clear_notes, note, remarks, tag};
pub use snapshots::{SnapshotAdapter, SnapshotTarget, snapshot, snapshot_history};
pub use states::export_state;

pub(crate) use captured::{captured, workers_below};
pub(crate) use carrying::{Pushed, TROUBLE, pushed_note};
pub(crate) use imported::remove_given;
pub(crate) use snapshots::{recorded_snapshot, session_snapshot};
pub(crate) use states::state_with;

use crate::live::Card;
use crate::{DaemonError, Settings};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use std::sync::Arc;
use taffrail_contracts::{Contract, Fault, Strictness, find, validate};
use taffrail_model::SessionId;
use taffrail_store::Ledger;

/// Who may know how a session stands.
pub(crate) type Known<'a> = &'a dyn Fn(SessionId) -> Option<Arc<Card>>;

/// The faults that are named in a message; the rest is counted.
const NAMED: usize = 5;

/// A document of ours after its check, to the letter, in the order of its contract. That it fails is a
/// bug of ours.
pub(crate) fn checked(
    contract: &str,
    document: &impl Serialize,
) -> Result<Box<RawValue>, DaemonError> {
    let broken = |error: serde_json::Error| DaemonError::Bug(error.to_string());
    let value = serde_json::to_value(document).map_err(broken)?;
    let Some(contract) = find(contract) else { return to_raw_value(document).map_err(broken) };
    let report = validate(contract, &value, Strictness::Strict);
    match report.is_valid() {
        true => to_raw_value(document).map_err(broken),
        false => Err(DaemonError::Bug(told(contract, &report.faults))),
    }
}

/// Faults in one line.
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

/// The ledger, for the few rows a person or a contract asks to be kept. Each is one transaction, so
/// that no lock is needed beside the writer.
pub(crate) fn ledger(settings: &Settings) -> Result<Ledger, DaemonError> {
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
        assert!(matches!(error, DaemonError::Bug(_)));
        assert_eq!(crate::server::error_body(&error).code, 1, "a fault of ours, not of who asks");
    }
}
