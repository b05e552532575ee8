//! A line of the daemon's log.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use taffrail_model::Timestamp;

/// A line of `daemon logs --json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogLine {
    /// When it was written; nothing for a line that the daemon's process printed and did not log.
    pub at: Option<Timestamp>,
    /// `error`, `warn`, `info`, `debug` or `trace`.
    pub level: Option<String>,
    /// The part of Taffrail that wrote it, as `taffrail_sync::hub`.
    pub target: Option<String>,
    /// What happened.
    pub message: String,
    /// Ids, counts, kinds and errors, by name.
    pub fields: BTreeMap<String, String>,
}
