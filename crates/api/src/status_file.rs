//! The status of all sessions in one small file for status bars, which read it without the daemon.

use crate::Gauge;
use serde::{Deserialize, Serialize};
use taffrail_model::SessionId;
use taffrail_model::status::Group;

/// The name of the file in our state folder.
pub const STATUS_FILE: &str = "state.json";

/// The number of sessions in each group, and the one that has waited longest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatusFile {
    /// The daemon that wrote the file; if it is gone, the file is stale.
    pub pid: u32,
    /// The daemon still reads history after its start, and the counts are not there yet.
    #[serde(default)]
    pub reading: bool,
    /// Sessions that wait for a decision or an answer.
    pub needs_you: u32,
    /// Working sessions.
    pub working: u32,
    /// Sessions that wait for a prompt.
    pub your_turn: u32,
    /// Sessions that failed within a day; a daemon of an earlier version omits it.
    #[serde(default)]
    pub failed: u32,
    /// Idle sessions.
    pub idle: u32,
    /// The session that has waited longest.
    pub first: Option<LongestWait>,
    /// The limits of accounts; a daemon of an earlier version omits them.
    #[serde(default)]
    pub quotas: Vec<Gauge>,
}

/// A session that waits for the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LongestWait {
    /// Its id.
    pub id: SessionId,
    /// The folder it works in, by name.
    pub project: String,
    /// What it waits for.
    pub what: String,
}

impl StatusFile {
    /// Counts a session; sessions that are done are not counted.
    pub fn count(&mut self, group: Group) {
        match group {
            Group::NeedsYou => self.needs_you += 1,
            Group::Working => self.working += 1,
            Group::YourTurn => self.your_turn += 1,
            Group::Failed => self.failed += 1,
            Group::Idle => self.idle += 1,
            Group::Done => {}
        }
    }
}
