//! What a writer is given, and what it gives back.

use std::collections::HashSet;
use taffrail_model::DeviceId;
use taffrail_model::observed::Outcome;

/// What a writer must know about the machine.
#[derive(Debug, Clone)]
pub struct Boot {
    /// Changes with every start of the machine: after an unclean one the numbering is new.
    pub id: String,
    /// The name this device takes if it has none.
    pub new_device: DeviceId,
    /// Agents whose sessions can be resumed by id.
    pub resumable: HashSet<String>,
}

/// What was written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Applied {
    /// Inserted, changed or removed events.
    pub changes: u64,
    /// What was read for it.
    pub outcome: Outcome,
    /// Of the events, by their place in the piece, those that are new, and the row of their session.
    pub new: Vec<(usize, i64)>,
}

/// A session a batch touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Touched {
    /// The row of the session.
    pub row: i64,
    /// Its last change number before the batch.
    pub before: u64,
}
