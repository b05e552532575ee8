//! What a line of history changed, in a key of our own.
//!
//! Every such line carries the whole state after it, so the last one alone says what the state is.

use super::documents::{Model, PlanFeature, Task, time};
use super::moves::{FeatureStatus, TaskStatus};
use serde::{Deserialize, Serialize};
use taffrail_model::Timestamp;

/// The state, without the instant it was last updated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Current {
    /// The task somebody is at.
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
    /// What changed.
    #[serde(flatten)]
    pub what: What,
    /// What the state says from then on.
    pub state: Current,
}

/// What changed. All values are whole, so that applying a change twice is applying it once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum What {
    /// The feature was made.
    Created {
        /// As its plan describes it.
        feature: PlanFeature,
    },
    /// The model in use.
    Model,
    /// A task was added to the plan.
    TaskAdded {
        /// The phase it belongs to.
        phase_id: String,
        /// That phase's name, for when it is new.
        phase_name: String,
        /// The task.
        task: Task,
    },
    /// A task went another way.
    TaskMoved {
        /// The task.
        task_id: String,
        /// Where it stands now.
        status: TaskStatus,
        /// When somebody first began.
        started_at: Option<Timestamp>,
        /// When it was finished.
        completed_at: Option<Timestamp>,
        /// Files that came of it, to be added.
        artifacts: Vec<String>,
    },
    /// The feature went another way.
    FeatureMoved {
        /// Where it stands now.
        status: FeatureStatus,
    },
    /// Another tool wrote the state, and this is what it said.
    Observed,
}
