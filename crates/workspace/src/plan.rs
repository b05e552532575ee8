//! Tasks of a plan, and where a feature stands.

use crate::change::Asked;
use crate::edit::Edit;
use crate::error::WorkError;
use crate::feature::Feature;
use serde_json::{Value, json};
use taffrail_contracts::ai_session::{
    Current, FeatureMove, FeatureStatus, Phase, Task, TaskMove, TaskStatus, What, after, instant,
};

/// A name is no longer.
const NAME_MAX: usize = 200;

/// A task to be added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTask {
    /// Its id.
    pub id: String,
    /// The phase it belongs to, made where it is new.
    pub phase: String,
    /// That phase's name, where it is new and has one.
    pub phase_name: Option<String>,
    /// What is to be done.
    pub description: String,
    /// Who is to do it.
    pub agent: String,
}

/// What is done to a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskChange {
    /// The task.
    pub id: String,
    /// What is done.
    pub made: TaskMove,
    /// Files that came of it.
    pub artifacts: Vec<String>,
}

impl Feature<'_> {
    /// Adds a task to the plan.
    ///
    /// # Errors
    /// There is one of that id, or the feature is not active.
    pub fn add_task(&mut self, new: &NewTask, asked: &Asked) -> Result<(), WorkError> {
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
        self.commit(what, self.state.current.clone(), asked)
    }

    /// Lets a task go another way.
    ///
    /// # Errors
    /// There is none of that id, it may not go that way, or the feature is not active.
    pub fn move_task(
        &mut self,
        change: &TaskChange,
        asked: &Asked,
    ) -> Result<TaskStatus, WorkError> {
        self.must_be_active()?;
        let plan = self.plan()?;
        let unknown = || WorkError::refused(format!("there is no task {} in the plan", change.id));
        let task = plan.task(&change.id).ok_or_else(unknown)?;
        let status = change.made.from(task.status).ok_or_else(|| {
            let (made, from) = (change.made.word(), task.status.as_str());
            WorkError::refused(format!(
                "task {} is {from}: `{made}` is no valid transition from there",
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
            // A task that began in the future, by another's clock, is not over before it began.
            completed_at: is_done.then(|| started_at.map_or(now, |began| began.max(now))),
            artifacts: change.artifacts.clone(),
        };
        let active_task = active_after(&self.state.current, &change.id, status);
        let current = Current { active_task, ..self.state.current.clone() };
        self.commit(what, current, asked)?;
        Ok(status)
    }

    /// Lets the feature go another way.
    ///
    /// # Errors
    /// It may not go that way.
    pub fn move_to(
        &mut self,
        made: FeatureMove,
        asked: &Asked,
    ) -> Result<FeatureStatus, WorkError> {
        let list = self.list()?;
        let from = list.entry(&self.id).map_or(FeatureStatus::Active, |it| it.status);
        let status = made.from(from).ok_or_else(|| {
            let (made, from) = (made.word(), from.as_str());
            WorkError::refused(format!(
                "the feature {} is {from}: `{made}` is no valid transition from there",
                self.id
            ))
        })?;
        self.commit(What::FeatureMoved { status }, self.state.current.clone(), asked)?;
        Ok(status)
    }
}

/// Starting a task makes it the active one; when the active one stops, there is none.
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

/// What can stand on one line and be typed.
pub(crate) fn must_be_name(what: &str, text: &str) -> Result<(), WorkError> {
    let is_name = !text.trim().is_empty() && text.trim() == text && text.len() <= NAME_MAX;
    if is_name && !text.chars().any(char::is_control) {
        return Ok(());
    }
    Err(WorkError::refused(format!("{what} is one line of 1 to {NAME_MAX} bytes, not {text:?}")))
}

/// What a change does to the text of a plan. Done twice it does nothing more.
pub(crate) fn edits(plan: &Value, what: &What) -> Vec<Edit> {
    match what {
        What::TaskAdded { phase_id, phase_name, task } => {
            added(plan, (phase_id, phase_name), task).into_iter().collect()
        }
        What::TaskMoved { task_id, status, started_at, completed_at, artifacts } => {
            let Some((at, task)) = place(plan, task_id) else { return Vec::new() };
            let set = |name: &str, value| Edit::Set(format!("{at}/{name}"), value);
            let mut out = vec![
                set("status", json!(status)),
                set("started_at", json!(started_at)),
                set("completed_at", json!(completed_at)),
            ];
            // An instant that is the same however it is written is left as it is written.
            out.retain(|edit| !is_same(plan, edit));
            let known = task.get("artifacts").and_then(Value::as_array);
            let is_new = |it: &&String| known.is_none_or(|all| !all.contains(&json!(it)));
            let push = |it: &String| Edit::Push(format!("{at}/artifacts"), json!(it));
            out.extend(artifacts.iter().filter(is_new).map(push));
            out
        }
        What::Created { .. } | What::Model | What::FeatureMoved { .. } | What::Observed => {
            Vec::new()
        }
    }
}

fn is_same(plan: &Value, edit: &Edit) -> bool {
    let Edit::Set(path, Value::String(new)) = edit else { return false };
    let old = plan.pointer(path).and_then(Value::as_str);
    let instants = (old.and_then(instant), instant(new));
    matches!(instants, (Some(old), Some(new)) if old == new)
}

fn added(plan: &Value, (id, name): (&str, &str), task: &Task) -> Option<Edit> {
    if place(plan, &task.task_id).is_some() {
        return None;
    }
    let phases = plan.get("phases").and_then(Value::as_array);
    let known =
        phases.and_then(|all| all.iter().position(|it| it.get("phase_id") == Some(&json!(id))));
    Some(match known {
        Some(index) => Edit::Push(format!("/phases/{index}/tasks"), json!(task)),
        None => {
            let phase =
                Phase { phase_id: id.to_owned(), name: name.to_owned(), tasks: vec![task.clone()] };
            Edit::Push("/phases".to_owned(), json!(phase))
        }
    })
}

/// Where a task stands in the document.
fn place<'p>(plan: &'p Value, id: &str) -> Option<(String, &'p Value)> {
    let phases = plan.get("phases")?.as_array()?;
    phases.iter().enumerate().find_map(|(phase, it)| {
        let tasks = it.get("tasks")?.as_array()?;
        let index = tasks.iter().position(|task| task.get("task_id") == Some(&json!(id)))?;
        Some((format!("/phases/{phase}/tasks/{index}"), tasks.get(index)?))
    })
}
