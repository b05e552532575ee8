//! What a hub stores of a team, for retention and for display.

use super::{BlobName, LogName};
use taffrail_model::Timestamp;

/// Something that a hub stores and can remove.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum StoredItem {
    /// An entry of a log.
    Entry(LogName, u64),
    /// A blob.
    Blob(BlobName),
}

/// Its age and size, as the hub knows them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// What it is.
    pub item: StoredItem,
    /// When it was stored, by the hub's clock.
    pub at: Timestamp,
    /// How many bytes it has.
    pub bytes: u64,
}

/// How much a hub stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// The bytes.
    pub bytes: u64,
    /// The most bytes it may store, if it has a limit.
    pub limit: Option<u64>,
    /// Whose bytes these are.
    pub of: UsageOf,
}

/// Whose bytes are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsageOf {
    /// The team's.
    Team,
    /// Those of everyone who shares the server's account.
    Everyone,
}
