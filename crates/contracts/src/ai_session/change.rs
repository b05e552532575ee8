//! The change in a line of history, under our own key.
//!
//! Every such line carries the whole state after it, so the last line alone defines the state.

use super::documents::{Model, PlanFeature, Task, time};
use super::moves::{FeatureStatus, TaskStatus};
use serde::{Deserialize, Serialize};
use taffrail_model::Timestamp;

/// The state, without the time of its last update.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Current {
    /// The active task.
    pub active_task: Option<String>,
    /// The model in use.
    pub model_in_use: Model,
    /// When the feature began.
    #[serde(deserialize_with = "time")]
    pub started_at: Timestamp,
}

/// A change, and the state after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The kind of change.
    #[serde(flatten)]
    pub what: What,
    /// The state after the change.
    pub state: Current,
}

/// The kind of change. All values are complete, so applying a change twice has no further effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum What {
    /// The feature was created.
    Created {
        /// The feature as its plan describes it.
        feature: PlanFeature,
    },
    /// The model in use changed.
    Model,
    /// A task was added to the plan.
    TaskAdded {
        /// The phase it belongs to.
        phase_id: String,
        /// The name of that phase, in case it is new.
        phase_name: String,
        /// The task.
        task: Task,
    },
    /// A task changed its status.
    TaskMoved {
        /// The task.
        task_id: String,
        /// The new status.
        status: TaskStatus,
        /// When work first began.
        started_at: Option<Timestamp>,
        /// When it was finished.
        completed_at: Option<Timestamp>,
        /// The resulting files, to be added.
        artifacts: Vec<String>,
    },
    /// The feature changed its status.
    FeatureMoved {
        /// The new status.
        status: FeatureStatus,
    },
    /// Another tool wrote the state; this line records it.
    Observed,
}
