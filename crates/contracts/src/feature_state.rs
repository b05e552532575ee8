//! A feature of an `.ai-session` directory as a session state, and a session state as a feature.
//!
//! Both say what is to be done and how far it is. What only a plan can say (phases, ids and times of
//! tasks) travels in the state's metadata, so that a plan comes back exactly.

use crate::ai_session::{
    Current, FeatureStatus, Model, Phase, Plan, PlanFeature, Task, TaskStatus, feature_id, instant,
};
use crate::craft::{
    AgentState, AgentStatus, Artifacts, ContextUsage, FileAction, FileChange, Mode, SCHEMA_URL,
    State, Status, Storage, Teleportation, VERSION,
};
use crate::form;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value, json};
use taffrail_model::{AgentId, RuntimeIdentity, Timestamp};

/// The key of the plan in a state's metadata.
const CARRIED: &str = "ai_session";
/// The phase of tasks that a plan does not have yet.
const PHASE: (&str, &str) = ("imported", "Imported");
/// The agent of a task that a state does not assign.
pub const UNASSIGNED: &str = "unassigned";
/// The type of an agent of which only the id is known.
const UNKNOWN_TYPE: &str = "unknown";
/// The longest name of a feature, in characters.
const NAME: usize = 80;

/// A feature with everything that its files say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeatureWork {
    /// The plan.
    pub plan: Plan,
    /// The state.
    pub current_state: Current,
    /// When it last changed.
    pub last_updated: Timestamp,
    /// The status in the list of features.
    pub status: FeatureStatus,
}

/// Where a feature is.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// The project's absolute path.
    pub project: &'a str,
    /// The device's name.
    pub device: &'a str,
}

/// The session state of a feature.
#[must_use]
pub fn state_of(work: &FeatureWork, place: Place<'_>) -> State {
    let FeatureWork { plan, current_state, last_updated, status } = work;
    let (done, open) = lists(plan);
    let who = RuntimeIdentity::new(AgentId::new("ai-session"), place.project, &plan.feature.id);
    State {
        schema: Some(SCHEMA_URL.to_owned()),
        schema_version: VERSION.to_owned(),
        session_id: who.session().to_string(),
        created_at: written(plan.feature.created_at),
        updated_at: written((*last_updated).max(current_state.started_at)),
        device: place.device.to_owned(),
        project: place.project.to_owned(),
        goal: goal(&plan.feature),
        mode: Mode::Default,
        status: state_status(*status, &open),
        progress: progress(&done, &open, *status),
        agents: agents(plan),
        completed_work: done,
        pending_tasks: open,
        decisions_made: Some(Vec::new()),
        files_modified: files(plan),
        context_usage: unknown_usage(),
        teleportation: not_synced(),
        metadata: Some(metadata(work)),
        rest: Map::new(),
    }
}

/// The feature of a session state; `None` if its goal has no letter or digit to make an id of. The
/// model is that of a state which names none.
#[must_use]
pub fn work_of(state: &State, model: Model) -> Option<FeatureWork> {
    match carried(state) {
        Some(work) if agrees(&work, state) => Some(work),
        Some(work) => Some(reconciled(work, state)),
        None => made(state, model),
    }
}

/// The descriptions of completed tasks and of the others, in the order of the plan.
fn lists(plan: &Plan) -> (Vec<String>, Vec<String>) {
    let (done, open): (Vec<_>, Vec<_>) =
        plan.tasks().partition(|it| it.status == TaskStatus::Completed);
    let texts = |all: Vec<&Task>| all.into_iter().map(|it| text(it).to_owned()).collect();
    (texts(done), texts(open))
}

fn text(task: &Task) -> &str {
    if task.description.is_empty() { &task.task_id } else { &task.description }
}

fn goal(feature: &PlanFeature) -> String {
    let said = [&feature.description, &feature.name].into_iter().find(|it| !it.is_empty());
    said.unwrap_or(&feature.id).clone()
}

