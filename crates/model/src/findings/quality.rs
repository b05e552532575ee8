//! Measures of a session's work: turns to completion, fixed tests, and waiting times for people.

mod fold;
mod step;

pub use fold::{QualityFold, TooLate, quality};
pub use step::{Place, Step, step};

use super::outcome::Outcome;
use serde::{Deserialize, Serialize};

/// The measures of one session. Unknown values are absent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionQuality {
    /// Turns to completion; only if the last turn completed.
    pub turns: Option<u64>,
    /// Checks that failed and then passed; only if checks were run.
    pub fixed: Option<u64>,
    /// The waiting time of each approval, in milliseconds.
    pub approvals: Vec<u64>,
    /// The waiting time for each prompt after the first, in milliseconds.
    pub idle: Vec<u64>,
    /// What came out of it.
    pub outcome: Outcome,
}

/// The measures of several sessions together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quality {
    /// The number of sessions.
    pub sessions: u64,
    /// The median of turns to completion.
    pub turns_to_completion: Option<u64>,
    /// The total of checks that failed and then passed.
    pub test_fix_loops: Option<u64>,
    /// The median waiting time of approvals, in milliseconds.
    pub approval_latency_ms: Option<u64>,
    /// The median waiting time for the next prompt, in milliseconds.
    pub idle_ms: Option<u64>,
}

/// Combines the measures of several sessions.
#[must_use]
pub fn total(all: &[SessionQuality]) -> Quality {
    let fixed: Vec<u64> = all.iter().filter_map(|it| it.fixed).collect();
    Quality {
        sessions: all.len() as u64,
        turns_to_completion: median(all.iter().filter_map(|it| it.turns).collect()),
        test_fix_loops: (!fixed.is_empty()).then(|| fixed.iter().sum()),
        approval_latency_ms: median(all.iter().flat_map(|it| it.approvals.clone()).collect()),
        idle_ms: median(all.iter().flat_map(|it| it.idle.clone()).collect()),
    }
}

/// The median; with an even count, the smaller of the two middle values.
fn median(mut all: Vec<u64>) -> Option<u64> {
    all.sort_unstable();
    all.get(all.len().saturating_sub(1) / 2).copied()
}
