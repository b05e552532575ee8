//! The documents as types. They are made of values that were found sound.

use super::change::Change;
use super::moves::{FeatureStatus, TaskStatus};
use serde::{Deserialize, Deserializer, Serialize};
use taffrail_model::Timestamp;

/// The models the contract knows; it knows no other.
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

    /// As it is written.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Gemini => "gemini",
            Self::Opus => "opus",
            Self::Sonnet => "sonnet",
        }
    }
}

/// What a plan is for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanFeature {
    /// The feature.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// What it is about.
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
    /// What is to be done.
    pub description: String,
    /// Who is to do it.
    pub agent: String,
    /// Where it stands.
    pub status: TaskStatus,
    /// When somebody first began.
    #[serde(deserialize_with = "time_or_null")]
    pub started_at: Option<Timestamp>,
    /// When it was finished.
    #[serde(deserialize_with = "time_or_null")]
    pub completed_at: Option<Timestamp>,
    /// Files that came of it.
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
    /// What it is for.
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
    /// When something was last done for it.
    #[serde(deserialize_with = "time")]
    pub last_active: Timestamp,
    /// Where it stands.
    pub status: FeatureStatus,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Well.
    Success,
    /// Badly.
    Failure,
}

/// One line of `history.jsonl`
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryLine {
    /// When.
    #[serde(deserialize_with = "time")]
    pub timestamp: Timestamp,
    /// What was done.
    pub command: String,
    /// With what.
    pub arguments: String,
    /// By which model.
    pub model: Model,
    /// By whom.
    pub agent: String,
    /// For which task, if for one.
    pub task_id: Option<String>,
    /// How it ended.
    pub status: Outcome,
    /// How long it took.
    #[serde(deserialize_with = "whole")]
    pub duration_ms: u64,
    /// What went wrong, where something did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What it changed, where it is one of ours; what is not a change we know changes nothing.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known")]
    pub change: Option<Change>,
}

/// What was being done when something was found wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// Making something new.
    Create,
    /// Reading.
    Read,
    /// Changing.
    Update,
    /// Removing.
    Delete,
}

/// An error as the contract asks it to be told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorContext {
    /// What was being done.
    pub operation: Operation,
    /// The file it is about, from the project's folder.
    pub file: String,
    /// The feature, where it is about one.
    pub feature_id: Option<String>,
    /// When it was noticed.
    pub timestamp: Timestamp,
    /// What is wrong.
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

/// A whole number, however it is written: `1.0` is one.
fn whole<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    let number = serde_json::Number::deserialize(from)?;
    Ok(number.as_u64().unwrap_or_else(|| number.as_f64().unwrap_or_default() as u64))
}

fn known<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Change>, D::Error> {
    Ok(serde_json::from_value(serde_json::Value::deserialize(from)?).ok())
}