/// A completed feature with open tasks is paused: a state is completed when nothing is open.
fn state_status(status: FeatureStatus, open: &[String]) -> Status {
    match status {
        FeatureStatus::Active => Status::InProgress,
        FeatureStatus::Completed if open.is_empty() => Status::Completed,
        FeatureStatus::Paused | FeatureStatus::Completed => Status::Paused,
    }
}

fn progress(done: &[String], open: &[String], status: FeatureStatus) -> Number {
    let part = match done.len() + open.len() {
        0 if status == FeatureStatus::Completed => 1.0,
        0 => 0.0,
        all => done.len() as f64 / all as f64,
    };
    // A value from 0 to 1 is always a JSON number.
    Number::from_f64((part * 10_000.0).round() / 10_000.0).unwrap_or_else(|| 0.into())
}

fn agents(plan: &Plan) -> Vec<AgentState> {
    let mut ids: Vec<&str> = Vec::new();
    for task in plan.tasks().filter(|it| it.agent != UNASSIGNED) {
        if !ids.contains(&task.agent.as_str()) {
            ids.push(&task.agent);
        }
    }
    ids.into_iter().map(|id| agent(id, plan)).collect()
}

fn agent(id: &str, plan: &Plan) -> AgentState {
    let own: Vec<_> = plan.tasks().filter(|it| it.agent == id).collect();
    let all_done = own.iter().all(|it| it.status == TaskStatus::Completed);
    let is_at_work = own.iter().any(|it| it.status == TaskStatus::InProgress);
    let ended = own.iter().filter_map(|it| it.completed_at).max().filter(|_| all_done);
    let files = own.iter().flat_map(|it| it.artifacts.clone()).collect();
    AgentState {
        id: id.to_owned(),
        kind: UNKNOWN_TYPE.to_owned(),
        status: match (all_done, is_at_work) {
            (true, _) => AgentStatus::Completed,
            (false, true) => AgentStatus::Running,
            (false, false) => AgentStatus::Pending,
        },
        started_at: Some(own.iter().filter_map(|it| it.started_at).min().map(written)),
        completed_at: Some(ended.map(written)),
        duration_seconds: Some(None),
        progress: Some(None),
        result: Some(None),
        blocking_on: Some(None),
        error: Some(None),
        output_summary: Some(None),
        artifacts: Some(Artifacts {
            files_created: Some(files),
            files_modified: Some(Vec::new()),
            files_deleted: Some(Vec::new()),
            rest: Map::new(),
        }),
        rest: Map::new(),
    }
}

/// The generated files of tasks, as far as they are paths inside the project.
fn files(plan: &Plan) -> Vec<FileChange> {
    let form = form::relative();
    let all = plan.tasks().flat_map(|task| task.artifacts.iter().map(move |path| (task, path)));
    let inside = all.filter(|(_, path)| form.fits(path));
    let change = |(task, path): (&Task, &String)| FileChange {
        path: path.clone(),
        action: FileAction::Created,
        agent_id: Some(task.agent.clone()).filter(|it| it != UNASSIGNED),
        timestamp: task.completed_at.map(written),
        lines_added: Some(None),
        lines_removed: Some(None),
        hash_before: Some(None),
        hash_after: Some(None),
        rest: Map::new(),
    };
    inside.map(change).collect()
}

/// A directory does not say how many tokens its agents used.
fn unknown_usage() -> ContextUsage {
    ContextUsage {
        estimated_tokens: None,
        compression_count: None,
        last_compression: None,
        by_agent: None,
        rest: Map::new(),
    }
}

fn not_synced() -> Teleportation {
    Teleportation {
        enabled: false,
        last_sync: Some(None),
        sync_status: Some(None),
        sync_error: Some(None),
        devices: Some(Vec::new()),
        storage_backend: Storage::Local,
        encrypted: false,
        shared_with: Some(None),
        rest: Map::new(),
    }
}

fn metadata(work: &FeatureWork) -> Map<String, Value> {
    let all = json!({ "tags": [], "notes": null, CARRIED: work });
    all.as_object().cloned().unwrap_or_default()
}

fn carried(state: &State) -> Option<FeatureWork> {
    serde_json::from_value(state.metadata.as_ref()?.get(CARRIED)?.clone()).ok()
}

