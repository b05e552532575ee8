//! The inputs and results of the writer.

use super::answer_prices::Pricing;
use std::collections::HashSet;
use taffrail_model::DeviceId;
use taffrail_model::observed::Outcome;

/// What the writer needs to know about the machine.
#[derive(Debug, Clone)]
pub struct Boot {
    /// Changes with every boot: after an unclean shutdown the generation is new.
    pub id: String,
    /// The id for this device if it has none yet.
    pub new_device: DeviceId,
    /// Agents whose sessions can be resumed by id.
    pub resumable: HashSet<String>,
    /// Agents whose reported cost of a session includes that of its sub-agents.
    pub reports_with_workers: HashSet<String>,
    /// The prices of model answers.
    pub pricing: Pricing,
}

/// The result of writing a piece.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Applied {
    /// Inserted, changed or removed events.
    pub changes: u64,
    /// The outcome of the read.
    pub outcome: Outcome,
    /// The new events, by their position in the piece, and the row of their session.
    pub new: Vec<(usize, i64)>,
}

/// A session that a batch changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touched {
    /// The row of the session.
    pub row: i64,
    /// Its last change number before the batch.
    pub before: u64,
}
