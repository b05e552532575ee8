//! What sessions cost, and where the figures come from.

use crate::usage::Usage;
use serde::{Deserialize, Serialize};
use taffrail_model::Timestamp;
use taffrail_model::cost::{Cost, plus};
use utoipa::ToSchema;

/// The cost of a session by source, in millionths of a US dollar.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionCost {
    /// What its agent reported; `null` if it reported nothing.
    pub reported_microdollars: Option<i64>,
    /// The list price of its answers that have one.
    pub estimated_microdollars: Option<i64>,
    /// Answers whose cost is unknown.
    pub unknown_answers: u64,
    /// Its own cost and that of all sub-agents below it.
    pub with_workers_microdollars: Option<i64>,
}

impl SessionCost {
    /// The cost of a session, given its own known cost and that of its sub-agents.
    #[must_use]
    pub fn new(cost: Cost, own: Option<i64>, workers: Option<i64>) -> Self {
        let Cost { reported_microdollars, estimated_microdollars, unknown_answers } = cost;
        let with_workers_microdollars = plus(own, workers);
        Self {
            reported_microdollars,
            estimated_microdollars,
            unknown_answers,
            with_workers_microdollars,
        }
    }
}

/// The cost of several answers by source, in millionths of a US dollar.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CostBySource {
    /// What agents reported.
    pub reported_microdollars: Option<i64>,
    /// The list price of the answers that have one, reported or not.
    pub estimated_microdollars: Option<i64>,
    /// Answers whose cost is unknown.
    pub unknown_answers: u64,
}

impl From<Cost> for CostBySource {
    fn from(cost: Cost) -> Self {
        let Cost { reported_microdollars, estimated_microdollars, unknown_answers } = cost;
        Self { reported_microdollars, estimated_microdollars, unknown_answers }
    }
}

/// What was spent under one key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UsageRow {
    /// The key; `null` if it is not known.
    pub key: Option<String>,
    /// Of a block only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<UsageBlock>,
    /// The figures.
    #[serde(flatten)]
    pub spent: Spending,
}

/// A block of five hours. It begins at the full hour of its first answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UsageBlock {
    /// When it ends.
    #[schema(value_type = crate::schema::Instant)]
    pub ends_at: Timestamp,
    /// It has not ended.
    pub is_running: bool,
}

/// What was spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Spending {
    /// Sessions, sub-agents included.
    pub sessions: u64,
    /// Model answers, each counted once.
    pub answers: u64,
    /// Their tokens.
    pub usage: Usage,
    /// What they cost: what agents reported, else the list price; `null` if nothing is known.
    pub cost_microdollars: Option<i64>,
    /// Where that figure comes from.
    pub cost: CostBySource,
}

/// What was spent, by a common key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UsageReport {
    /// Of this document.
    pub schema_version: u32,
    /// The key: `day`, `week`, `month`, `block`, `model`, `project`, `agent`, `branch`, `tag` or
    /// `session`.
    pub by: String,
    /// The rows: times the latest first, others the dearest first.
    pub rows: Vec<UsageRow>,
    /// All of them together.
    pub totals: Spending,
}

/// The budgets of the configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BudgetList {
    /// Of this document.
    pub schema_version: u32,
    /// In the order of the configuration.
    pub budgets: Vec<BudgetRow>,
}

/// A budget, and what its period has cost so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BudgetRow {
    /// The work it is for: `all`, or `project:`, `agent:`, `branch:` or `tag:` with a name.
    pub of: String,
    /// `day`, `week` or `month`.
    pub per: String,
    /// When the period began, by the local clock.
    #[schema(value_type = crate::schema::Instant)]
    pub began_at: Timestamp,
    /// The known cost since then.
    pub spent_microdollars: i64,
    /// The limit.
    pub limit_microdollars: i64,
    /// Answers since then whose cost is unknown.
    pub unknown_answers: u64,
    /// `within`, `near` (80 % and more) or `over`.
    pub state: String,
}