/// Whether a state still says what its plan says.
fn agrees(work: &FeatureWork, state: &State) -> bool {
    let (done, open) = lists(&work.plan);
    let said = (&state.completed_work, &state.pending_tasks, &state.status);
    (&done, &open, &state_status(work.status, &open)) == said
}

/// The plan of a state that another tool has changed since: its lists decide what is done.
fn reconciled(mut work: FeatureWork, state: &State) -> FeatureWork {
    let known: Vec<_> = work.plan.tasks().map(|it| text(it).to_owned()).collect();
    for task in work.plan.phases.iter_mut().flat_map(|phase| &mut phase.tasks) {
        let is_done = state.completed_work.iter().any(|it| it == text(task));
        let is_open = state.pending_tasks.iter().any(|it| it == text(task));
        match (is_done, is_open, task.status == TaskStatus::Completed) {
            (true, false, false) => task.status = TaskStatus::Completed,
            (false, true, true) => (task.status, task.completed_at) = (TaskStatus::Pending, None),
            _ => {}
        }
    }
    let new = tasks(state, &|it| !known.iter().any(|known| known == it));
    append(&mut work.plan, new);
    work.status = feature_status(state);
    work
}

fn append(plan: &mut Plan, new: Vec<Task>) {
    if new.is_empty() {
        return;
    }
    let taken: Vec<_> = plan.tasks().map(|it| it.task_id.clone()).collect();
    let free = |mut task: Task| {
        while taken.contains(&task.task_id) {
            task.task_id.push('x');
        }
        task
    };
    let new: Vec<_> = new.into_iter().map(free).collect();
    match plan.phases.iter_mut().find(|it| it.phase_id == PHASE.0) {
        Some(phase) => phase.tasks.extend(new),
        None => plan.phases.push(Phase {
            phase_id: PHASE.0.to_owned(),
            name: PHASE.1.to_owned(),
            tasks: new,
        }),
    }
}

fn made(state: &State, model: Model) -> Option<FeatureWork> {
    let created_at = instant(&state.created_at)?;
    let name = name(&state.goal);
    let feature = PlanFeature {
        id: feature_id(&name, created_at)?,
        name,
        description: state.goal.clone(),
        created_at,
    };
    let mut plan = Plan { feature, phases: Vec::new() };
    append(&mut plan, tasks(state, &|_| true));
    Some(FeatureWork {
        plan,
        current_state: Current { active_task: None, model_in_use: model, started_at: created_at },
        last_updated: instant(&state.updated_at).unwrap_or(created_at).max(created_at),
        status: feature_status(state),
    })
}

/// The first line of a goal, as a name.
fn name(goal: &str) -> String {
    let line = goal.lines().find(|it| !it.trim().is_empty()).unwrap_or_default();
    let shown = line.chars().filter(|it| !it.is_control()).take(NAME);
    shown.collect::<String>().trim().to_owned()
}

/// The tasks of a state that fit, completed ones first.
fn tasks(state: &State, fits: &dyn Fn(&str) -> bool) -> Vec<Task> {
    let agent = match state.agents.as_slice() {
        [only] => only.id.as_str(),
        _ => UNASSIGNED,
    };
    let done = state.completed_work.iter().map(|it| (it, TaskStatus::Completed));
    let open = state.pending_tasks.iter().map(|it| (it, TaskStatus::Pending));
    let all = done.chain(open).filter(|(it, _)| fits(it)).zip(1..);
    all.map(|((said, status), number)| Task {
        status,
        ..Task::new(&format!("t{number}"), said, agent)
    })
    .collect()
}

/// A feature has no word for a failure: such work is paused.
fn feature_status(state: &State) -> FeatureStatus {
    match state.status {
        Status::InProgress => FeatureStatus::Active,
        Status::Completed if state.pending_tasks.is_empty() => FeatureStatus::Completed,
        Status::Completed
        | Status::Paused
        | Status::Error
        | Status::Aborted
        | Status::Unknown(_) => FeatureStatus::Paused,
    }
}

/// UTC with milliseconds, as the contract requires.
fn written(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}

#[cfg(test)]
mod tests;
