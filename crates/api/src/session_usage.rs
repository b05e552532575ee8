//! Where the tokens and the money of one session went.

use crate::cost::Spending;
use crate::schema;
use crate::usage::Usage;
use serde::{Deserialize, Serialize};
use taffrail_model::{SessionId, Timestamp};
use utoipa::ToSchema;

/// Where the tokens and the money of one session went, without its sub-agents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SessionUsage {
    /// Of this document.
    pub schema_version: u32,
    /// The session.
    #[schema(value_type = schema::SessionId)]
    pub session_id: SessionId,
    /// All of it.
    pub totals: Spending,
    /// By turn, the earliest first. Their sums are the totals.
    pub turns: Vec<TurnUsage>,
    /// By model answer, the earliest first.
    pub answers: Vec<AnswerRow>,
    /// The context that the last answer was sent.
    pub context: ContextUsage,
    /// The compactions, the earliest first.
    pub compactions: Vec<CompactionRow>,
    /// Answers that repeat a call that failed since the latest prompt: the same tool, the same input.
    pub retries: CostShare,
    /// What was written to the cache again after a pause longer than the cache lives.
    pub cold: CostShare,
}

/// What a turn used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TurnUsage {
    /// Its place in the session, from 1; `null` for answers outside of turns.
    pub number: Option<u32>,
    /// When it began.
    #[schema(value_type = Option<schema::Instant>)]
    pub started_at: Option<Timestamp>,
    /// Its model answers.
    pub answers: u64,
    /// Their tokens.
    pub usage: Usage,
    /// What they cost; `null` if nothing is known.
    pub cost_microdollars: Option<i64>,
    /// Answers whose cost is unknown.
    pub unknown_answers: u64,
    /// The input, cache reads and cache writes of its last answer; `null` if unknown.
    pub context_tokens: Option<u64>,
    /// The part of what was sent that was read from the cache, from 0 to 1; `null` if the agent
    /// reports nothing about the cache.
    pub cache_hit: Option<f64>,
    /// Why most of a context was not read from the cache: `compaction`, `model_change`, `pause` or
    /// `unknown`; `null` if it was read.
    pub cache_miss: Option<String>,
}

/// One model answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AnswerRow {
    /// When it was written.
    #[schema(value_type = Option<schema::Instant>)]
    pub at: Option<Timestamp>,
    /// The number of its turn.
    pub turn: Option<u32>,
    /// The model.
    pub model: Option<String>,
    /// Its tokens.
    pub usage: Usage,
    /// What it cost; `null` if unknown.
    pub cost_microdollars: Option<i64>,
    /// Its input, cache reads and cache writes; `null` if unknown.
    pub context_tokens: Option<u64>,
    /// What its context grew by since the answer before, estimated.
    pub grown_by: Vec<ContextPart>,
    /// The part of its context that was read from the cache.
    pub cache_hit: Option<f64>,
    /// Why most of the context was not read from the cache.
    pub cache_miss: Option<String>,
    /// It repeats a call that failed.
    pub is_retry: bool,
}

/// What a context consists of.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContextUsage {
    /// Its size; `null` if unknown.
    pub tokens: Option<u64>,
    /// The parts are estimates: only the size is recorded.
    pub estimated: bool,
    /// The parts, the largest first; they add up to the size.
    pub filled_by: Vec<ContextPart>,
}

/// A part of a context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ContextPart {
    /// `prompt`, `tool_result`, `reply`, `summary` (kept at a compaction) or `agent` (instructions,
    /// definitions of tools, and whatever the record does not explain).
    pub kind: String,
    /// The tool; `null` for other kinds.
    pub tool: Option<String>,
    /// Its size.
    pub tokens: u64,
}

/// A compaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CompactionRow {
    /// When.
    #[schema(value_type = schema::Instant)]
    pub at: Timestamp,
    /// The context of the answer before; `null` if unknown.
    pub before_tokens: Option<u64>,
    /// The context of the answer after; `null` if unknown.
    pub after_tokens: Option<u64>,
}

/// The cost of some answers, or of a part of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CostShare {
    /// The number of answers.
    pub answers: u64,
    /// The tokens that the cost is for.
    pub tokens: u64,
    /// What they cost; `null` if nothing is known.
    pub cost_microdollars: Option<i64>,
}
