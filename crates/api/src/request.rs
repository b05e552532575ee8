//! Requests to the queries behind the API.

use taffrail_model::{ResumeCursor, Timestamp};

/// Filters of a session list.
#[derive(Debug, Clone, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a filter of its own")]
pub struct ListRequest {
    /// Includes sub-agents.
    pub all: bool,
    /// Leaves out sessions of which only prompts are left.
    pub with_transcript: bool,
    /// At most so many.
    pub limit: Option<usize>,
    /// Of this agent only.
    pub agent: Option<String>,
    /// With an event at or after this instant.
    pub since: Option<Timestamp>,
    /// With no event at or after this instant.
    pub until: Option<Timestamp>,
    /// Whose last model is this one.
    pub model: Option<String>,
    /// On this branch last.
    pub branch: Option<String>,
    /// In this folder or below it; without a slash, in folders of this name.
    pub project: Option<String>,
    /// With this tag.
    pub tag: Option<String>,
    /// With a star.
    pub starred: bool,
    /// That wait for a person.
    pub waiting: bool,
    /// Whose latest result is a failure.
    pub failing: bool,
    /// At work on a call that says this.
    pub doing: Option<String>,
    /// That are over and were about this.
    pub topic: Option<String>,
    /// That are over and were work of this kind.
    pub category: Option<String>,
    /// On this device only: its name, its id, or `here`.
    pub device: Option<String>,
}

/// Which events of a session to give.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct EventsRequest {
    /// Only what changed after this.
    pub after: Option<ResumeCursor>,
    /// At most so many.
    pub limit: Option<usize>,
    /// The latest instead of the first.
    pub from_end: bool,
}
