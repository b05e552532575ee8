//! Makes a lost plan again: from the history, and with the task that the state names.

use taffrail_contracts::ai_session::{HistoryLine, Phase, Plan, Task, TaskStatus};

/// The phase of a task of which only the id is known.
const PHASE: (&str, &str) = ("recovered", "Recovered");
/// The description of such a task.
const DESCRIPTION: &str = "The plan that described this task was lost.";
/// The agent of a task that no line of the history names.
const UNASSIGNED: &str = "unassigned";

/// A plan, and in words where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Replanned {
    pub(crate) plan: Plan,
    pub(crate) from: String,
}

/// The plan of the history, else an empty one; in either case with the active task. The status of a task
/// that only the history names is unknown, so such tasks are named and not made.
pub(crate) fn replanned(
    (known, empty): (Option<&Plan>, Plan),
    active: Option<&str>,
    lines: &[HistoryLine],
) -> Replanned {
    let mut from =
        vec![if known.is_some() { "from the history" } else { "without phases" }.to_owned()];
    let mut plan = known.cloned().unwrap_or(empty);
    if let Some(id) = active.filter(|id| plan.task(id).is_none()) {
        plan.phases.push(phase(task(id, lines)));
        from.push(format!("with the task {id} that the state names"));
    }
    let lost = lost(&plan, lines);
    if !lost.is_empty() {
        from.push(format!(
            "without {}, of which the history does not say the status",
            lost.join(", ")
        ));
    }
    Replanned { plan, from: from.join(", ") }
}

fn phase(task: Task) -> Phase {
    Phase { phase_id: PHASE.0.to_owned(), name: PHASE.1.to_owned(), tasks: vec![task] }
}

/// The active task is in progress, since the first line that names it.
fn task(id: &str, lines: &[HistoryLine]) -> Task {
    let mut own = lines.iter().filter(|it| it.task_id.as_deref() == Some(id));
    let started_at = own.clone().map(|it| it.timestamp).min();
    let agent = own.next_back().map_or(UNASSIGNED, |it| &it.agent);
    Task { status: TaskStatus::InProgress, started_at, ..Task::new(id, DESCRIPTION, agent) }
}

/// The tasks that lines name and the plan does not have, each once.
fn lost(plan: &Plan, lines: &[HistoryLine]) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for id in lines.iter().filter_map(|it| it.task_id.as_ref()) {
        if plan.task(id).is_none() && !out.contains(id) {
            out.push(id.clone());
        }
    }
    out
}
