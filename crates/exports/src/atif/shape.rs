//! The documents of ATIF 1.8, field by field. Unknown fields are left out.

use serde::Serialize;
use serde_json::{Map, Value};
use taffrail_model::Timestamp;

/// A trajectory.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Trajectory {
    /// `ATIF-v1.8`.
    pub schema_version: &'static str,
    /// The agent's own id of the session.
    pub session_id: String,
    /// The durable session.
    pub trajectory_id: String,
    /// The agent.
    pub agent: Agent,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// What a reader must know of the figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// The totals.
    pub final_metrics: FinalMetrics,
    /// The trajectories of its sub-agents.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subagent_trajectories: Vec<Self>,
    /// Title, project and branch.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

/// The agent of a trajectory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Agent {
    /// Its name.
    pub name: String,
    /// Its version; `unknown` if it recorded none.
    pub version: String,
    /// The last known model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_name: Option<String>,
}

/// Who made a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The agent program or its surroundings.
    System,
    /// A person, or the agent that started a sub-agent.
    User,
    /// A model.
    Agent,
}

/// One step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Step {
    /// Its number, from 1.
    pub step_id: u64,
    /// When it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timestamp: Option<Timestamp>,
    /// Who made it.
    pub source: Source,
    /// The model of an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_name: Option<String>,
    /// The text; empty if the step has none.
    pub message: String,
    /// The reasoning of an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_content: Option<String>,
    /// The calls of an answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// The results of its calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observation: Option<Observation>,
    /// What an answer cost.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metrics: Option<Metrics>,
    /// The number of model answers in the step, where their costs are recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub llm_call_count: Option<usize>,
    /// Set where the step is a copy of another session's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_copied_context: Option<bool>,
    /// Further fields.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolCall {
    /// The agent's own id of the call, unique in its step.
    pub tool_call_id: String,
    /// The tool.
    pub function_name: String,
    /// The input.
    pub arguments: Map<String, Value>,
}

/// The results of a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Observation {
    /// The results, in the order of their calls.
    pub results: Vec<ObservationResult>,
}

/// One result.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ObservationResult {
    /// The call in the same step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_call_id: Option<String>,
    /// The text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
    /// The sub-agents that the call started.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subagent_trajectory_ref: Vec<SubagentRef>,
    /// Whether it failed, its exit code, whether its text is cut.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

/// A pointer to the trajectory of a sub-agent in the same document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SubagentRef {
    /// Its trajectory.
    pub trajectory_id: String,
    /// The agent's own id of it.
    pub session_id: String,
}

/// What the model answers of a step cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Metrics {
    /// All input tokens, cached ones included.
    pub prompt_tokens: u64,
    /// The output tokens.
    pub completion_tokens: u64,
    /// The input tokens that were read from the cache.
    pub cached_tokens: u64,
    /// The cost, if all of it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Reasoning tokens, cache writes, and whose figure the cost is.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

/// The totals of a trajectory without its sub-agents.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FinalMetrics {
    /// All input tokens, cached ones included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_prompt_tokens: Option<u64>,
    /// The output tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_completion_tokens: Option<u64>,
    /// The input tokens that were read from the cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_cached_tokens: Option<u64>,
    /// The cost, if all of it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_cost_usd: Option<f64>,
    /// The number of steps.
    pub total_steps: usize,
    /// As in [`Metrics`].
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}
