//! How long silences last before they change a status.

use taffrail_model::status::Thresholds;
use taffrail_model::turn::TURN_TIMEOUT_SECONDS;

/// How long silences last before they change a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StatusSettings {
    /// The thresholds of a session's status.
    pub thresholds: Thresholds,
    /// Seconds of silence after which a turn without an end is over, if the agent waits for a
    /// prompt.
    pub turn_timeout: i64,
}

impl Default for StatusSettings {
    fn default() -> Self {
        Self { thresholds: Thresholds::default(), turn_timeout: TURN_TIMEOUT_SECONDS }
    }
}
