//! Findings about sessions.

use crate::schema;
use serde::{Deserialize, Serialize};
use taffrail_model::findings::{Finding, Quality as Figures};
use utoipa::{IntoParams, ToSchema};

/// What is found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FindingList {
    /// Of this document.
    pub schema_version: u32,
    /// The findings, the latest first.
    #[schema(value_type = Vec<schema::Finding>)]
    pub findings: Vec<Finding>,
}

/// Whose findings to list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(default, deny_unknown_fields)]
pub struct FindingsQuery {
    /// Of this session only.
    pub id: Option<String>,
    /// Of workers too.
    pub all: bool,
}

/// What became of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FindingChange {
    /// It is so now.
    Appeared,
    /// It is no longer so.
    Withdrawn,
}

/// A message of a stream: a finding came, or is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct FindingMessage {
    /// What became of it.
    pub change: FindingChange,
    /// The finding.
    #[schema(value_type = schema::Finding)]
    pub finding: Finding,
}

/// How well the work of the latest sessions went; what is not known is `null`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Quality {
    /// Sessions that were looked at, workers left out.
    pub sessions: u64,
    /// The median of turns until the work was done.
    pub turns_to_completion: Option<u64>,
    /// Checks that failed and then passed.
    pub test_fix_loops: Option<u64>,
    /// The median of how long an approval waited, in milliseconds.
    pub approval_latency_ms: Option<u64>,
    /// The median of how long a session waited for its next prompt, in milliseconds.
    pub idle_ms: Option<u64>,
}

impl From<Figures> for Quality {
    fn from(it: Figures) -> Self {
        Self {
            sessions: it.sessions,
            turns_to_completion: it.turns_to_completion,
            test_fix_loops: it.test_fix_loops,
            approval_latency_ms: it.approval_latency_ms,
            idle_ms: it.idle_ms,
        }
    }
}
