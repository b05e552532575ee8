//! The documents as types, built from validated values.

use super::change::Change;
use super::moves::{FeatureStatus, TaskStatus};
use serde::{Deserialize, Deserializer, Serialize};
use taffrail_model::Timestamp;

/// The models of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Model {
    /// Gemini.
    Gemini,
    /// Opus.
    Opus,
    /// Sonnet.
    Sonnet,
}

impl Model {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Gemini, Self::Opus, Self::Sonnet];

    /// The model of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.as_str() == name)
    }

    /// The word in documents.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gemini => "gemini",
            Self::Opus => "opus",
            Self::Sonnet => "sonnet",
        }
    }
}

/// The feature of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanFeature {
    /// The feature.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// The description.
    pub description: String,
    /// When it began.
    #[serde(deserialize_with = "time")]
    pub created_at: Timestamp,
}

/// A task of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Its id, unique in the plan.
    pub task_id: String,
    /// The description.
    pub description: String,
    /// The agent that is to do it.
    pub agent: String,
    /// The status.
    pub status: TaskStatus,
    /// When work first began.
    #[serde(deserialize_with = "time_or_null")]
    pub started_at: Option<Timestamp>,
    /// When it was finished.
    #[serde(deserialize_with = "time_or_null")]
    pub completed_at: Option<Timestamp>,
    /// The resulting files.
    pub artifacts: Vec<String>,
}

/// A phase of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// Its id, unique in the plan.
    pub phase_id: String,
    /// Its name for people.
    pub name: String,
    /// Its tasks, in order.
    pub tasks: Vec<Task>,
}

/// `implementation-plan.yaml`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The feature.
    pub feature: PlanFeature,
    /// Its phases, in order.
    pub phases: Vec<Phase>,
}

impl Plan {
    /// The task of this id.
    #[must_use]
    pub fn task(&self, id: &str) -> Option<&Task> {
        self.tasks().find(|task| task.task_id == id)
    }

    /// All tasks, in order.
    pub fn tasks(&self) -> impl Iterator<Item = &Task> {
        self.phases.iter().flat_map(|phase| &phase.tasks)
    }
}

/// One entry of `active-features.yaml`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActiveFeature {
    /// The feature.
    pub feature_id: String,
    /// When it began.
    #[serde(deserialize_with = "time")]
    pub started_at: Timestamp,
    /// The time of the last activity.
    #[serde(deserialize_with = "time")]
    pub last_active: Timestamp,
    /// The status.
    pub status: FeatureStatus,
}

/// The result of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It succeeded.
    Success,
    /// It failed.
    Failure,
}

/// One line of `history.jsonl`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryLine {
    /// When.
    #[serde(deserialize_with = "time")]
    pub timestamp: Timestamp,
    /// The command.
    pub command: String,
    /// The arguments.
    pub arguments: String,
    /// The model.
    pub model: Model,
    /// The agent.
    pub agent: String,
    /// The task, if there is one.
    pub task_id: Option<String>,
    /// The result.
    pub status: Outcome,
    /// How long it took.
    #[serde(deserialize_with = "whole")]
    pub duration_ms: u64,
    /// The error, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The change, if the line is ours; an unknown change has no effect.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub change: Option<Change>,
}

/// The operation during which an error was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// Creation.
    Create,
    /// Reading.
    Read,
    /// Changing.
    Update,
    /// Deletion.
    Delete,
}

/// An error in the form that the contract requires.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorContext {
    /// The operation.
    pub operation: Operation,
    /// The file, relative to the project.
    pub file: String,
    /// The feature, if there is one.
    pub feature_id: Option<String>,
    /// When the error was found.
    pub timestamp: Timestamp,
    /// The problem.
    pub details: String,
}

pub(super) fn time<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
    let text = String::deserialize(from)?;
    super::instant(&text).ok_or_else(|| serde::de::Error::custom("no ISO 8601 timestamp"))
}

fn time_or_null<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Timestamp>, D::Error> {
    let Some(text) = Option::<String>::deserialize(from)? else { return Ok(None) };
    let read = super::instant(&text);
    read.map(Some).ok_or_else(|| serde::de::Error::custom("no ISO 8601 timestamp"))
}

/// Reads an integer in any notation: `1.0` is one.
fn whole<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    let number = serde_json::Number::deserialize(from)?;
    Ok(number.as_u64().unwrap_or_else(|| number.as_f64().unwrap_or_default() as u64))
}

fn known<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Change>, D::Error> {
    Ok(serde_json::from_value(serde_json::Value::deserialize(from)?).ok())
}
