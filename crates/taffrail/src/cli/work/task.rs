//! `taffrail work task`

use super::{Failure, Work};
use clap::Subcommand;
use serde_json::json;
use taffrail_contracts::ai_session::{FeatureStatus, TaskMove};
use taffrail_workspace::{NewTask, TaskChange};

#[derive(Debug, Subcommand)]
pub(super) enum Action {
    /// Add a task to the plan
    Add {
        /// Id of the task
        id: String,
        /// Phase of the task; created if it is new
        #[arg(long, value_name = "ID")]
        phase: String,
        /// Name of a new phase
        #[arg(long, value_name = "TEXT")]
        phase_name: Option<String>,
        /// Description of the task
        #[arg(long, value_name = "TEXT")]
        description: String,
        /// Agent that does the task
        #[arg(long, value_name = "AGENT")]
        agent: String,
    },
    /// Start a task: from pending to in progress
    Start {
        /// Id of the task
        id: String,
    },
    /// Finish a task: from in progress to completed
    Done {
        /// Id of the task
        id: String,
        /// File that the task produced; repeatable
        #[arg(long, value_name = "FILE")]
        artifact: Vec<String>,
    },
    /// Mark a task as blocked
    Block {
        /// Id of the task
        id: String,
    },
    /// Unblock a task: from blocked to pending
    Unblock {
        /// Id of the task
        id: String,
    },
}

impl Action {
    /// The command and its arguments, for the history.
    pub(super) fn words(&self) -> (String, String) {
        let (word, id) = match self {
            Self::Add { id, .. } => ("add", id),
            Self::Start { id } => (TaskMove::Start.word(), id),
            Self::Done { id, .. } => (TaskMove::Done.word(), id),
            Self::Block { id } => (TaskMove::Block.word(), id),
            Self::Unblock { id } => (TaskMove::Unblock.word(), id),
        };
        (format!("task {word}"), id.clone())
    }
}

pub(super) fn run(action: &Action, work: &Work<'_>) -> Result<(), Failure> {
    match action {
        Action::Add { id, phase, phase_name, description, agent } => {
            let new = NewTask {
                id: id.clone(),
                phase: phase.clone(),
                phase_name: phase_name.clone(),
                description: description.clone(),
                agent: agent.clone(),
            };
            add(&new, work)
        }
        Action::Start { id } => go(id, TaskMove::Start, &[], work),
        Action::Done { id, artifact } => go(id, TaskMove::Done, artifact, work),
        Action::Block { id } => go(id, TaskMove::Block, &[], work),
        Action::Unblock { id } => go(id, TaskMove::Unblock, &[], work),
    }
}

fn add(new: &NewTask, work: &Work<'_>) -> Result<(), Failure> {
    let by = work.invocation();
    let (feature, ()) = work.with(FeatureStatus::Active, |it| it.add_task(new, &by))?;
    let document = json!({ "feature_id": feature, "task_id": new.id, "status": "pending" });
    Ok(work.told(document, &format!("added {} to {feature}", new.id))?)
}

fn go(id: &str, made: TaskMove, artifacts: &[String], work: &Work<'_>) -> Result<(), Failure> {
    let by = work.invocation();
    let change = TaskChange { id: id.to_owned(), made, artifacts: artifacts.to_vec() };
    let (feature, status) = work.with(FeatureStatus::Active, |it| it.move_task(&change, &by))?;
    let document = json!({ "feature_id": feature, "task_id": id, "status": status });
    Ok(work.told(document, &format!("{id} is {}", status.as_str()))?)
}
