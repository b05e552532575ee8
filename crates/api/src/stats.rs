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
    /// The sum of the known costs, in millionths of a US dollar: what agents reported, and list
    /// prices elsewhere.
    pub cost_microdollars: Option<i64>,
    /// The part of it that agents reported.
    #[serde(default)]
    pub reported_microdollars: Option<i64>,
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
    /// Of all in the period of the same length before; left out unless it is asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous: Option<Tally>,
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
    /// What came out of the latest sessions.
    #[serde(default)]
    pub outcomes: Outcomes,
}

/// What came out of the latest sessions, without sub-agents, as far as it is recorded.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Outcomes {
    /// The number of sessions read.
    pub sessions: u64,
    /// Those that are over with nothing: no file changed by a tool, no commit, and no answer to the
    /// last prompt.
    pub nothing: NothingTally,
    /// Successful commands that commit to Git.
    pub commits: u64,
    /// The known cost of all these sessions and their sub-agents by commit, in millionths of a US
    /// dollar; `null` without a commit or a known cost.
    pub cost_per_commit_microdollars: Option<i64>,
    /// The same by changed line; `null`: the index does not know how many lines changed.
    pub cost_per_changed_line_microdollars: Option<i64>,
}

/// Sessions with nothing to show.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NothingTally {
    /// How many.
    pub sessions: u64,
    /// Their known cost.
    pub cost_microdollars: Option<i64>,
}
