//! How everything stands, in one small file for status bars: read in a moment, without asking anyone.

use serde::{Deserialize, Serialize};
use taffrail_model::SessionId;
use taffrail_model::status::Group;

/// The name of the file in our state folder.
pub const GLANCE_FILE: &str = "state.json";

/// How many sessions stand where, and the one that has waited longest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Glance {
    /// The daemon that wrote it; if it is gone, this is old.
    pub pid: u32,
    /// Sessions a person must decide or answer.
    pub needs_you: u32,
    /// Sessions at work.
    pub working: u32,
    /// Sessions that wait for a prompt.
    pub your_turn: u32,
    /// Sessions in which nothing happens.
    pub idle: u32,
    /// The session that has needed a person for longest.
    pub first: Option<GlanceFirst>,
}

/// A session that needs a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GlanceFirst {
    /// Which.
    pub id: SessionId,
    /// The folder it works in, by name.
    pub project: String,
    /// What it waits for.
    pub what: String,
}

impl Glance {
    /// One more session stands here; those that are done are not counted.
    pub fn count(&mut self, group: Group) {
        match group {
            Group::NeedsYou => self.needs_you += 1,
            Group::Working => self.working += 1,
            Group::YourTurn => self.your_turn += 1,
            Group::Idle => self.idle += 1,
            Group::Done => {}
        }
    }
}
