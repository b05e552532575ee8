//! Changes tasks of a plan and the status of a feature.

use crate::error::WorkError;
use crate::feature::Feature;
use crate::invocation::Invocation;
use crate::names::must_be_name;
use taffrail_contracts::ai_session::{
    Current, FeatureMove, FeatureStatus, Task, TaskMove, TaskStatus, What, after,
};

/// A task to add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTask {
    /// Its id.
    pub id: String,
    /// The phase it belongs to, created if it is new.
    pub phase: String,
    /// The name of a new phase, if it has one.
    pub phase_name: Option<String>,
    /// The description.
    pub description: String,
    /// The agent that is to do it.
    pub agent: String,
}

/// A change to a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskChange {
    /// The task.
    pub id: String,
    /// The transition.
    pub made: TaskMove,
    /// Files that resulted from it.
    pub artifacts: Vec<String>,
}

impl Feature<'_> {
    /// Adds a task to the plan.
    ///
    /// # Errors
    /// A task of that id exists, or the feature is not active.
    pub fn add_task(&mut self, new: &NewTask, invocation: &Invocation) -> Result<(), WorkError> {
        for (what, text) in
            [("a task's id", &new.id), ("a phase", &new.phase), ("an agent", &new.agent)]
        {
            must_be_name(what, text)?;
        }
        self.must_be_active()?;
        let plan = self.plan()?;
        if plan.task(&new.id).is_some() {
            return Err(WorkError::refused(format!("there is already a task {}", new.id)));
        }
        let what = What::TaskAdded {
            phase_id: new.phase.clone(),
            phase_name: new.phase_name.clone().unwrap_or_else(|| new.phase.clone()),
            task: Task::new(&new.id, &new.description, &new.agent),
        };
        self.commit(what, self.state.current.clone(), invocation)
    }

    /// Moves a task to another status.
    ///
    /// # Errors
    /// No task has that id, the transition is not allowed, or the feature is not active.
    pub fn move_task(
        &mut self,
        change: &TaskChange,
        invocation: &Invocation,
    ) -> Result<TaskStatus, WorkError> {
        self.must_be_active()?;
        let plan = self.plan()?;
        let unknown = || WorkError::refused(format!("there is no task {} in the plan", change.id));
        let task = plan.task(&change.id).ok_or_else(unknown)?;
        let status = change.made.from(task.status).ok_or_else(|| {
            let (made, from) = (change.made.word(), task.status.as_str());
            WorkError::refused(format!(
                "task {} is {from}: `{made}` is not a valid transition from there",
                task.task_id
            ))
        })?;
        let now = after(self.directory.now(), Some(self.last));
        let is_done = status == TaskStatus::Completed;
        let started_at = task.started_at.or((status == TaskStatus::InProgress).then_some(now));
        let what = What::TaskMoved {
            task_id: change.id.clone(),
            status,
            started_at,
            // A task that began in the future, by another clock, cannot end before it began.
            completed_at: is_done.then(|| started_at.map_or(now, |began| began.max(now))),
            artifacts: change.artifacts.clone(),
        };
        let active_task = active_after(&self.state.current, &change.id, status);
        let current = Current { active_task, ..self.state.current.clone() };
        self.commit(what, current, invocation)?;
        Ok(status)
    }

    /// Moves the feature to another status.
    ///
    /// # Errors
    /// The transition is not allowed.
    pub fn move_to(
        &mut self,
        made: FeatureMove,
        invocation: &Invocation,
    ) -> Result<FeatureStatus, WorkError> {
        let list = self.list()?;
        let from = list.entry(&self.id).map_or(FeatureStatus::Active, |it| it.status);
        let status = made.from(from).ok_or_else(|| {
            let (made, from) = (made.word(), from.as_str());
            WorkError::refused(format!(
                "the feature {} is {from}: `{made}` is not a valid transition from there",
                self.id
            ))
        })?;
        let mut current = self.state.current.clone();
        if status == FeatureStatus::Completed {
            self.must_be_at_rest()?;
            current.active_task = None;
        }
        self.commit(What::FeatureMoved { status }, current, invocation)?;
        Ok(status)
    }

    /// A feature is not complete while somebody works on a task of it.
    fn must_be_at_rest(&self) -> Result<(), WorkError> {
        let plan = self.plan()?;
        let Some(task) = plan.tasks().find(|it| it.status == TaskStatus::InProgress) else {
            return Ok(());
        };
        let (id, task) = (&self.id, &task.task_id);
        Err(WorkError::refused(format!(
            "task {task} of the feature {id} is in_progress; finish or block it first"
        )))
    }
}

/// Starting a task makes it the active one; when the active task stops, no task is active.
fn active_after(current: &Current, task: &str, status: TaskStatus) -> Option<String> {
    let is_active = current.active_task.as_deref() == Some(task);
    match status {
        TaskStatus::InProgress => Some(task.to_owned()),
        TaskStatus::Pending | TaskStatus::Completed | TaskStatus::Blocked if is_active => None,
        TaskStatus::Pending | TaskStatus::Completed | TaskStatus::Blocked => {
            current.active_task.clone()
        }
    }
}
