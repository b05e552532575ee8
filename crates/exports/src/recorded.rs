//! A recorded session, from which every document is made.

use std::collections::BTreeSet;
use taffrail_model::{AgentId, Event, EventId, RuntimeSessionId, SessionId, Timestamp, Tokens};

/// A session with its events, its model answers and its sub-agents.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// The durable session.
    pub id: SessionId,
    /// The agent.
    pub agent: AgentId,
    /// The version of the agent program.
    pub agent_version: Option<String>,
    /// The agent's own id of the session.
    pub runtime_id: RuntimeSessionId,
    /// The title.
    pub title: Option<String>,
    /// The working directory.
    pub project_path: Option<String>,
    /// The last known branch.
    pub git_branch: Option<String>,
    /// The last known model.
    pub model: Option<String>,
    /// Its events with their texts, in canonical order.
    pub events: Vec<Event>,
    /// The calls that put a question to a person.
    pub questions: BTreeSet<EventId>,
    /// The model answers that it owns, in order of time.
    pub answers: Vec<ModelAnswer>,
    /// The sub-agents that it started.
    pub workers: Vec<Self>,
}

/// What one model answer cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelAnswer {
    /// When it was written.
    pub at: Option<Timestamp>,
    /// The model.
    pub model: Option<String>,
    /// Its tokens.
    pub tokens: Tokens,
    /// Its cost, if known.
    pub cost: Option<Amount>,
}

/// An amount in millionths of a US dollar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// The agent reported it.
    Reported(i64),
    /// A price table gives it.
    Listed(i64),
}

impl Amount {
    /// The amount, whatever its source.
    #[must_use]
    pub fn microdollars(self) -> i64 {
        let (Self::Reported(amount) | Self::Listed(amount)) = self;
        amount
    }
}
