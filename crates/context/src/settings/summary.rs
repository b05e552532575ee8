//! The user's own command for summaries.

use std::time::Duration;

/// The default time limit of a run of the user's command.
const LIMIT: Duration = Duration::from_secs(20);

/// The user's own command for summaries.
#[derive(Debug, Clone)]
pub struct SummarySettings {
    /// The command and its arguments; empty for no command.
    pub command: Vec<String>,
    /// Generates an unguessable string of letters and digits.
    pub draw: fn() -> String,
    /// The time limit of a run.
    pub limit: Duration,
}

impl Default for SummarySettings {
    fn default() -> Self {
        Self { command: Vec::new(), draw: String::new, limit: LIMIT }
    }
}
