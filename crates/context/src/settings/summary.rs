//! The user's own command for summaries.

use std::time::Duration;

/// How long a run of the user's own command may take.
const LIMIT: Duration = Duration::from_secs(20);

/// The user's own command for summaries.
#[derive(Debug, Clone)]
pub struct SummarySettings {
    /// Its words; none for no command.
    pub command: Vec<String>,
    /// Draws what nobody can guess, in letters and digits.
    pub draw: fn() -> String,
    /// How long a run may take.
    pub limit: Duration,
}

impl Default for SummarySettings {
    fn default() -> Self {
        Self { command: Vec::new(), draw: String::new, limit: LIMIT }
    }
}
