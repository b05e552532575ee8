//! How long data is kept.

use taffrail_capture::JournalLimits;

/// How many days data is kept; `None` is forever.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RetentionSettings {
    /// Sessions in index and search, from their latest event on.
    pub index_days: Option<u32>,
    /// Copies in the archive, from their last change on.
    pub archive_days: Option<u32>,
    /// How much of the journal is kept.
    pub journal: JournalLimits,
}
