//! The edits that a change makes to the text of a plan.

use crate::edit::Edit;
use serde_json::{Value, json};
use taffrail_contracts::ai_session::{Phase, Task, What, instant};

/// The edits of a change to the text of a plan. Applying a change twice has no further effect.
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
            // An instant that is equal in another notation keeps its notation.
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

/// The pointer to a task, and the task.
fn place<'p>(plan: &'p Value, id: &str) -> Option<(String, &'p Value)> {
    let phases = plan.get("phases")?.as_array()?;
    phases.iter().enumerate().find_map(|(phase, it)| {
        let tasks = it.get("tasks")?.as_array()?;
        let index = tasks.iter().position(|task| task.get("task_id") == Some(&json!(id)))?;
        Some((format!("/phases/{phase}/tasks/{index}"), tasks.get(index)?))
    })
}
