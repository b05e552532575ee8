//! Totals over sessions.

use crate::{Quality, Usage};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Counts of several sessions; what cannot be known is `null`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Tally {
    /// Sessions, sub-agents included.
    pub sessions: u64,
    /// Of these, sub-agents.
    #[serde(default)]
    pub sub_agents: u64,
    /// Turns.
    pub turns: Option<u64>,
    /// Prompts.
    pub prompts: Option<u64>,
    /// Tool calls.
    pub tool_calls: Option<u64>,
    /// What they spent.
    pub usage: Usage,
    /// The sum of the costs their agents wrote down, in millionths of a US dollar.
    pub cost_microdollars: Option<i64>,
    /// From the first to the last event of each session, in milliseconds, added up. Pauses count,
    /// and sub-agents do not: they work in the time of their session.
    #[serde(default)]
    pub duration_ms: Option<u64>,
}

/// Counts of the sessions that have something in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KeyedTally {
    /// What they have in common; `null` where it is not known.
    pub key: Option<String>,
    /// The counts.
    #[serde(flatten)]
    pub tally: Tally,
}

/// Counts of all sessions, and of those that have something in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Stats {
    /// Of this document.
    pub schema_version: u32,
    /// Of all.
    pub totals: Tally,
    /// By agent, the most tokens first.
    pub by_agent: Vec<KeyedTally>,
    /// By project, the most tokens first.
    pub by_project: Vec<KeyedTally>,
    /// By model, the most tokens first.
    pub by_model: Vec<KeyedTally>,
    /// By day in UTC, the latest first.
    pub by_day: Vec<KeyedTally>,
    /// How well the work of the latest sessions went.
    #[serde(default)]
    pub quality: Quality,
}
