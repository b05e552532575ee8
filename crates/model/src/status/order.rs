//! The one order of evidence, whatever the order of arrival.

use crate::evidence::Evidence;
use crate::{Confidence, Signal};

/// Sorts evidence by its own time, and evidence of the same instant in the order in which such
/// things happen. Duplicates appear once.
pub(super) fn in_order(evidence: &[Evidence]) -> Vec<(usize, &Evidence)> {
    let mut all: Vec<_> = evidence.iter().enumerate().collect();
    all.sort_by_cached_key(|(_, it)| {
        let words = (it.says.to_text(), it.source.as_str().to_owned(), it.kind.clone());
        (it.at, step(&it.says), words, it.detail.clone(), it.confidence.as_str().to_owned())
    });
    all.dedup_by(|later, earlier| later.1 == earlier.1);
    all
}

/// Of two pieces of evidence at one instant, the lower came first.
fn step(says: &Signal) -> u8 {
    match says {
        Signal::Started | Signal::TookOver => 0,
        Signal::Prompted => 1,
        Signal::Busy | Signal::Alive | Signal::Unknown(_) => 2,
        Signal::Compacting => 3,
        Signal::Compacted => 4,
        Signal::Called { .. } => 5,
        Signal::AskedApproval { .. } | Signal::Asked { .. } => 6,
        Signal::Settled { .. } => 7,
        Signal::Answered { .. } => 8,
        Signal::Interrupted => 9,
        Signal::Failed => 10,
        Signal::TurnOver => 11,
        Signal::WorkingOn => 12,
        Signal::Quiet => 13,
        Signal::Ended => 14,
        Signal::Died => 15,
    }
}

/// The weaker of two confidences.
pub(super) fn weaker(one: Confidence, other: Confidence) -> Confidence {
    if trust(&one) <= trust(&other) { one } else { other }
}

/// A confidence as a number.
pub(super) fn trust(confidence: &Confidence) -> u8 {
    match confidence {
        Confidence::High => 2,
        Confidence::Medium => 1,
        Confidence::Low | Confidence::Unknown(_) => 0,
    }
}
