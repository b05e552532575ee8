//! How summaries are made: of how many turns, and by which command.

use std::time::Duration;
use taffrail_model::summary::TURNS;

/// The default time limit of a run of the user's command.
const LIMIT: Duration = Duration::from_secs(20);

/// How summaries are made.
#[derive(Debug, Clone)]
pub struct SummarySettings {
    /// How many of the latest turns a summary looks at.
    pub turns: usize,
    /// The user's command and its arguments; empty for no command.
    pub command: Vec<String>,
    /// Generates an unguessable string of letters and digits.
    pub draw: fn() -> String,
    /// The time limit of a run.
    pub limit: Duration,
}

impl Default for SummarySettings {
    fn default() -> Self {
        Self { turns: TURNS, command: Vec::new(), draw: String::new, limit: LIMIT }
    }
}
